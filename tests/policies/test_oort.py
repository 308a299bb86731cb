from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hand
from pipefl.errors import ArgumentError, PipeflError
from pipefl.policies.loss_stand_in import DecayingLosses
from pipefl.policies.oort import Oort, Utilities, durations_s
from pipefl.policies.policy import State
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.scene import Scene
from pipefl.timeline import simulate_round

# Rounds of one client take 2 to 6 s; utilities at a loss of 1 are 10 to 50.
SCENE = hand.five_clients(2, losses=hand.GivenLosses((1.0,) * 5))
EXPLOIT = Oort(exploration=0.0, least_exploration=0.0, clip=1.0)


def known_state(preferred_s: float = 100.0, last_round: int = 0) -> State:
    """All five clients delivered once, with their utilities at a loss of 1."""
    memory = Utilities(hand.SAMPLES * 1.0, 0.0, 0.0, preferred_s)
    return hand.state_of(SCENE, memory, participation=1, last_round=last_round)


def test_slow_clients_are_worth_less() -> None:
    # T = 4 s: the last two take 5 and 6 s and lose (4/5)² and (4/6)².
    score = EXPLOIT.scores(0, known_state(4.0))
    assert score == pytest.approx([0.2, 0.4, 0.6, 0.8 * 16 / 25, 1.0 * 16 / 36])
    assert Oort(penalty=0.0, clip=1.0).scores(0, known_state(4.0)) == pytest.approx(
        [0.2, 0.4, 0.6, 0.8, 1.0]
    )


def test_five_clients_the_best_two_of_them() -> None:
    # Scores 0.2 0.4 0.6 0.51 0.44: above 0.95 · 0.51 are 2 and 3, above 0.85 · 0.51 also 4.
    rng = np.random.default_rng(0)
    state = known_state(4.0)
    best = {tuple(sorted(EXPLOIT.select(0, state, rng).tolist())) for _ in range(100)}
    assert best == {(2, 3)}
    wider = Oort(exploration=0.0, least_exploration=0.0, clip=1.0, cut_off=0.85)
    chances = hand.drawn_in_turn([0.6, 0.512, 4 / 9], 2)
    hand.check_frequencies(
        lambda rng: tuple(wider.select(0, state, rng).tolist()),
        {(a + 2, b + 2): chance for (a, b), chance in chances.items()},
    )


def test_staleness_is_a_bonus() -> None:
    # Round 10, last rounds 0 1 3 7 9: 0.1 ln 11 = 0.2398 over 1 2 4 8 10.
    memory = Utilities(np.full(5, 30.0), 0.0, 0.0, 100.0)
    state = hand.state_of(SCENE, memory, participation=1, last_round=[0, 1, 3, 7, 9])
    bonus = [0.4897, 0.3463, 0.2448, 0.1731, 0.1549]
    assert EXPLOIT.scores(10, state) == pytest.approx(1 + np.array(bonus), abs=1e-4)


def test_outstanding_utilities_are_capped() -> None:
    # The median of 10 to 50 is 30.
    score = Oort(clip=0.5).scores(0, known_state())
    assert score == pytest.approx([1 / 3, 2 / 3, 1.0, 1.0, 1.0])


def test_utilities_of_nothing_leave_the_bonus() -> None:
    memory = Utilities(np.zeros(5), 0.0, 0.0, 100.0)
    state = hand.state_of(SCENE, memory, participation=[1, 1, 1, 0, 0], last_round=0)
    assert EXPLOIT.scores(0, state).tolist() == [0.0] * 5
    assert EXPLOIT.scores(10, state) == pytest.approx([0.4897, 0.4897, 0.4897, 0, 0], abs=1e-4)
    assert len(set(EXPLOIT.select(0, state, np.random.default_rng(0)).tolist())) == 2


def test_durations_are_observed_ones_where_there_are_any() -> None:
    state = hand.state_of(SCENE, observed_time_s=[np.nan, 7.0, np.nan, np.nan, 0.5])
    assert durations_s(state).tolist() == [2.0, 8.0, 4.0, 5.0, 1.5]


def test_new_clients_are_drawn_by_their_speed() -> None:
    state = hand.state_of(SCENE, Oort().start(SCENE))
    hand.check_frequencies(
        lambda rng: tuple(Oort().select(0, state, rng).tolist()),
        hand.drawn_in_turn([1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 6], 2),
    )


def test_all_exploration_meets_everybody_first() -> None:
    policy = Oort(exploration=1.0, least_exploration=1.0)
    for seed in range(20):
        assert set(np.concatenate(hand.cohorts(policy, SCENE, 3, seed))) == set(range(5))


