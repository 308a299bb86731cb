import json
from pathlib import Path

import pytest

from commands import complaint_of, output_of, pipefl
from pipefl.policies.schedules import COMPARED

DEMO = ("compare", "--demo", "--channels", "2", "--rounds", "30")
EVERYTHING = ("--cell", "250", "--losses", "stand-in")


def _names(table: str) -> list[str]:
    return [line.split()[0] for line in table.splitlines() if "%" in line]


def test_all_schedules_are_compared_the_busiest_first() -> None:
    out = output_of(*DEMO, *EVERYTHING)
    names = _names(out)
    assert len(names) == len(COMPARED) == 17
    rates = [float(line.split()[1]) for line in out.splitlines() if "%" in line]
    assert rates == sorted(rates, reverse=True)
    assert names.index("rolling") < names.index("clustered/slots") < names.index("uniform/wait-all")


def test_what_is_left_out_says_what_it_needs() -> None:
    out = output_of(*DEMO)
    assert len(_names(out)) == len(COMPARED) - 4
    assert "proportional-fair is left out: it needs --cell RADIUS\n" in out
    assert "oort is left out: it needs --losses stand-in\n" in out


def test_what_is_left_out_is_said_beside_json_and_in_the_report_too(tmp_path: Path) -> None:
    page = tmp_path / "compare.html"
    ran = pipefl(*DEMO, "--json", "--html", page)
    assert ran.code == 0
    assert len(json.loads(ran.out)) == len(COMPARED) - 4
    said = "oort is left out: it needs --losses stand-in"
    assert f"pipefl: warning: {said}\n" in ran.err
    assert len(ran.err.splitlines()) == 4
    assert said in page.read_text(encoding="utf-8")


def test_with_a_cell_alone_what_needs_losses_too_is_left_out() -> None:
    out = output_of(*DEMO, "--cell", "250")
    assert "proportional-fair/fifo" in _names(out)
    assert "channel-aware is left out: it needs --losses stand-in\n" in out


def test_what_a_small_population_is_not_enough_for_is_left_out() -> None:
    out = output_of("compare", "even:1:2", "--num-clients", 2, "-n", 4, "-u", 1, "--rounds", 5)
    assert _names(out)[0] == "clustered/slots"
    assert "age is left out: --channels is 4; with 1 client for each a round has 4, " in out
    assert "rolling is left out: a utilisation of 0.95 is out of reach" in out


def test_some_schedules_can_be_named() -> None:
    out = output_of(*DEMO, "--policies", "uniform, clustered/fifo")
    assert _names(out) == ["clustered/fifo", "uniform/wait-all"]


def test_all_can_be_had_with_others_and_each_comes_once() -> None:
    names = _names(output_of(*DEMO, "--policies", "uniform/fifo,all,uniform,uniform/fifo"))
    assert len(names) == len(set(names)) == len(COMPARED) - 4 + 1
    assert {"uniform/fifo", "uniform/wait-all"} < set(names)


def test_json_is_a_list_of_summaries() -> None:
    records = json.loads(output_of(*DEMO, "-p", "uniform,rolling", "--json"))
    assert [record["name"] for record in records] == ["uniform/wait-all", "rolling"]
    assert records[1]["max_staleness"] > records[0]["max_staleness"] == 0


def test_chart_and_report_are_written(tmp_path: Path) -> None:
    chart, page = tmp_path / "compare.svg", tmp_path / "compare.html"
    out = output_of(*DEMO, "-p", "uniform,clustered", "--save", chart, "--html", page)
    assert out.splitlines()[-2:] == [f"Wrote {chart}", f"Wrote {page}"]
    assert "uniform/wait-all" in chart.read_text(encoding="utf-8")
    text = page.read_text(encoding="utf-8")
    assert "2 schedules in the same clock" in text
    assert text.count('role="img"') == 4


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("-p uniform,orrt", "policy is 'orrt'; did you mean oort?"),
        ("-p oort", "'oort' needs --losses stand-in"),
        ("-p all,orrt", "policy is 'orrt'; did you mean oort?"),
        ("-p ,", "policy is ''; the policies are"),
        ("--save chart.bmp", "--save is 'chart.bmp'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(options: str, expected: str) -> None:
    assert complaint_of("compare", "--demo", *options.split()).startswith(expected)
