"""A sweep's outcome: from its directory, through JSON, to the contest in seconds."""

from pathlib import Path

import pytest

from pipefl.errors import InputFileError, MissingFileError
from pipefl.sweeps.contest import CONVENTIONAL, PAPER_SLOTS, ROLLING, contest, entrants
from pipefl.sweeps.directory import SweepDirectory
from pipefl.sweeps.measured import MeasuredSweep, read_measured
from pipefl.sweeps.measuring import measured
from pipefl.sweeps.retiming import Clock
from pipefl.sweeps.sessions import SessionFile
from pipefl.train.sweeping.engine import run_sweep
from small_runs import small
from small_sweeps import HerePool, begun, small_sweep


def paper_like() -> dict[str, object]:
    """The cells of N = 1 at the uplink of four clusters, named as in the paper's tables."""
    uniform = {"policy": "uniform", "discipline": "wait-all", "num_clusters": 1}
    cells = [
        {"name": "k1-n1", "settings": {**uniform, "num_channels": 1}},
        {"name": "k1-n4", "settings": {**uniform, "num_channels": 4}},
        {"name": "k4-n1", "settings": {"num_clusters": 4, "num_channels": 1}},
        {
            "name": "rolling-n1",
            "settings": {
                "policy": "rolling", "num_clusters": 4, "num_channels": 1,
                "weighting": "unbiased", "evaluate_every": 4, "max_rounds": 160,
            },
        },
    ]  # fmt: skip
    base = small(target_accuracy=0.6, max_rounds=40)
    return {"cells": cells, "grids": {"learning_rate": (0.1,)}, "base": base, "paper": "mnist-mlp"}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> SweepDirectory:
    made = begun(small_sweep(**paper_like()), tmp_path_factory.mktemp("measured"))
    assert run_sweep(made, HerePool())
    SessionFile(made.path, "pipefl paper table2", 1).note(at_once=True)
    return made


@pytest.fixture(scope="module")
def sweep(directory: SweepDirectory) -> MeasuredSweep:
    return measured(directory)


def test_it_is_read_back_from_its_file(sweep: MeasuredSweep, tmp_path: Path) -> None:
    path = tmp_path / "sweep.json"
    path.write_text(sweep.model_dump_json(indent=1))
    assert read_measured(path) == sweep


def test_it_says_where_it_comes_from(sweep: MeasuredSweep) -> None:
    assert (sweep.dataset, sweep.num_clients, sweep.target_accuracy) == ("mnist-subset", 40, 0.6)
    assert sweep.source
    (session,) = sweep.sessions
    assert session.command == "pipefl paper table2"
    assert "cores" in session.machine
    assert "torch" in session.versions


def test_every_cell_is_timed_on_every_clock_of_the_contest(sweep: MeasuredSweep) -> None:
    standings = {(s.entrant.title, s.entrant.uplink): s for s in contest(sweep, 4, 1)}
    assert len(standings) == len(entrants(4, 1)) == 9
    for standing in standings.values():
        assert standing.seconds is not None
        assert standing.seconds.num_seeds == 2
        assert standing.is_settled
    conventional = standings[CONVENTIONAL, ""]
    assert conventional.ratio == 1.0
    slots = standings[PAPER_SLOTS, ""]
    assert slots.seconds is not None
    assert conventional.seconds is not None
    assert slots.ratio == pytest.approx(slots.seconds.median / conventional.seconds.median)
    assert standings[ROLLING, ""].cell is sweep.cell("rolling-n1")


def test_the_same_bandwidth_cut_finer_takes_longer_than_more_bandwidth(
    sweep: MeasuredSweep,
) -> None:
    wide, fine = contest(sweep, 4, 1)[-2:]
    assert (wide.entrant.uplink, fine.entrant.uplink) == ("K × the band", "same band")
    assert wide.seconds is not None
    assert fine.seconds is not None
    assert fine.seconds.median > wide.seconds.median
    assert wide.cell is fine.cell


def test_seconds_are_those_of_the_round_at_the_target(
    directory: SweepDirectory, sweep: MeasuredSweep
) -> None:
    from pipefl.sweeps.results import sweep_results

    for result, cell in zip(sweep_results(directory), sweep.cells, strict=True):
        assert [run.rounds for run in cell.runs] == list(result.rounds)
        own = {"k1-n1": "wait-all-n1-u1", "k1-n4": "wait-all-n4-u1", "k4-n1": "slots-n1-u4",
               "rolling-n1": "rolling-n1-u4"}[cell.name]  # fmt: skip
        assert [run.seconds[own] for run in cell.runs] == pytest.approx(result.seconds, abs=1e-3)


def test_of_an_unfinished_sweep_what_is_there_is_told_and_marked(tmp_path: Path) -> None:
    made = begun(small_sweep(**paper_like()), tmp_path)
    pool = HerePool()
    assert run_sweep(made, pool, only=["k1-n1"])
    unfinished = measured(made)
    standings = contest(unfinished, 4, 1)
    assert standings[0].is_settled
    assert standings[0].seconds is not None
    assert [s.seconds for s in standings[1:]] == [None] * 8
    assert not any(s.is_settled for s in standings[1:])


def test_a_contest_of_other_clusters_has_no_rolling(sweep: MeasuredSweep) -> None:
    assert [each.clock for each in entrants(2, 4) if each.title == ROLLING] == []
    assert entrants(2, 4)[0].clock == Clock("wait-all", 4, 2)
    assert entrants(2, 4)[5].cell == "k1-n8"
    assert entrants(3, 4)[5].cell == "u12"


def test_a_bad_file_of_results_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="there is no such file of results"):
        read_measured(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text('{"name": 3}')
    with pytest.raises(InputFileError, match=r"bad\.json: name is 3"):
        read_measured(tmp_path / "bad.json")
