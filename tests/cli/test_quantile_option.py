import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from commands import complaint_of, output_of
from pipefl.plan import plan_robust, times_from_moments

MOMENTS = "client_id,compute_time_s,deviation_s\na,10,0\nb,20,2\nc,30,3\n"
MEASURED = "client_id,compute_time_s\na,1\nb,3\na,2\nc,9\nb,4\nc,5\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "times.csv"
    path.write_text(text)
    return path


def planned(*arguments: object) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(output_of("plan", *arguments, "--json"))
    return record


def test_a_deviation_column_plans_with_quantiles_of_every_time(tmp_path: Path) -> None:
    record = planned(written(tmp_path, MOMENTS), "-u", 5, "--quantile", 0.9)
    robust = plan_robust(times_from_moments([10, 20, 30], [0, 2, 3]), 5.0, quantile=0.9)
    assert record["plan"]["compute_time_s"] == robust.plan.compute_time_s.tolist()
    assert record["plan"]["compute_time_s"][:2] == pytest.approx([10.0, 22.61], abs=0.005)
    assert record["expected_missed_share"] == robust.expected_missed_share(1)
    assert 0 < record["expected_missed_share"] < 0.1


@pytest.mark.parametrize(("quantile", "times"), [(0.5, [1, 3, 5]), (0.9, [2, 4, 9])])
def test_several_rows_a_client_are_its_measurements(
    tmp_path: Path, quantile: float, times: list[float]
) -> None:
    path, out = written(tmp_path, MEASURED), tmp_path / "out.csv"
    record = planned(path, "-u", 3, "--quantile", quantile, "--assignments", out)
    assert record["plan"]["compute_time_s"] == times
    assert pl.read_csv(out)["client_id"].to_list() == ["a", "b", "c"]


def test_the_report_has_the_settings_and_the_share_of_missed_slots(tmp_path: Path) -> None:
    path, page = written(tmp_path, MEASURED), tmp_path / "plan.html"
    settings = ("-u", 3, "-k", 2, "--slack", 0.75, "-n", 2, "--server-time", 0.25)
    printed = output_of("plan", path, *settings, "--quantile", 0.5, "--html", page)
    assert "Planned with the 0.5-quantile of every client's time: " in printed
    assert "of the scheduled clients are expected to miss their slot" in printed
    assert printed.endswith(f"Wrote {page}\n")
    text = page.read_text(encoding="utf-8")
    assert "<h1>3 clients in 2 clusters</h1>" in text
    assert "of scheduled clients expected to miss their slot" in text
    assert "<dd>0.75 s</dd>" in text
    assert "<dd>0.25 s</dd>" in text


def test_without_a_quantile_a_repeated_client_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, MEASURED)
    for verb in ("plan", "sweep", "recommend", "explain"):
        message = complaint_of(verb, path, "-u", 3)
        assert message.startswith(f"{path}: client 'a' stands in several rows, where")
        assert "--quantile" in message


def test_a_repeated_client_with_a_deviation_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, MOMENTS.replace("b,", "a,"))
    message = complaint_of("plan", path, "-u", 3, "--quantile", 0.9)
    assert "client 'a' stands in several rows" in message


@pytest.mark.parametrize("source", ["--demo", "uniform:1:2", "times.csv"])
def test_a_quantile_needs_times_that_vary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "1\n2\n")
    message = complaint_of("plan", source, "-u", 1, "--quantile", 0.9)
    assert message.endswith("a quantile needs a column deviation_s, or several rows a client")


@pytest.mark.parametrize("quantile", ["0", "1", "1.5", "-0.1", "nan", "inf"])
@pytest.mark.parametrize("text", [MOMENTS, MEASURED], ids=["moments", "measured"])
def test_a_quantile_lies_between_0_and_1(tmp_path: Path, text: str, quantile: str) -> None:
    message = complaint_of("plan", written(tmp_path, text), "-u", 1, "--quantile", quantile)
    assert message == f"--quantile is {float(quantile)}; it must lie between 0 and 1, such as 0.9"
