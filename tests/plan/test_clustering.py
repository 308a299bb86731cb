import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

import pipefl
from oracles import clusters_by_sorting
from pipefl.plan import check_plan
from strategies import populations

Population = tuple[NDArray[np.float64], float, int, float]


def _plan(population: Population) -> pipefl.ClusterPlan:
    times, upload_s, num_clusters, slack_s = population
    most = pipefl.max_clusters(times, upload_s, slack_s)
    return pipefl.plan_clusters(
        times, upload_s, num_clusters=min(num_clusters, most), slack_s=slack_s
    )


@pytest.mark.paper("eq. (14)")
@pytest.mark.paper("eq. (16)")
@pytest.mark.paper("eq:cluster_set")
@given(populations())
def test_every_client_is_in_exactly_the_cluster_that_the_definition_gives(
    population: Population,
) -> None:
    plan = _plan(population)
    assert plan.cluster_of.tolist() == clusters_by_sorting(population[0], plan.boundary).tolist()
    members = [plan.members(k) for k in range(plan.num_clusters)]
    assert sorted(np.concatenate(members).tolist()) == list(range(plan.num_clients))
    assert [m.size for m in members] == plan.size.tolist()


@pytest.mark.paper("eq:constraint1")
@pytest.mark.paper("eq:constraint2")
@given(populations())
def test_every_client_is_ready_by_its_slot_and_slots_lie_an_upload_apart(
    population: Population,
) -> None:
    plan = _plan(population)
    check = check_plan(plan)
    assert check.holds
    assert check.ready_margin_s >= 0
    assert np.all(plan.compute_time_s <= plan.slot_time_s[plan.cluster_of])


@given(populations())
def test_a_plan_does_not_depend_on_the_order_of_the_clients(population: Population) -> None:
    plan = _plan(population)
    order = np.random.default_rng(plan.num_clients).permutation(plan.num_clients)
    shuffled = _plan((population[0][order], *population[1:]))
    assert np.array_equal(plan.slot_time_s, shuffled.slot_time_s)
    assert np.array_equal(plan.boundary, shuffled.boundary)
    by_time = np.lexsort((plan.cluster_of, plan.compute_time_s))
    by_time_shuffled = np.lexsort((shuffled.cluster_of, shuffled.compute_time_s))
    assert np.array_equal(plan.cluster_of[by_time], shuffled.cluster_of[by_time_shuffled])


@given(populations())
def test_a_plan_survives_json_unchanged(population: Population) -> None:
    plan = _plan(population)
    again = pipefl.ClusterPlan.from_dict(json.loads(json.dumps(plan.to_dict())))
    assert again == plan
    assert hash(again) == hash(plan)
    assert np.array_equal(again.cluster_of, plan.cluster_of)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("compute_time_s", [1.0, -2.0, 3.0, 4.0], r"compute_time_s\[1\] is -2.0"),
        ("compute_time_s", "four", "compute_time_s is no list of numbers"),
        ("compute_time_s", [1.0, 2.0, 3.0, 5.0], "boundary_time_s is not of the clients"),
        ("upload_time_s", 0.0, "upload_time_s is 0.0"),
        ("slack_s", -1.0, "slack_s is -1.0"),
        ("slot_time_s", [], "capacity holds no 0 values"),
        ("slot_time_s", [2.0, float("nan"), 4.0], "slot_time_s holds no times of slots"),
        ("capacity", [2, 3], "capacity holds no 3 values, one for each slot"),
        ("boundary", [1, 0, 4], "boundary does not ascend from 0 to the 4 clients"),
        ("boundary", [1, 3, 3], "boundary does not ascend from 0 to the 4 clients"),
        ("boundary", [2, 4, 4], "boundary is beyond capacity"),
        ("boundary", [2, 3, 4], "boundary_time_s is not of the clients at the boundaries"),
    ],
)
def test_a_record_that_does_not_fit_together_is_refused(
    field: str, value: object, message: str
) -> None:
    record = pipefl.plan_clusters([1.0, 2.0, 3.0, 4.0], upload_time_s=1.0).to_dict()
    with pytest.raises(pipefl.PipeflError, match=message):
        pipefl.ClusterPlan.from_dict(record | {field: value})


@pytest.mark.parametrize("scale_s", [1e-6, 1e6])
def test_time_has_no_natural_unit(scale_s: float) -> None:
    times = np.random.default_rng(1).uniform(10, 70, 500)
    plan = pipefl.plan_clusters(times, 9.0)
    scaled = pipefl.plan_clusters(times * scale_s, 9.0 * scale_s)
    assert np.array_equal(plan.size, scaled.size)
    assert np.array_equal(plan.cluster_of, scaled.cluster_of)
    assert scaled.slot_time_s == pytest.approx(plan.slot_time_s * scale_s)


def test_a_single_client_makes_a_single_cluster() -> None:
    plan = pipefl.plan_clusters([3.0], upload_time_s=1.0)
    assert (plan.num_clusters, plan.size.tolist(), plan.slot_time_s.tolist()) == (1, [1], [3.0])


