"""What came of a run: the first things that its page says."""

from collections.abc import Mapping

from pipefl.report.durations import in_words
from pipefl.report.numbers import in_percent, number, share
from pipefl.report.parts import Tile, Tiles
from pipefl.report.run_view import RunView
from pipefl.runs.ending import STATES, RunState
from pipefl.wording import counted

_ENDED: Mapping[RunState, str] = {
    "target": "The target accuracy was reached after {done}.",
    "max_rounds": "It ended, as it was to, after {done}.",
    "nobody_left": "It ended after {done}: no client will ever be available again.",
}


def lead(view: RunView) -> str:
    """What was run, in one line."""
    config = view.run.config
    parts = [f"{config.model} on {config.dataset}", view.run.schedule]
    if view.run.plan is not None:
        parts.append(counted(view.run.plan.num_clusters, "cluster"))
    parts += [counted(config.num_channels, "sub-channel"), f"seed {config.seed}"]
    return " · ".join(parts)


def state_in_words(view: RunView) -> list[str]:
    """How far the run has come, what stopped it, and which of its files are missing."""
    run = view.run
    done = counted(len(run.records), view.step_name)
    most = f" of at most {run.config.max_rounds:,}"
    if run.state in ("running", "unfinished", "failed"):
        reason = f" ({run.failure})" if run.failure else ""
        sentences = [f"This run is not finished: {STATES[run.state]}{reason}."]
        sentences.append(f"What follows is what is there so far: {done}{most}.")
    else:
        sentences = [_ENDED[run.state].format(done=done)]
    target = run.config.target_accuracy
    if run.records and target is not None and run.at_target is None:
        sentences.append(f"The target, {in_percent(target)} test accuracy, has not been reached.")
    paragraphs = [" ".join(sentences)]
    if run.missing and (run.records or run.missing != ("rounds.jsonl",)):
        names = " and ".join(run.missing)
        paragraphs.append(f"Missing in the run's folder, and therefore on this page: {names}.")
    return paragraphs


def outcome_tiles(view: RunView) -> Tiles:
    """The numbers that are asked for first."""
    run, summary = view.run, view.summary
    tiles = [*_target_tiles(view), _accuracy_tile(view)]
    if summary is not None:
        per_step = f"clients a {view.step_name}; {counted(summary.num_served, 'update')} in all"
        tiles += [
            Tile(number(summary.clients_per_step), per_step),
            Tile(share(summary.utilisation), "of the sub-channels' time in use"),
            Tile(f"{summary.fairness.jain:.3f}", "Jain's index of fairness, 1 at best"),
        ]
    elif run.records:
        mean_s = run.clock_s / len(run.records)
        tiles.append(Tile(in_words(mean_s), f"a {view.step_name} on average"))
    return Tiles(tiles)


def _target_tiles(view: RunView) -> list[Tile]:
    run, steps = view.run, f"{view.step_name}s"
    target = run.config.target_accuracy
    if target is None or run.at_target is None:
        so_far = "done" if target is None else f"done; {in_percent(target)} not reached"
        return [
            Tile(f"{len(run.records):,}", f"{steps} {so_far}"),
            Tile(in_words(run.clock_s), f"on {view.clock_name}"),
        ]
    return [
        Tile(f"{run.at_target.round:,}", f"{steps} to {in_percent(target)} test accuracy"),
        Tile(in_words(run.at_target.clock_s), f"on {view.clock_name} until then"),
    ]


def _accuracy_tile(view: RunView) -> Tile:
    """The best accuracy measured; else the bound that holds for all of the run's models."""
    run = view.run
    if run.best_accuracy is not None:
        return Tile(f"{run.best_accuracy:.2%}", "best test accuracy measured")
    bounds = [r.accuracy_at_most for r in run.records if r.accuracy_at_most is not None]
    if bounds:
        return Tile(f"≤ {max(bounds):.2%}", "test accuracy; it was never measured in full")
    return Tile("–", "test accuracy; it was not measured")
