"""Every policy on five clients of whom not all can be reached."""

from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hand
from pipefl.devices.jitter import Jitter
from pipefl.plan import plan_clusters
from pipefl.policies.age import Age
from pipefl.policies.channel_aware import ChannelAware, best_probabilities
from pipefl.policies.channel_queue import Upload
from pipefl.policies.clustered import Clustered
from pipefl.policies.fedat import FedAt
from pipefl.policies.fedcs import FedCs
from pipefl.policies.in_flight import arrivals
from pipefl.policies.oort import Oort, Utilities
from pipefl.policies.policy import RoundPolicy, State
from pipefl.policies.power_of_choice import PowerOfChoice
from pipefl.policies.proportional_fair import ProportionalFair, RunningMean
from pipefl.policies.round_robin import RoundRobin
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.scene import Scene
from pipefl.policies.tifl import Tifl
from pipefl.policies.ucb import Trials, Ucb
from pipefl.policies.uniform import Uniform
from pipefl.timeline import simulate_round

EVEN = [True, False, True, False, True]
LOSSES = hand.GivenLosses((1.0, 9.0, 3.0, 4.0, 2.0))
ALWAYS = (0.0, np.inf)


def chosen(policy: RoundPolicy, state: State, round_index: int = 0, seed: int = 0) -> list[int]:
    return [int(c) for c in policy.select(round_index, state, np.random.default_rng(seed))]


def ever_chosen(policy: RoundPolicy, state: State) -> set[tuple[int, ...]]:
    return {tuple(sorted(chosen(policy, state, seed=seed))) for seed in range(200)}


def test_round_robin_passes_over_who_is_not_there() -> None:
    scene = hand.five_clients(2)
    turn: Any = RoundRobin().start(scene)
    groups = []
    for available in (EVEN, True, False, [False, True, False, False, False], True):
        state = hand.state_of(scene, turn, available=available)
        groups.append(chosen(RoundRobin(), state))
        round_ = simulate_round(groups[-1], scene.compute_time_s, 1.0, 2, discipline="fifo")
        turn = RoundRobin().learn(0, state, round_)
    # After 0 and 2 it is the turn of 3; client 1 lost its own, and gets it next time.
    assert groups == [[0, 2], [3, 4], [], [1], [2, 3]]


def test_age_takes_the_oldest_that_are_there() -> None:
    # Ages 1 7 3 7 2.
    state = hand.state_of(hand.five_clients(2), last_round=[5, -1, 3, -1, 4], available=EVEN)
    assert chosen(Age(), state, 6) == [2, 4]


def test_age_times_rate_of_those_that_are_there() -> None:
    # Fades 0.773 0.482 3.936 0.389 0.262: the best channel is away.
    scene = hand.five_clients(2, channel=hand.channel(np.ones(5)))
    state = hand.state_of(scene, available=[True, True, False, True, True])
    assert chosen(Age(channel="weight"), state) == [0, 1]
    assert chosen(Age(), state) == [0, 1]


def test_ucb_takes_the_best_bounds_that_are_there() -> None:
    # Mean rewards 0.8 and 0.2 of clients 0 and 2; 1 and 3 were never tried, nor was 4.
    tried = np.array([1, 0, 1, 0, 0])
    memory = Trials(tried, tried, np.array([2.0, 0.0, 8.0, 0.0, 0.0]), longest_s=10.0)
    state = hand.state_of(hand.five_clients(2), memory, available=EVEN)
    assert chosen(Ucb(exploration=0.0), state, 2) == [4, 0]


def test_proportional_fair_takes_the_best_ratios_that_are_there() -> None:
    # Fades 0.773 0.482 3.936 0.389 0.262 over means of 1.
    scene = hand.five_clients(2, channel=hand.channel(np.ones(5)))
    state = hand.state_of(
        scene, RunningMean(np.ones(5)), available=[False, True, False, True, True]
    )
    assert chosen(ProportionalFair(), state) == [1, 3]


