"""The section of a sweep's page that shows how the models got on."""

from collections.abc import Iterator, Sequence
from functools import partial

from pipefl.report.curve_chart import Along
from pipefl.report.parts import Figure, Part, Section
from pipefl.report.seeds_chart import Measure, SeedCurves, seeds_chart
from pipefl.report.sweep_view import CellView, SweepView
from pipefl.report.theme import series_colours

_ALONG: tuple[tuple[Along, str], ...] = (("round", "rounds"), ("clock", "seconds"))
_ENOUGH = 0.25  # of the judged rounds measured in full make a curve of the accuracy


def curves_section(view: SweepView) -> Section | None:
    """Accuracy, where it was measured, and loss: each against rounds and against seconds."""
    groups = list(_groups(view.cells))
    if not groups:
        return None
    measures: tuple[Measure, ...] = ("loss",)
    parts: list[Part] = []
    if _has_accuracies(view):
        measures = ("accuracy", "loss")
    else:
        parts.append(
            "Evaluations stopped as soon as the target was out of reach (evaluation = target), so "
            "that on the way to it no accuracies are known; the training loss is."
        )
    parts.append(
        "Lines are the middle of the seeds, bands reach from the least to the most of them. A "
        "seed that is done keeps its last value. Losses are moving averages."
    )
    for title, cells in groups:
        parts += _figures(view, title, cells, measures)
    return Section("Accuracy and loss", parts)


def _figures(
    view: SweepView, title: str, cells: Sequence[CellView], measures: Sequence[Measure]
) -> Iterator[Figure]:
    slug = title.lower().replace(" ", "-").replace("=", "")
    for measure in measures:
        curves = SeedCurves(cells, measure, view.config.base.target_accuracy, title)
        for along, name in _ALONG:
            yield Figure(
                f"{measure}-{name}-{slug}",
                f"{measure.capitalize()} against {name}, {title}: "
                f"{', '.join(cell.name for cell in cells)}.",
                partial(seeds_chart, curves, along),
                wide=False,
            )


def _groups(cells: Sequence[CellView]) -> Iterator[tuple[str, list[CellView]]]:
    """The cells that have begun, those on as many sub-channels together, as colours allow."""
    begun = [cell for cell in cells if cell.runs]
    most = len(series_colours("light"))
    for channels in sorted({cell.config.num_channels for cell in begun}):
        of = [cell for cell in begun if cell.config.num_channels == channels]
        for first in range(0, len(of), most):
            part = f" part {first // most + 1}" if len(of) > most else ""
            yield f"N = {channels}{part}", of[first : first + most]


def _has_accuracies(view: SweepView) -> bool:
    records = [
        record for cell in view.cells for run in cell.runs.values() for record in run.records
    ]
    measured = sum(record.accuracy is not None for record in records)
    bounded = sum(record.accuracy_at_most is not None for record in records)
    return measured > _ENOUGH * (measured + bounded)
