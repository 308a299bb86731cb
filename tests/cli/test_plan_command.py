import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pipefl
from commands import output_of
from pipefl.devices.distributions import draw_population
from pipefl.devices.example import example_population


def planned(*arguments: object) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(output_of("plan", *arguments, "--json"))
    return record


def test_the_demo_prints_its_clusters_and_gain() -> None:
    printed = output_of("plan", "--demo", "--channels", 2, "--server-time", 0.5)
    assert "1,500 phones" in printed
    assert "1,500 clients, computing 1 to 7 s · upload 1.5 s · 2 sub-channels" in printed
    cells = [line.split() for line in printed.splitlines()]
    assert ["1", "2.5", "375", "1", "–", "2.4", "396", "no"] in cells
    assert ["4", "7", "375", "5.5", "–", "7", "1,500", "yes"] in cells
    assert ["clients", "served", "8", "2", "4×"] in cells


def test_json_is_read_back_as_the_same_plan() -> None:
    times = example_population().compute_time_s
    plan = pipefl.plan_clusters(times, 1.25, num_clusters=5, slack_s=0.5, method="hull")
    settings = ("-u", 1.25, "-k", 5, "--slack", 0.5, "--method", "hull")
    record = planned("--demo", *settings, "-n", 3, "--server-time", 0.75)
    assert pipefl.ClusterPlan.from_dict(record["plan"]) == plan
    assert record["size"] == plan.size.tolist()
    assert record["cluster_of"] == plan.cluster_of.tolist()
    assert (record["num_channels"], record["server_time_s"]) == (3, 0.75)
    assert record["gain"]["clients_per_round"] == plan.clients_per_round(3)
    assert record["gain"]["round_s"] == plan.round_duration_s(0.75)
    assert record["expected_missed_share"] is None


def test_json_is_the_only_thing_printed_however_much_is_written(tmp_path: Path) -> None:
    paths = [tmp_path / "a.csv", tmp_path / "b.json"]
    record = planned("--demo", "--assignments", paths[0], "--save", paths[1])
    assert record["source"].startswith("the example population")
    assert all(path.stat().st_size for path in paths)


@pytest.mark.parametrize("method", ["isotonic", "hull", "hypotheses"])
def test_every_solver_gives_the_same_clusters(method: str) -> None:
    settings = ("uniform:10:70", "-u", 5, "--num-clients", 200, "--seed", 4)
    record, reference = planned(*settings, "--method", method), planned(*settings)
    assert record["plan"]["method"] == method
    assert record["cluster_of"] == reference["cluster_of"]


def test_a_distribution_is_drawn_by_number_and_seed() -> None:
    record = planned("lognormal:30:0.5", "-u", 9, "--num-clients", 40, "--seed", 6)
    drawn = draw_population("lognormal:30:0.5", 40, seed=6)
    assert record["plan"]["compute_time_s"] == drawn.compute_time_s.tolist()
    assert record["source"] == "lognormal:30:0.5, 40 clients, seed 6"


def test_auto_is_the_papers_choice_of_k() -> None:
    assert (
        planned("even:10:70", "-u", 15, "-k", "auto")["plan"]
        == (planned("even:10:70", "-u", 15)["plan"])
    )
    assert len(planned("even:10:70", "-u", 15)["size"]) == 4


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("compute_time_s\n4\n1\n2\n", ()),
        ("4\n1\n2\n", ()),
        ("seconds\n4\n1\n2\n", ("--column", "seconds")),
        ("num_samples\n8\n2\n4\n", ("--seconds-per-sample", 0.5)),
    ],
)
def test_a_file_says_who_the_clients_are(
    tmp_path: Path, text: str, options: tuple[object, ...]
) -> None:
    path = tmp_path / "times.csv"
    path.write_text(text)
    record = planned(path, "-u", 1, *options)
    assert record["plan"]["compute_time_s"] == [4.0, 1.0, 2.0]
    assert record["source"] == str(path)


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "A.CSV", "A.PARQUET"])
def test_assignments_hold_every_client_once(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    printed = output_of("plan", "--demo", "--assignments", path)
    assert printed.endswith(f"Wrote {path}\n")
    read = pl.read_csv if name.lower().endswith("csv") else pl.read_parquet
    frame = read(path)
    population = example_population()
    plan = pipefl.plan_clusters(population.compute_time_s, 1.5)
    assert population.client_id is not None
    assert frame.columns == ["client_id", "compute_time_s", "cluster", "slot_time_s"]
    assert [str(each) for each in frame["client_id"]] == [
        str(each) for each in population.client_id
    ]
    assert len(set(frame["client_id"])) == 1500
    assert np.array_equal(frame["cluster"].to_numpy() - 1, plan.cluster_of)
    assert np.array_equal(frame["slot_time_s"].to_numpy(), plan.slot_time_s[plan.cluster_of])
    assert np.array_equal(frame["compute_time_s"].to_numpy(), population.compute_time_s)


def test_clients_without_ids_are_assigned_by_number(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    output_of("plan", "even:1:9", "-u", 2, "--num-clients", 5, "--assignments", path)
    assert pl.read_csv(path)["client_id"].to_list() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("chart", ["round", "hull", "histogram", "efficiency"])
def test_a_chart_is_saved(tmp_path: Path, chart: str) -> None:
    path = tmp_path / f"{chart}.svg"
    assert output_of("plan", "--demo", "--save", path, "--chart", chart).endswith(f"Wrote {path}\n")
    assert path.read_text(encoding="utf-8").startswith("<svg ")


def test_of_many_clusters_the_first_and_the_last_are_printed() -> None:
    printed = output_of("plan", "even:1:101", "-u", 1)
    cells = [line.split() for line in printed.splitlines() if line.strip()]
    numbers = [line[0] for line in cells if line[-1] in {"yes", "no"} and line[0][0].isdigit()]
    assert numbers == [str(k) for k in [*range(1, 21), 97, 98, 99, 100]]
    assert any(line[:3] == ["…", "76", "more,"] for line in cells)


def test_empty_and_small_clusters_are_pointed_out(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    path.write_text("1\n9\n9\n")
    printed = output_of("plan", path, "-u", 2, "-k", 5, "-n", 2)
    assert "3 clusters are empty: their slots idle." in printed
    assert "1 cluster has fewer than 2 clients; a round takes all of them." in printed
    assert "nan" not in printed.lower()


def test_signs_in_a_file_name_are_printed_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "[red]all [b] [1].csv"
    path.write_text("1\n2\n")
    assert output_of("plan", path, "-u", 1).splitlines()[0] == str(path)
    assert output_of("sweep", path, "-u", 1).splitlines()[0] == str(path)
