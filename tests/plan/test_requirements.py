from dataclasses import replace

import numpy as np
import pytest

import pipefl
from pipefl.plan import check_plan

PLAN = pipefl.plan_clusters([1.0, 2.0, 3.0, 4.0, 5.0], upload_time_s=1.0, num_clusters=3)


@pytest.mark.paper("eq:requirement")
@pytest.mark.paper("eq:requirement2")
def test_the_soft_requirements_are_reported_as_figures() -> None:
    check = check_plan(PLAN, num_channels=2)
    assert PLAN.size.tolist() == [2, 1, 2]
    assert check.size_deviation == pytest.approx(np.std([2, 1, 2]))
    assert check.clusters_below_channels == (1,)


def test_a_slot_before_its_slowest_client_is_found_out() -> None:
    early = replace(PLAN, slot_time_s=PLAN.slot_time_s - 1.5)
    check = check_plan(early)
    assert not check.holds
    assert check.ready_margin_s == -1.5


def test_each_client_is_held_against_the_slot_of_its_own_cluster() -> None:
    # The clusters hold 1 and 2 s, 3 s, and 4 and 5 s; the first slot is now 0.25 s too early.
    slots_s = PLAN.slot_time_s - [1.25, 0.0, 0.0]
    check = check_plan(replace(PLAN, slot_time_s=slots_s))
    assert PLAN.slot_time_s.tolist() == [3.0, 4.0, 5.0]
    assert (check.ready_margin_s, check.holds) == (-0.25, False)


def test_slots_closer_than_an_upload_are_found_out() -> None:
    check = check_plan(replace(PLAN, upload_time_s=1.25))
    assert not check.holds
    assert check.spacing_margin_s == -0.25


def test_a_single_cluster_has_no_neighbour_to_come_too_close() -> None:
    assert check_plan(pipefl.plan_clusters([1.0], 1.0)).spacing_margin_s == float("inf")
