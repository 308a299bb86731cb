import json
from pathlib import Path

import pytest

from commands import complaint_of, output_of

DEMO = ("timeline", "--demo", "--channels", "2", "--server-time", "0.5", "--rounds", "200")


def test_the_papers_schedule_is_told_as_its_formulas_have_it() -> None:
    out = output_of(*DEMO)
    assert "clustered/slots" in out
    assert "200 in 1,800 s" in out
    assert "9 s on average, 9 to 9 s; 8 clients" in out
    assert "66.67% of the time of 2" in out


@pytest.mark.parametrize("policy", ["clustered/fifo", "uniform", "age", "rolling", "fedat"])
def test_every_kind_of_schedule_prints_the_same_figures(policy: str) -> None:
    out = output_of(*DEMO, "--policy", policy)
    for figure in ("steps of the server", "clients served", "participation", "bias", "energy"):
        assert figure in out


def test_json_holds_every_figure() -> None:
    record = json.loads(output_of(*DEMO, "--json"))
    assert record["num_served"] == sum(record["participation"]) == 1600
    assert record["utilisation"] == pytest.approx(2 / 3)
    assert len(record["duration_s"]) == record["num_steps"] == 200
    assert record["fairness"]["jain"] < 1


def test_the_seed_decides_who_takes_part() -> None:
    runs = [
        json.loads(output_of(*DEMO, "--json", "--seed", seed))["participation"]
        for seed in ("1", "1", "2")
    ]
    assert runs[0] == runs[1] != runs[2]


def test_late_clients_miss_their_slot_unless_they_may_take_another() -> None:
    dropped = json.loads(output_of(*DEMO, "--json", "--jitter", "0.3"))
    late = json.loads(output_of(*DEMO, "--json", "--jitter", "0.3", "--missed", "next-slot"))
    assert dropped["num_missed"] > 0
    assert late["num_missed"] == 0
    assert late["mean_step_s"] > dropped["mean_step_s"] == pytest.approx(9.0)


def test_the_policy_s_own_settings_can_be_changed() -> None:
    out = output_of(*DEMO, "-p", "uniform", "--set", "per_channel=3")
    assert "6 clients" in out
    one = json.loads(output_of(*DEMO, "-p", "rolling", "--set", "in_flight=1", "--json"))
    assert one["max_staleness"] == 0


def test_energy_is_that_of_the_time_that_clients_compute() -> None:
    record = json.loads(output_of("timeline", "even:4:4", "-u", "1", "--rounds", "10", "--json"))
    # 0.8 W for 4 s, and 0.2 W for an upload of 1 s
    assert record["energy_j"] == pytest.approx(10 * (0.8 * 4 + 0.2))


@pytest.mark.parametrize("policy", ["clustered", "rolling"])
def test_the_report_is_one_page_that_loads_nothing(policy: str, tmp_path: Path) -> None:
    page = tmp_path / "timeline.html"
    assert f"Wrote {page}" in output_of(*DEMO, "-p", policy, "--html", page)
    text = page.read_text(encoding="utf-8")
    assert text.count('role="img"') == 2 * (5 if policy == "clustered" else 4)
    assert "<script" not in text
    assert "Jain" in text


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("-p clusterd", "policy is 'clusterd'; did you mean clustered? the policies are clustered"),
        ("-p clustered/lifo", "discipline is 'lifo'; it must be one of slots"),
        ("-d lifo", "--discipline is 'lifo'; it must be one of slots, eager-slots, fifo, wait-all"),
        ("-p rolling -d fifo", "discipline is 'fifo'; rolling has no rounds"),
        ("--missed forget", "--missed is 'forget'; it must be one of drop, next-slot, carry"),
        ("--rounds 0", "--rounds is 0; it must be a whole number of at least 1"),
        ("--jitter -0.1", "--jitter is -0.1"),
        ("--cell 0", "--cell is 0.0"),
        ("--losses guess", "--losses is 'guess'; it must be stand-in"),
        ("-p proportional-fair", "'proportional-fair' needs --cell RADIUS"),
        ("-p oort", "'oort' needs --losses stand-in"),
        (
            "-n 800 -p uniform-kn",
            "--channels is 800; with 4 clients for each a round has 3,200, and the population 1,5",
        ),
        ("-p channel-aware --cell 250", "'channel-aware' needs --losses stand-in"),
        (
            "-p clustered/fifo -d slots",
            "discipline is 'slots'; clustered/fifo says another",
        ),
        ("-p rolling --set in_flight=0", "--set in_flight is 0; it must be a whole"),
        ("-p rolling --set in_flite=9", "--set is 'in_flite'; did you mean in_flight?"),
        ("--set 3", "--set is '3'; it must have the form name=value"),
        ("--cell 20", "--cell is 20.0; it must be above minimum_distance_m, which is 35"),
        ("--html timeline.txt", "--html is 'timeline.txt'; its name must end in .html"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(options: str, expected: str) -> None:
    assert complaint_of("timeline", "--demo", *options.split()).startswith(expected)
