import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hand
from pipefl.errors import ArgumentError, PipeflError
from pipefl.policies.loss_stand_in import DecayingLosses, current_losses


def test_five_clients_by_hand() -> None:
    # Mean participation 2, so 1 + 0.5 c + 0.25 · 2 divides a loss of 6.
    source = DecayingLosses(typical_loss=6.0, spread=0.0, own_rate=0.5, shared_rate=0.25)
    losses = source.losses(np.array([0, 1, 2, 3, 4]))
    assert losses == pytest.approx([4.0, 3.0, 2.4, 2.0, 6 / 3.5])


def test_the_seed_decides_and_more_clients_leave_the_first_as_they_are() -> None:
    source = DecayingLosses(seed=3)
    assert np.array_equal(source.initial_losses(5), source.initial_losses(90)[:5])
    other = DecayingLosses(seed=4)
    assert not np.any(source.initial_losses(5) == other.initial_losses(5))


def test_losses_at_the_start_are_log_normal() -> None:
    logarithm = np.log(DecayingLosses(typical_loss=2.0).initial_losses(40_000))
    assert logarithm.mean() == pytest.approx(np.log(2.0), abs=4 * 0.5 / 200)
    assert logarithm.std() == pytest.approx(0.5, abs=4 * 0.5 / 280)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=9), st.integers(0, 8))
def test_any_update_helps_all_and_its_client_most(counts: list[int], client: int) -> None:
    source = DecayingLosses()
    before = np.array(counts)
    after = before.copy()
    after[client % len(counts)] += 1
    ratio = source.losses(after) / source.losses(before)
    assert ratio.max() < 1
    assert source.losses(np.zeros_like(before)) == pytest.approx(source.initial_losses(before.size))
    alike = before == before[client % len(counts)]
    assert ratio[alike].min() == ratio[client % len(counts)]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"seed": -1}, "seed is -1; it must be a whole number of at least 0"),
        ({"typical_loss": 0.0}, "typical_loss is 0.0; it must be a number from .*"),
        ({"spread": -0.1}, "spread is -0.1; it must be a number from 0 to 5"),
        ({"own_rate": -0.1}, "own_rate is -0.1; it must be a number from 0 .*"),
        ({"shared_rate": float("nan")}, "shared_rate is nan; it must be a number from 0 .*"),
    ],
)
def test_bad_settings_are_named(changed: dict[str, float], message: str) -> None:
    with pytest.raises(ArgumentError, match=f"^{message}$"):
        DecayingLosses(**changed)  # type: ignore[arg-type]  # among them are mistakes


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((1.0, 2.0), r"losses\.shape is \(2,\); policy 'oort' needs .* for each client of 5"),
        ((1.0, 2.0, -3.0, 1.0, 1.0), r"losses\[2\] is -3\.0; policy 'oort' needs a finite loss.*"),
        ((np.inf, 2.0, 3.0, 1.0, 1.0), r"losses\[0\] is inf; policy 'oort' needs a finite loss.*"),
    ],
)
def test_a_source_of_bad_losses_is_refused(values: tuple[float, ...], message: str) -> None:
    scene = hand.five_clients(losses=hand.GivenLosses(values))
    with pytest.raises(ArgumentError, match=f"^{message}$"):
        current_losses(scene, np.zeros(5, dtype=np.int64), "oort")


def test_no_source_is_refused() -> None:
    with pytest.raises(PipeflError, match="'oort' needs the clients' losses"):
        current_losses(hand.five_clients(), np.zeros(5, dtype=np.int64), "oort")