@pytest.mark.parametrize(("round_index", "chance"), [(0, 0.8), (2, 0.2), (3, 0.1), (400, 0.1)])
def test_each_place_explores_by_a_chance_that_decays(round_index: int, chance: float) -> None:
    # 0.8, then 0.4, 0.2, and never below 0.1. One place; clients 3 and 4 are new.
    policy = Oort(exploration=0.8, exploration_decay=0.5, least_exploration=0.1)
    scene = hand.five_clients(1, losses=SCENE.losses)
    memory = Utilities(np.ones(5), 0.0, 0.0, 100.0)
    state = hand.state_of(scene, memory, participation=[1, 1, 1, 0, 0], last_round=0)
    hand.check_frequencies(
        lambda rng: (int(policy.select(round_index, state, rng)[0] >= 3),),
        {(1,): chance, (0,): 1 - chance},
    )


def test_who_delivers_is_remembered_with_its_loss() -> None:
    scene = hand.five_clients(2, losses=hand.GivenLosses((0.5, 2.0, 1.0, 1.0, 3.0)))
    round_ = simulate_round([1, 4], scene.compute_time_s, 1.0, 2, discipline="fifo")
    before = Oort().start(scene)
    after = Oort().learn(0, hand.state_of(scene, before), round_)
    assert after.utility.tolist() == [0.0, 40.0, 0.0, 0.0, 150.0]
    assert after.gained == 190.0
    assert not before.utility.any()


def test_the_pacer_allows_more_time_after_a_window_that_brought_less() -> None:
    # T is the median duration, 4 s, and a step 0.4 s. Windows of two rounds bring
    # 10 + 40, then 50 + 20 (more), then 10 + 20 (less), then 10 + 20 (the same).
    policy = Oort(pacer_window=2)
    memory, preferred = policy.start(SCENE), []
    for index, client in enumerate([0, 3, 4, 1, 0, 1, 0, 1]):
        round_ = simulate_round([client], SCENE.compute_time_s, 1.0, 2, discipline="fifo")
        memory = policy.learn(index, hand.state_of(SCENE, memory), round_)
        preferred.append(memory.preferred_s)
    assert preferred == pytest.approx([4.0] * 5 + [4.4] * 3)
    assert Oort(preferred_s=7.0).start(SCENE).preferred_s == 7.0


def test_hundreds_of_rounds_favour_the_useful_and_forget_nobody() -> None:
    scene = Scene(
        np.full(40, 2.0),
        np.asarray(1.0),
        4,
        num_samples=np.repeat([10, 100], 20),
        losses=DecayingLosses(own_rate=0.0, shared_rate=0.0, spread=0.1),
    )
    steps = islice(RoundSchedule(Oort(), "fifo").steps(scene, 1), 300)
    counts = np.bincount(np.concatenate([step.client for step in steps]), minlength=40)
    assert counts.min() >= 1
    assert counts[20:].mean() > 3 * counts[:20].mean()


@given(hand.scenes(), st.integers(0, 1000))
@settings(max_examples=25)
def test_cohorts_are_valid_and_the_same_again(scene: Scene, seed: int) -> None:
    hand.check_schedules(Oort(pacer_window=3), scene, seed, scene.num_channels)


def test_without_losses_it_says_so() -> None:
    with pytest.raises(PipeflError, match="'oort' needs the clients' losses"):
        Oort().start(hand.five_clients())


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (Oort(per_channel=3), "num_channels is 2; .* the population 5"),
        (Oort(penalty=-1.0), "penalty is -1.0; it must be a number from 0 to 1000"),
        (Oort(preferred_s=0.0), "preferred_s is 0.0; it must be a finite number of seconds .*"),
        (Oort(pacer_step_s=-1.0), "pacer_step_s is -1.0; .*, 0 or more"),
        (Oort(pacer_window=0), "pacer_window is 0; .*"),
        (Oort(exploration=1.1), "exploration is 1.1; it must be a number from 0 to 1"),
        (Oort(exploration_decay=-0.1), "exploration_decay is -0.1; .* from 0 to 1"),
        (Oort(least_exploration=2.0), "least_exploration is 2.0; .* from 0 to 1"),
        (Oort(cut_off=1.5), "cut_off is 1.5; it must be a number from 0 to 1"),
        (Oort(clip=-1.0), "clip is -1.0; it must be a number from 0 to 1"),
    ],
)
def test_bad_settings_are_named(policy: Oort, message: str) -> None:
    with pytest.raises(ArgumentError, match=f"^{message}$"):
        policy.start(SCENE)
