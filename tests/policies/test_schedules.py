from itertools import islice

import numpy as np
import pytest

import hand
import pipefl
from pipefl.devices.jitter import Jitter
from pipefl.policies.loss_stand_in import DecayingLosses
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.scene import MissingPartError, Scene
from pipefl.policies.schedules import COMPARED, FLOWS, ROUND_POLICIES, schedule_by_name

TIMES_S = np.linspace(1.0, 7.0, 40)
BARE = Scene(TIMES_S, np.full(40, 1.5), 2, plan=pipefl.plan_clusters(TIMES_S, 1.5))
FULL = Scene(
    TIMES_S,
    np.full(40, 1.5),
    2,
    plan=BARE.plan,
    channel=hand.channel(np.linspace(1.0, 9.0, 40)),
    losses=DecayingLosses(),
)


@pytest.mark.parametrize("name", COMPARED)
def test_every_schedule_that_is_compared_steps_and_bears_its_name(name: str) -> None:
    schedule = schedule_by_name(name, FULL)
    steps = list(islice(schedule.steps(FULL, seed=1), 12))
    assert [step.index for step in steps] == list(range(12))
    assert sum(step.client.size for step in steps) > 0
    assert schedule.name.startswith(name.partition("/")[0])


def test_all_policies_are_compared() -> None:
    assert {name.partition("/")[0] for name in COMPARED} == ROUND_POLICIES.keys() | FLOWS.keys()


def test_a_policy_has_its_own_discipline_unless_another_is_given() -> None:
    assert schedule_by_name("clustered", BARE).name == "clustered/slots"
    assert schedule_by_name("uniform", BARE).name == "uniform/wait-all"
    assert schedule_by_name("clustered/fifo", BARE).name == "clustered/fifo"
    assert schedule_by_name("age", BARE, discipline="eager-slots").name == "age/eager-slots"


def test_jitter_and_missed_slots_reach_the_rounds() -> None:
    schedule = schedule_by_name("clustered", BARE, missed="carry", jitter=Jitter(0.3))
    assert isinstance(schedule, RoundSchedule)
    assert (schedule.missed, schedule.jitter) == ("carry", Jitter(0.3))


def test_uniform_kn_draws_as_many_clients_as_the_plan_serves() -> None:
    step = next(schedule_by_name("uniform-kn", BARE).steps(BARE))
    assert BARE.plan is not None
    assert step.client.size == BARE.plan.num_clusters * 2


@pytest.mark.parametrize(
    ("name", "lacking"),
    [
        ("proportional-fair", "channel"),
        ("channel-aware", "channel"),
        ("oort", "losses"),
        ("power-of-choice", "losses"),
    ],
)
def test_what_a_scene_lacks_is_told_before_the_first_step(name: str, lacking: str) -> None:
    schedule = schedule_by_name(name, BARE)
    with pytest.raises(MissingPartError, match=f"'{name}' needs the") as caught:
        schedule.steps(BARE)
    assert caught.value.part == lacking


def test_clients_for_every_cluster_need_clusters() -> None:
    bare = Scene(TIMES_S, np.full(40, 1.5), 2)
    with pytest.raises(MissingPartError, match="'uniform-kn' needs a plan"):
        schedule_by_name("uniform-kn", bare)


def test_how_many_are_in_flight_can_be_set_where_the_wish_is_out_of_reach() -> None:
    few = Scene(np.array([1.0, 2.0]), np.ones(2), num_channels=4)
    with pytest.raises(pipefl.PipeflError, match="20.8 % of 4 sub-channels; set in_flight to do"):
        schedule_by_name("rolling", few)
    schedule = schedule_by_name("rolling", few, options={"in_flight": 2})
    assert next(schedule.steps(few)).client.size == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("agee", "policy is 'agee'; did you mean age?"),
        ("", "policy is ''; the policies are clustered, "),
        ("age/lifo", "discipline is 'lifo'; it must be one of"),
        ("uniform-kn/fifo/slots", "discipline is 'fifo/slots'; it must be one of"),
        ("rolling/fifo", "discipline is 'fifo'; rolling has no rounds"),
    ],
)
def test_a_name_that_is_none_is_refused(name: str, message: str) -> None:
    with pytest.raises(pipefl.PipeflError, match=message):
        schedule_by_name(name, BARE)


def test_a_name_and_a_discipline_that_differ_are_refused() -> None:
    with pytest.raises(pipefl.PipeflError, match="discipline is 'slots'; age/fifo says another"):
        schedule_by_name("age/fifo", BARE, discipline="slots")
    assert schedule_by_name("age/fifo", BARE, discipline="fifo").name == "age/fifo"
