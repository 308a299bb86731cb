from itertools import islice

import numpy as np
import pytest

import pipefl
from pipefl.policies.clustered import Clustered
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.scene import Scene
from pipefl.policies.step import Step
from pipefl.policies.summary import summarise
from pipefl.wireless import EnergyModel

SCENE = Scene(
    np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 2.0]), 2, num_samples=np.array([1, 2, 3])
)


def _step(index: int, clients: list[int], versions: list[int], start_s: float) -> Step:
    starts = start_s + np.arange(len(clients)).astype(np.float64)
    return Step(
        index=index,
        start_s=start_s,
        end_s=start_s + 10.0,
        client=np.array(clients),
        version=np.array(versions),
        channel=np.arange(len(clients)),
        upload_start_s=starts,
        upload_end_s=starts + 2.0,
        missed=np.array([2], dtype=np.intp) if index == 1 else np.zeros(0, dtype=np.intp),
        oldest_version=index,
    )


STEPS = [_step(0, [0, 1], [0, 0], 0.0), _step(1, [0, 2], [1, 0], 10.0), _step(2, [1], [2], 20.0)]


def test_a_summary_by_hand() -> None:
    summary = summarise("by hand", STEPS, SCENE, until_s=20.0)
    assert (summary.num_steps, summary.total_s, summary.num_served) == (2, 20.0, 4)
    assert summary.num_missed == 1
    assert summary.participation.tolist() == [2, 1, 1]
    assert summary.utilisation == 8.0 / (2 * 20.0)
    assert (summary.staleness, summary.max_staleness) == (0.25, 1)
    assert summary.clients_per_s == 0.2
    assert summary.duration_s.tolist() == [10.0, 10.0]
    # Client 0 had a third of step 0's weight and a quarter of step 1's.
    weights = np.array([1 / 3 + 1 / 4, 2 / 3, 3 / 4]) / 2
    assert summary.fairness.bias == pytest.approx(np.abs(weights - [1 / 6, 2 / 6, 3 / 6]).sum() / 2)


def test_uploads_are_busy_when_they_happen() -> None:
    summary = summarise("", STEPS[:1], SCENE, until_s=12.0)
    tenths_s = 12.0 / 120
    expected = np.zeros(100)
    expected[:10] = expected[20:30] = 0.5
    expected[10:20] = 1.0
    assert summary.busy_share.size == round(10.0 / tenths_s)
    assert summary.busy_share == pytest.approx(expected)


def test_energy_is_what_every_scheduled_client_computes_and_every_upload_transmits() -> None:
    energy = EnergyModel()
    summary = summarise("", STEPS[:2], SCENE, until_s=20.0, energy=energy)
    computed = energy.compute_j(np.array([1, 2, 1, 3, 3])).sum()
    assert summary.energy_j == pytest.approx(computed + energy.transmit_j([2.0] * 4).sum())


def test_busy_parts_add_up_to_the_utilisation_of_real_rounds() -> None:
    times_s = np.linspace(1.0, 7.0, 50)
    scene = Scene(times_s, np.full(50, 1.5), 2, plan=pipefl.plan_clusters(times_s, 1.5))
    steps = islice(RoundSchedule(Clustered(), "fifo").steps(scene), 40)
    summary = summarise("", steps, scene, until_s=1e6)
    busy_s = summary.busy_share.sum() * 1e6 / 120
    assert busy_s == pytest.approx(summary.utilisation * summary.total_s)


def test_a_time_in_which_no_step_ends_comes_to_nothing() -> None:
    summary = summarise("", STEPS, SCENE, until_s=5.0)
    assert (summary.num_steps, summary.num_served, summary.clients_per_s) == (0, 0, 0.0)
    assert (summary.utilisation, summary.mean_step_s) == (0.0, 0.0)