def test_channel_aware_trades_among_those_that_are_there() -> None:
    scene = hand.five_clients(2, channel=hand.channel(np.ones(5)), losses=LOSSES)
    assert scene.channel is not None
    state = hand.state_of(scene, available=EVEN)
    there = np.array([0, 2, 4])
    probability = ChannelAware().probabilities(0, state)
    assert probability[[1, 3]].tolist() == [0.0, 0.0]
    rates = scene.channel.rates_bits_per_s(0)[there]
    alone = best_probabilities(np.array([10.0, 90.0, 100.0]), 1 / rates, 0.5)
    assert probability[there] == pytest.approx(alone)
    hand.check_frequencies(
        lambda rng: tuple(ChannelAware().select(0, state, rng).tolist()),
        {
            (int(there[a]), int(there[b])): chance
            for (a, b), chance in hand.drawn_in_turn(alone, 2).items()
        },
    )


def test_fedcs_asks_those_that_are_there() -> None:
    # On one channel clients 0, 2 and 4 end at 2, 4 and 6 s.
    state = hand.state_of(hand.five_clients(1), available=EVEN)
    assert chosen(FedCs(100.0, candidate_share=1.0), state) == [0, 2, 4]
    assert chosen(FedCs(5.0, candidate_share=1.0), state) == [0, 2]
    assert ever_chosen(FedCs(100.0, candidate_share=0.4), state) == {(0, 2), (0, 4), (2, 4)}


def test_tifl_draws_a_tier_that_is_there() -> None:
    # Tiers are {0, 1, 2} and {3, 4}.
    scene = hand.five_clients(2)
    memory = Tifl(num_tiers=2).start(scene)
    policy = Tifl(num_tiers=2)
    state = hand.state_of(scene, memory, available=EVEN)
    assert ever_chosen(policy, state) == {(0, 2), (4,)}
    state = hand.state_of(scene, memory, available=[False, False, False, True, True])
    assert ever_chosen(policy, state) == {(3, 4)}
    never = Tifl(num_tiers=2, tier_probabilities=(1.0, 0.0)).start(scene)
    state = hand.state_of(scene, never, available=[False, False, False, True, True])
    assert chosen(policy, state) == []


def test_tifl_gives_credits_anew_when_only_tiers_without_any_are_there() -> None:
    # Credits of 2: the slow tier leaves for good after a round, the fast one goes on.
    trace = hand.trace_of([[ALWAYS]] * 3 + [[(0.0, 0.5)]] * 2)
    scene = hand.five_clients(2, losses=LOSSES, availability=trace)
    policy = Tifl(num_tiers=2, adaptive=True, credits=2)
    rounds = RoundSchedule(policy, "fifo").steps(scene)
    assert all(step.client.size == 2 for step in islice(rounds, 20))
    memory: Any = policy.start(scene)
    for expected in ([1, 2], [0, 2], [1, 2]):
        spent = hand.state_of(scene, memory)
        fast = simulate_round([0, 1], scene.compute_time_s, 1.0, 2, discipline="fifo")
        memory = policy.learn(0, spent, fast)
        assert memory.credits.tolist() == expected


def test_oort_exploits_and_explores_those_that_are_there() -> None:
    # Utilities 10 to 50, so that client 3, which is away, would have been second.
    scene = hand.five_clients(2, losses=hand.GivenLosses((1.0,) * 5))
    exploit = Oort(exploration=0.0, least_exploration=0.0, clip=1.0)
    memory = Utilities(hand.SAMPLES * 1.0, 0.0, 0.0, 100.0)
    known = hand.state_of(scene, memory, participation=1, last_round=0, available=EVEN)
    assert ever_chosen(exploit, known) == {(2, 4)}
    explore = Oort(exploration=1.0, least_exploration=1.0)
    state = hand.state_of(
        scene, memory, participation=[1, 1, 0, 0, 0], last_round=0, available=EVEN
    )
    assert ever_chosen(explore, state) == {(2, 4)}
    state = hand.state_of(
        scene, memory, participation=[1, 1, 0, 0, 0], last_round=0, available=[1, 0, 0, 0, 0]
    )
    assert chosen(explore, state) == [0]


def test_power_of_choice_has_candidates_that_are_there() -> None:
    # Client 1 has the largest loss, but is away.
    scene = hand.five_clients(2, losses=LOSSES)
    assert chosen(PowerOfChoice(), hand.state_of(scene, available=EVEN)) == [2, 4]
    only = hand.state_of(scene, available=[True, False, False, False, False])
    assert chosen(PowerOfChoice(), only) == [0]


SOME = [
    Clustered(),
    Uniform(),
    RoundRobin(),
    ProportionalFair(),
    ChannelAware(),
    Age(),
    Ucb(),
    FedCs(),
    Tifl(num_tiers=1),
    Oort(),
    PowerOfChoice(),
]