def test_more_clusters_than_clients_leave_some_empty() -> None:
    plan = pipefl.plan_clusters([1.0, 9.0], upload_time_s=1.0)
    assert plan.num_clusters == 8
    assert plan.size.sum() == 2
    assert np.isnan(plan.compute_range_s[plan.size == 0]).all()
    assert plan.clients_per_round(num_channels=3) == 2


def test_a_plan_cannot_change_under_its_reader() -> None:
    times = np.array([1.0, 2.0, 3.0, 4.0])
    plan = pipefl.plan_clusters(times, upload_time_s=1.0)
    times[0] = 100.0
    assert plan.compute_time_s[0] == 1.0
    for array in (plan.compute_time_s, plan.size, plan.cluster_of, plan.boundary):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


def test_a_read_only_array_is_not_copied() -> None:
    times = np.array([1.0, 2.0, 3.0, 4.0])
    times.flags.writeable = False
    assert pipefl.plan_clusters(times, upload_time_s=1.0).compute_time_s is times


@pytest.mark.parametrize(
    ("times", "settings", "message"),
    [
        ([], {}, "compute_time_s is []; it must hold at least one client's time"),
        ([[1.0]], {}, "one-dimensional"),
        (["a"], {}, "array of numbers"),
        ([True, False], {}, "array of numbers"),
        ([1.0, np.nan, 2.0], {}, "compute_time_s[1] is nan; every one must be finite"),
        ([1.0, np.inf], {}, "compute_time_s[1] is inf"),
        ([10**400], {}, "it must be an array of numbers"),
        (np.ma.array([1.0, 2.0], mask=[False, True]), {}, "none of its entries may be masked"),
        ([0.0, 1.0], {}, "compute_time_s[0] is 0.0"),
        ([2.0, -1.0, -2.0], {}, "(2 of 3 are not)"),
        ([1.0], {"upload_time_s": 0.0}, "upload_time_s is 0.0; it must be a finite number of"),
        ([1.0], {"upload_time_s": -3}, "upload_time_s is -3.0"),
        ([1.0], {"upload_time_s": np.nan}, "upload_time_s is nan"),
        ([1.0], {"upload_time_s": "x"}, "upload_time_s is 'x'"),
        ([1.0], {"slack_s": -0.5}, "slack_s is -0.5; it must be a finite number of seconds, 0"),
        ([1.0], {"num_clusters": 0}, "num_clusters is 0; it must be a whole number from 1"),
        ([1.0], {"num_clusters": 2.0}, "num_clusters is 2.0; it must be a whole number"),
        ([1.0], {"num_clusters": True}, "num_clusters is True"),
        ([1.0], {"num_clusters": 10**6 + 1}, "num_clusters is 1000001"),
        ([1e-3, 1e6], {}, "call for 999,999,999 clusters"),
        ([1.0], {"method": "magic"}, "method is 'magic'; it must be one of"),
        ([1.0], {"method": ["hull"]}, "method is ['hull']; it must be one of"),
        ([1e308], {"slack_s": 1e308}, "slack_s is 1e+308; after 1e+308 s of computing"),
    ],
)
def test_bad_input_is_named_with_what_would_do(
    times: object, settings: dict[str, object], message: str
) -> None:
    given_settings = {"upload_time_s": 1e-3, **settings}
    with pytest.raises(pipefl.PipeflError) as caught:
        pipefl.plan_clusters(times, **given_settings)  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_too_many_clusters_name_the_bound_and_the_slack_that_would_allow_them() -> None:
    times = [10.0, 40.0, 70.0]
    with pytest.raises(pipefl.PipeflError) as caught:
        pipefl.plan_clusters(times, 15.0, num_clusters=9)
    assert "at most 5 clusters fit" in str(caught.value)
    assert "slack_s=60.0 would allow 9" in str(caught.value)
    plan = pipefl.plan_clusters(times, 15.0, num_clusters=9, slack_s=60.0)
    assert plan.num_clusters == 9


def test_a_record_that_is_no_plan_is_refused() -> None:
    record = pipefl.plan_clusters([1.0, 2.0], 1.0).to_dict()
    del record["capacity"]
    with pytest.raises(pipefl.PipeflError, match="missing or unknown are capacity"):
        pipefl.ClusterPlan.from_dict(record)


def test_members_of_a_cluster_that_is_not_there_are_refused() -> None:
    with pytest.raises(pipefl.PipeflError, match="k is 1; it must be a whole number from 0 to 0"):
        pipefl.plan_clusters([1.0], 1.0).members(1)


@pytest.mark.parametrize("server_time_s", [-1.0, np.nan, "none"])
def test_the_servers_time_is_checked_wherever_it_is_given(server_time_s: Any) -> None:
    plan = pipefl.plan_clusters([1.0, 2.0], upload_time_s=1.0)
    for figure in (plan.efficiency, plan.round_duration_s):
        with pytest.raises(pipefl.PipeflError, match="server_time_s is"):
            figure(server_time_s)
