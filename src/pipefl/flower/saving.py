"""A federation's state between two rounds as a checkpoint, and back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipefl.errors import PipeflError
from pipefl.flower.replies import Arrays
from pipefl.flower.strategy_state import StrategyState
from pipefl.runs.checkpoints import Checkpoint

_MODEL, _SENT, _STRATEGY = "model/", "sent/", "strategy/"


@dataclass(frozen=True, eq=False)
class Saved:
    """All that the rounds after `num_rounds` depend on, beside the settings.

    `sent` are the models of earlier rounds that a client still has an update of. `notes` are
    the federation's: clients, their times, updates that they keep.
    """

    num_rounds: int
    clock_s: float
    model: Arrays
    sent: Mapping[int, Arrays]
    strategy: StrategyState
    notes: Mapping[str, Any]


def checkpoint_of(saved: Saved) -> Checkpoint:
    """Everything by name.

    The order of the names is noted, since strategies take arrays by their places, and which
    arrays are single numbers, since files hold none.
    """
    arrays: dict[str, NDArray[Any]] = {}
    arrays |= {_MODEL + name: np.asarray(array) for name, array in saved.model.items()}
    for version, model in saved.sent.items():
        arrays |= {f"{_SENT}{version}/{name}": np.asarray(a) for name, a in model.items()}
    arrays |= {_STRATEGY + name: array for name, array in saved.strategy.arrays.items()}
    notes = {
        "clock_s": saved.clock_s,
        "federation": dict(saved.notes),
        "kinds": saved.strategy.kinds,
        "numbers": saved.strategy.numbers,
        "order": list(arrays),
        "single": [name for name, array in arrays.items() if array.ndim == 0],
    }
    return Checkpoint(saved.num_rounds, arrays, notes)


def restored(checkpoint: Checkpoint, names: list[str]) -> Saved:
    """What `checkpoint_of` was given; complains if the model is not one of these arrays."""
    notes = checkpoint.notes
    single = set(notes["single"])
    arrays = {name: checkpoint.arrays[name] for name in notes["order"]}
    arrays = {name: a.reshape(()) if name in single else a for name, a in arrays.items()}
    model = _part(arrays, _MODEL)
    if set(model) != set(names):
        different = ", ".join(sorted(set(model) ^ set(names)))
        raise PipeflError(f"the run's model is not this app's: missing or unknown are {different}")
    sent: dict[int, dict[str, NDArray[Any]]] = {}
    for name, array in _part(arrays, _SENT).items():
        version, _, rest = name.partition("/")
        sent.setdefault(int(version), {})[rest] = array
    strategy = StrategyState(_part(arrays, _STRATEGY), notes["kinds"], notes["numbers"])
    return Saved(
        num_rounds=checkpoint.num_steps,
        clock_s=notes["clock_s"],
        model={name: model[name] for name in names},
        sent=sent,
        strategy=strategy,
        notes=notes["federation"],
    )


def _part(arrays: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