@pytest.mark.parametrize("policy", SOME, ids=lambda policy: policy.name)
@given(hand.scenes(), st.data())
@settings(max_examples=25)
def test_nobody_is_selected_who_is_not_there_and_no_place_is_left_that_could_be_filled(
    policy: RoundPolicy, scene: Scene, data: st.DataObject
) -> None:
    mask = st.lists(st.booleans(), min_size=scene.num_clients, max_size=scene.num_clients)
    available = np.array(data.draw(mask))
    state = hand.state_of(scene, policy.start(scene), available=available)
    cohort = chosen(policy, state)
    assert len(set(cohort)) == len(cohort)
    assert available[cohort].all()
    if not isinstance(policy, FedCs | Clustered):
        assert len(cohort) == min(scene.num_channels, int(available.sum()))
    assert bool(cohort) == bool(available.any())


@pytest.mark.parametrize("policy", SOME, ids=lambda policy: policy.name)
def test_rounds_go_on_through_a_night_in_which_nobody_is_there(policy: RoundPolicy) -> None:
    scene = Scene(
        np.array([1.0, 2.0, 3.0, 4.0, 5.0]),
        np.asarray(1.0),
        plan=plan_clusters([1.0, 2.0, 3.0, 4.0, 5.0], 1.0),
        channel=hand.channel(np.ones(5)),
        losses=LOSSES,
        availability=hand.trace_of([[(0.0, 60.0)]] * 5, period_s=100.0),
    )
    steps = list(islice(RoundSchedule(policy, "fifo").steps(scene), 200))
    assert steps[-1].end_s > 200
    assert all(step.start_s % 100 < 60 for step in steps)
    assert all(step.client.size > 0 for step in steps)


def _shown(upload: Upload) -> tuple[float, ...]:
    return upload.client, upload.label, upload.ready_s, upload.start_s, upload.end_s


def _three_with_a_trace(server_time_s: float = 0.0) -> Scene:
    trace = hand.trace_of([[(0.0, 1.5), (5.0, np.inf)], [(0.0, 5.5)], [(3.5, 4.5)]])
    times = np.array([1.0, 2.0, 4.0])
    return Scene(times, np.asarray(1.0), 1, server_time_s, availability=trace)


def test_a_place_in_flight_stays_empty_until_somebody_is_there() -> None:
    # At 2 s nobody is there for client 0's place; at 3 s client 1 follows itself, at 3.5 s
    # client 2 comes. At 6 s client 1 is away, and 0 is there again.
    uploads = islice(arrivals(_three_with_a_trace(), in_flight=2), 6)
    assert [_shown(upload) for upload in uploads] == [
        (0, 0, 1.0, 1.0, 2.0),
        (1, 0, 2.0, 2.0, 3.0),
        (1, 2, 5.0, 5.0, 6.0),
        (0, 3, 7.0, 7.0, 8.0),
        (2, 2, 7.5, 8.0, 9.0),
        (0, 4, 9.0, 9.0, 10.0),
    ]


def test_who_comes_while_the_server_is_at_work_waits_for_its_model() -> None:
    # Client 2 is drawn at 3.5 s and gets the model with both first uploads in it at 4 s.
    uploads = list(islice(arrivals(_three_with_a_trace(1.0), in_flight=2), 4))
    assert _shown(uploads[2]) == (1, 2, 6.0, 6.0, 7.0)
    assert _shown(uploads[3]) == (2, 2, 8.0, 8.0, 9.0)


def test_uploads_end_when_nobody_will_ever_be_there_again() -> None:
    trace = hand.trace_of([[(0.0, 1.5)], [(0.0, 4.0)], []])
    scene = Scene(np.array([1.0, 2.0, 4.0]), np.asarray(1.0), availability=trace)
    assert [upload.client for upload in arrivals(scene, in_flight=3)] == [0, 1, 1]
    # As tiers of one client each: 0 has left at 2 s, 1 at 6 s, and 2 never comes.
    assert [step.client.tolist() for step in FedAt(3).steps(scene)] == [[0], [1], [1]]


