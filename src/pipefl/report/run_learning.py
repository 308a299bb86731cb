"""How a run's model got on: accuracy and loss, against rounds and against the clock."""

from collections.abc import Callable
from functools import partial
from typing import Any

from pipefl.report.curve_chart import Along, accuracy_curve, loss_curve
from pipefl.report.parts import Figure, Part, Section
from pipefl.report.run_view import RunView
from pipefl.wording import counted

_ALONG: tuple[tuple[Along, str], ...] = (("round", "rounds"), ("clock", "seconds"))


def learning_section(view: RunView) -> Section | None:
    """The curves, and what is known of the accuracy."""
    if not view.run.records:
        return None
    curves = view.curves
    parts: list[Part] = [_how_it_was_judged(view)]
    if curves.measured.height or curves.bounded.height:
        about = "Test accuracy against {}, with the target."
        parts += _figures("accuracy", about, partial(accuracy_curve, curves))
    if any(record.loss is not None for record in view.run.records):
        about = "The clients' mean training loss against {}, and its moving average."
        parts += _figures("loss", about, partial(loss_curve, curves))
    return Section("Accuracy and loss", parts)


def _figures(measure: str, about: str, draw: Callable[..., Any]) -> list[Figure]:
    """One against rounds and one against seconds, side by side."""
    return [
        Figure(f"{measure}-{name}", about.format(name), partial(draw, along), wide=False)
        for along, name in _ALONG
    ]


def _how_it_was_judged(view: RunView) -> str:
    """Which accuracies are known, and what the charts can therefore show."""
    curves, step = view.curves, view.step_name
    num_judged = curves.measured.height + curves.bounded.height
    if not num_judged:
        return f"The accuracy was not judged after any of these {step}s."
    judged = f"The model was judged after {num_judged:,} of {counted(curves.frame.height, step)}"
    if not curves.bounded.height:
        return f"{judged}, on all test samples each time."
    in_full = "never in full" if not curves.measured.height else (
        f"in full {'once' if curves.measured.height == 1 else f'{curves.measured.height:,} times'}"
    )  # fmt: skip
    return (
        f"{judged}, {in_full}. Otherwise its evaluation stopped as soon as the target was out of "
        "reach, as evaluation = target has it: all that is known then is that the accuracy lies "
        "somewhere in the grey. With evaluation = full it is always measured."
    )
