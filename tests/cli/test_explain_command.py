from pathlib import Path

import pytest

import pipefl
from commands import complaint_of, output_of
from pipefl.devices.distributions import draw_population

CASES = [
    (
        "Case A: only the second inequality constraint is active, h = (0, 1, 0, 1)",
        "Solution: δ1 = δ2 = 23, δ3 = δ4 = 27.",
        "contradicting, the first constraint is violated.",
    ),
    (
        "Case B: only the first and second inequality constraints are active, h = (1, 1, 0, 1)",
        "Solution: δ1 = 10, δ2 = 36, δ3 = δ4 = 27.",
        "not optimal.",
    ),
    (
        "Case C: only the first inequality constraint is active, h = (1, 0, 0, 1)",
        "Solution: δ1 = 10, δ2 = δ3 = δ4 = 30.",
        "optimal.",
    ),
]


@pytest.mark.paper("example:1")
def test_the_papers_three_cases_are_told_in_order() -> None:
    given, *told = output_of("explain", "--capacity", "10,46,80,100").rstrip("\n").split("\n\n")
    assert given == "K = 4, M = 100, π1 = 10, π2 = 46, π3 = 80"
    assert len(told) == 3
    for case, (beginning, solution, verdict) in zip(told, CASES, strict=True):
        assert case.startswith(beginning)
        assert solution in case
        assert case.endswith(verdict)


def test_clients_are_explained_by_their_thresholds() -> None:
    printed = output_of("explain", "uniform:10:70", "-u", 15, "--num-clients", 90, "--seed", 2)
    times = draw_population("uniform:10:70", 90, seed=2).compute_time_s
    plan = pipefl.plan_clusters(times, 15.0)
    assert printed == f"{pipefl.explain(plan.capacity)}\n"
    assert printed.startswith(f"K = {plan.num_clusters}, M = 90, π1 = {plan.capacity[0]}, ")


def test_the_number_of_clusters_and_the_slack_are_heeded() -> None:
    printed = output_of("explain", "--demo", "-k", 6, "--slack", 1.5)
    assert printed.startswith("K = 6, M = 1500, ")


def test_compute_times_may_be_in_any_column_or_come_from_samples(tmp_path: Path) -> None:
    path = tmp_path / "phones.csv"
    path.write_text("seconds,num_samples\n1,10\n2,20\n3,30\n4,40\n", encoding="utf-8")
    expected = pipefl.explain(pipefl.plan_clusters([1.0, 2.0, 3.0, 4.0], 1.0).capacity)
    by_column = output_of("explain", path, "-u", 1, "--column", "seconds")
    by_samples = output_of("explain", path, "-u", 1, "--seconds-per-sample", 0.1)
    assert by_column == by_samples == f"{expected}\n"


def test_a_range_is_as_good_as_a_list() -> None:
    assert output_of("explain", "--capacity", "3-5,9") == (
        output_of("explain", "--capacity", "3,4,5,9")
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("--capacity 10,x", "--capacity is '10,x'; it must be one or several whole numbers"),
        ("--capacity 10,2.5", "--capacity is '10,2.5'; it must be one or several whole numbers"),
        ("--capacity 10,9,8", "--capacity is [10, 9, 8]; it must not decrease"),
        ("--capacity -1,5", "--capacity is [-1, 5]; it must not decrease, from"),
        ("--capacity 0", "--capacity is [0]; it must not decrease, from"),
        (
            "--capacity 1,99999999999999999999",
            "--capacity is [1, 99999999999999999999]",
        ),
        ("--capacity 1-1001", "--clusters is 1001; an explanation is for at most 1000"),
        ("--capacity 10,46 --demo", "--capacity says all that is explained; other options"),
        ("--capacity 10,46 uniform:1:2", "--capacity says all that is explained; other options"),
        ("--capacity 10,46 --column x", "--capacity says all that is explained; other options"),
        ("--capacity 10,46 -u 2", "--capacity says all that is explained; other options"),
        ("--capacity 10,46 -k 2", "--capacity says all that is explained; other options"),
        ("--capacity 10,46 --slack 1", "--capacity says all that is explained; other options"),
        ("--demo --column x", "--column and --seconds-per-sample are for a file of clients"),
        ("--demo -k 7", "--clusters is 7; with these times at most 5 clusters fit"),
        ("--demo --slack -1", "--slack is -1.0; it must be a finite number of seconds, 0 or more"),
        ("--demo -k some", "--clusters is 'some'; it must be a whole number of clusters, or auto"),
    ],
)
def test_thresholds_that_cannot_be_are_refused(arguments: str, expected: str) -> None:
    assert complaint_of("explain", *arguments.split()).startswith(expected)
