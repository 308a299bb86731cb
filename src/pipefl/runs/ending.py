"""How runs end, and what state they are found in."""

from collections.abc import Mapping
from typing import Literal

Ending = Literal["target", "max_rounds", "nobody_left", "stopped", "failed"]
RunState = Literal["target", "max_rounds", "nobody_left", "failed", "running", "unfinished"]

ENDINGS: Mapping[Ending, str] = {
    "target": "the target accuracy was reached",
    "max_rounds": "max_rounds were done",
    "nobody_left": "no client will ever be available again",
    "stopped": "it was stopped, and can be resumed",
    "failed": "it broke off with an error",
}

STATES: Mapping[RunState, str] = {
    "target": ENDINGS["target"],
    "max_rounds": ENDINGS["max_rounds"],
    "nobody_left": ENDINGS["nobody_left"],
    "failed": "it cannot go on",
    "running": "it is being run now",
    "unfinished": "it is unfinished, and can be resumed",
}

FINISHED: Mapping[str, RunState] = {
    "target": "target",
    "max_rounds": "max_rounds",
    "nobody_left": "nobody_left",
}
"""The endings after which no rounds will come, as states."""
