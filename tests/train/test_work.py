"""Dealing jobs into units, and refusing replies."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pipefl.train.work import Job, dealt, refusal, turns


def _jobs(clients: list[int]) -> list[Job]:
    return [Job(client, 0, (0, place), (1.0,)) for place, client in enumerate(clients)]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=200))
def test_every_job_is_in_one_unit_and_no_client_twice_in_any(clients: list[int]) -> None:
    jobs = _jobs(clients)
    units = dealt(jobs)
    assert sorted(job.key for unit in units for job in unit.jobs) == [job.key for job in jobs]
    for unit in units:
        assert 0 < len({job.client for job in unit.jobs}) == len(unit.jobs)
        assert unit.cohort_size == len(jobs)


@given(st.integers(1, 500) | st.integers(4000, 5000))
def test_different_clients_make_units_of_one_size_in_order(num_clients: int) -> None:
    units = dealt(_jobs(list(range(num_clients))))
    assert len(units) <= (8 if num_clients <= 256 else 128)
    assert len(units[0].jobs) <= 32 or num_clients > 4096
    assert [job.client for unit in units for job in unit.jobs] == list(range(num_clients))
    assert len({len(unit.jobs) for unit in units[:-1]}) <= 1
    assert len(units[-1].jobs) <= len(units[0].jobs)


@given(st.integers(1, 500), st.integers(1, 20))
def test_units_have_company_if_there_is_enough(num_clients: int, company: int) -> None:
    sizes = [len(unit.jobs) for unit in dealt(_jobs(list(range(num_clients))), company)]
    assert sum(sizes) == num_clients
    assert min(sizes[:-1], default=company) >= company
    least = max(len(dealt(_jobs(list(range(num_clients))))[0].jobs), company)
    assert sizes[0] == min(least, num_clients)


def test_no_jobs_make_no_units() -> None:
    assert dealt([]) == []


def test_turns_are_first_jobs_then_second_ones() -> None:
    found = turns(_jobs([4, 7, 4, 4, 7, 1]))
    assert [[job.client for job in turn] for turn in found] == [[4, 7, 1], [4, 7], [4]]
    assert [[job.key[1] for job in turn] for turn in found] == [[0, 1, 5], [2, 4], [3]]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ([3.0, 4.0], None),
        ([3.0, 4.1], "its update has norm 5.08, more than 5"),
        ([3.0, np.nan], "its update is not finite"),
        ([-np.inf, 0.0], "its update is not finite"),
        ([3e38, 3e38], "its update has norm inf, more than 5"),
    ],
)
def test_what_is_refused(change: list[float], reason: str | None) -> None:
    assert refusal(torch.tensor(change), 5.0) == reason
