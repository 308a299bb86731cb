import json
import re
from typing import Any

import pytest

from commands import complaint_of, output_of
from pipefl.wording import counted


def recommended(*arguments: object) -> tuple[int, float, str]:
    """K, Δ and the reason that `pipefl recommend` gives."""
    printed = output_of("recommend", *arguments)
    told = re.match(r"K = (\d+), Δ = (\S+) s\n(.+)\n$", printed, flags=re.DOTALL)
    assert told is not None
    return int(told[1]), float(told[2]), told[3]


def planned(settings: tuple[object, ...], clusters: int, slack_s: float) -> dict[str, Any]:
    options = ("-k", clusters, "--slack", slack_s, "--json")
    record: dict[str, Any] = json.loads(output_of("plan", *settings, *options))
    return record


SETTINGS: list[tuple[object, ...]] = [
    ("--demo", "-n", 2, "--server-time", 0.5),
    ("lognormal:30:0.7", "-u", 2.5, "-n", 3, "--num-clients", 400, "--seed", 5),
    ("uniform:10:70", "-u", 7, "--num-clients", 90),
]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("clients", [1, 5, 30])
def test_a_plan_with_the_told_k_and_slack_serves_the_clients_wished_for(
    settings: tuple[object, ...], clients: int
) -> None:
    clusters, slack_s, reason = recommended(*settings, "--min-clients", clients)
    gain = planned(settings, clusters, slack_s)["gain"]
    assert gain["clients_per_round"] >= clients
    assert reason.startswith(f"To serve {counted(clients, 'client')} a round over ")


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("spare_s", [0.0, 4.0])
def test_a_plan_with_the_told_k_and_slack_keeps_to_the_seconds_allowed(
    settings: tuple[object, ...], spare_s: float
) -> None:
    shortest_s = planned(settings, 1, 0.0)["gain"]["round_s"]
    limit_s = round(shortest_s + spare_s + 0.001, 3)
    clusters, slack_s, _ = recommended(*settings, "--max-seconds", limit_s)
    assert planned(settings, clusters, slack_s)["gain"]["round_s"] <= limit_s + 1e-6


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_smallest_spread_makes_clusters_equal(settings: tuple[object, ...]) -> None:
    clusters, slack_s, _ = recommended(*settings, "--smallest-spread")
    sizes = planned(settings, clusters, slack_s)["size"]
    assert max(sizes) - min(sizes) <= 1


def test_the_demo_is_told_what_it_was_worked_out_to_be() -> None:
    clusters, slack_s, reason = recommended("--demo", "--min-clients", 20)
    assert (clusters, slack_s) == (20, 22.5)
    assert "20 clients a round in 31 s (8.5 s without slack)" in reason


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ("", ["nothing is wished for"]),
        ("--min-clients 0", ["is 0; it must be a whole number from 1 to 1,500"]),
        ("--min-clients 1501", ["is 1501; it must be a whole number from 1 to 1,500"]),
        ("--min-clients 2.5", ["--min-clients", "integer"]),
        ("--max-seconds 0", ["is 0.0; it must be a finite number of seconds above 0"]),
        ("--max-seconds nan", ["is nan; it must be a finite number of seconds above 0"]),
        ("--max-seconds inf", ["is inf; it must be a finite number of seconds above 0"]),
        ("--max-seconds 3", ["is 3.0; the slowest client alone makes a round of 8.5 s"]),
        ("--min-clients 900 --max-seconds 20", ["no plan serves 900 clients", "the most is "]),
        ("--smallest-spread -n 0", ["--channels is 0; it must be a whole number of at least 1"]),
        ("--smallest-spread -u 0", ["--upload-time is 0.0; it must be a finite number"]),
        ("--smallest-spread --server-time -1", ["--server-time is -1.0; it must be a finite"]),
    ],
)
def test_a_wish_that_cannot_be_met_is_told_why(options: str, parts: list[str]) -> None:
    message = complaint_of("recommend", "--demo", *options.split())
    assert [part for part in parts if part not in message] == []