@st.composite
def traced_scenes(draw: st.DrawFn) -> Scene:
    """Up to eight clients on one to three channels, each with a day of its own."""
    num_clients = draw(st.integers(1, 8))
    eighths = st.integers(1, 16).map(lambda number: number / 8)
    times = draw(st.lists(eighths, min_size=num_clients, max_size=num_clients))
    days = [
        [(start / 8, (start + length) / 8)]
        for start, length in draw(
            st.lists(
                st.tuples(st.integers(0, 60), st.integers(1, 20)),
                min_size=num_clients,
                max_size=num_clients,
            )
        )
    ]
    trace = hand.trace_of(days, period_s=10.0)
    return Scene(
        np.array(times), np.asarray(draw(eighths)), draw(st.integers(1, 3)), availability=trace
    )


@given(traced_scenes(), st.data())
def test_all_in_flight_were_there_when_sent_out_and_nobody_was_kept_waiting(
    scene: Scene, data: st.DataObject
) -> None:
    in_flight = data.draw(st.integers(1, scene.num_clients))
    uploads = list(islice(arrivals(scene, in_flight), 60))
    sent_s = np.array([u.ready_s - scene.compute_time_s[u.client] for u in uploads])
    ends_s = np.array([u.end_s for u in uploads])
    client = np.array([u.client for u in uploads])
    assert (np.diff(ends_s) >= 0).all()
    for upload, at_s in zip(uploads, sent_s, strict=True):
        assert scene.available(at_s)[upload.client]
        assert (ends_s < at_s).sum() <= upload.label <= (ends_s <= at_s).sum()
    # Whoever is sent out by `known_s` has come in by the last of these uploads.
    longest_s = scene.compute_time_s.max() + in_flight * scene.upload_time_s[0]
    known_s = min(ends_s[-1] - longest_s, 20.0)
    for at_s in np.arange(0, known_s, 1 / 8):
        out = (sent_s <= at_s) & (at_s < ends_s)
        assert out.sum() <= in_flight
        if out.sum() < in_flight:
            idle = np.setdiff1d(np.arange(scene.num_clients), client[out])
            assert not scene.available(at_s)[idle].any()


@given(traced_scenes(), st.data())
def test_a_trace_of_who_is_always_there_changes_nothing(scene: Scene, data: st.DataObject) -> None:
    always = hand.trace_of([[ALWAYS]] * scene.num_clients)
    free = Scene(scene.compute_time_s, scene.upload_time_s, scene.num_channels, 0.25)
    traced = Scene(
        scene.compute_time_s, scene.upload_time_s, scene.num_channels, 0.25, availability=always
    )
    in_flight = data.draw(st.integers(1, scene.num_clients))
    jitter = Jitter(0.3)
    assert list(islice(arrivals(free, in_flight, jitter=jitter), 40)) == list(
        islice(arrivals(traced, in_flight, jitter=jitter), 40)
    )
    tiers = FedAt(data.draw(st.integers(1, scene.num_clients)), jitter=jitter)
    for one, other in zip(tiers.steps(free), islice(tiers.steps(traced), 20), strict=False):
        assert one.client.tolist() == other.client.tolist()
        assert one.end_s == other.end_s


def test_a_tier_sleeps_until_one_of_its_clients_is_there() -> None:
    # The slow tier wakes at 4 s, when step 0 has been taken; client 3 comes too late for it.
    trace = hand.trace_of([[ALWAYS], [ALWAYS], [(4.0, np.inf)], [(4.5, np.inf)]])
    scene = Scene(np.array([1.0, 2.0, 5.0, 6.0]), np.asarray(1.0), availability=trace)
    steps = list(islice(FedAt(2, clients_per_round=2).steps(scene), 4))
    assert [sorted(step.client.tolist()) for step in steps] == [[0, 1], [0, 1], [0, 1], [2]]
    assert [step.version[0] for step in steps] == [0, 1, 2, 1]
    assert [step.end_s for step in steps] == [3.0, 6.0, 9.0, 10.0]


@given(traced_scenes(), st.data())
def test_a_tiers_clients_were_there_when_its_round_began(scene: Scene, data: st.DataObject) -> None:
    policy = FedAt(data.draw(st.integers(1, scene.num_clients)))
    tier_of = policy.tier_of(scene)
    ends_s = [0.0]
    for step in islice(policy.steps(scene), 40):
        assert len(set(tier_of[step.client].tolist())) == 1
        assert 1 <= step.client.size <= scene.num_channels
        ready = step.upload_start_s - scene.compute_time_s[step.client]
        assert (ready >= ends_s[step.version[0]]).all()
        ends_s.append(step.end_s)
