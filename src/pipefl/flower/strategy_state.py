"""What a strategy has learned: the arrays and numbers that a resumed run must have again."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flwr.app import ArrayRecord
from flwr.serverapp.strategy import Strategy
from numpy.typing import NDArray

from pipefl.errors import PipeflError
from pipefl.flower.replies import arrays_of, record_of

_Number = bool | int | float


@dataclass(frozen=True, eq=False)
class StrategyState:
    """Arrays by `attribute/name`, how each attribute holds them, and numbers by attribute.

    A strategy within another is reached by `strategy.`, as in `strategy.m_t/weight`.
    """

    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, _Number] = field(default_factory=dict)


def state_of(strategy: Strategy) -> StrategyState:
    """Every array and number among a strategy's attributes.

    Strategies have no state by which they could be saved: FedAdam's moments, FedAvgM's
    momentum and the clipping norm of adaptive differential privacy are attributes like any
    other. Arrays may be an `ArrayRecord`, or a dict or a list of numpy arrays.
    """
    state = StrategyState()
    for prefix, owner in _nested(strategy):
        for name, value in vars(owner).items():
            _note(state, prefix + name, value)
    return state


def learned(state: StrategyState, at_first: StrategyState) -> StrategyState:
    """The arrays, and of the numbers those that were others at first: not the settings."""
    changed = {
        name: value for name, value in state.numbers.items() if value != at_first.numbers.get(name)
    }
    return StrategyState(state.arrays, state.kinds, changed)


def restore(strategy: Strategy, state: StrategyState) -> None:
    """Give a strategy the attributes of a state; all others stay."""
    owners = dict(_nested(strategy))
    for path, kind in state.kinds.items():
        mine = {
            name.removeprefix(path + "/"): array
            for name, array in state.arrays.items()
            if name.startswith(path + "/")
        }
        _set(owners, path, _as(kind, mine))
    for path, value in state.numbers.items():
        _set(owners, path, value)


def refuse_unsavable(strategy: Strategy) -> None:
    """Complain of what could not go on after a resumption as if nothing had happened."""
    for _, owner in _nested(strategy):
        if getattr(owner, "accountant", None) is not None:
            raise PipeflError(
                f"{type(owner).__name__} keeps an account of the privacy spent, which a run "
                "directory cannot hold: begin a new run, or leave the accountant out"
            )


def attribute(strategy: Strategy, name: str) -> Any:
    """The attribute of a strategy, or of the one within it, that has it first; else None."""
    for _, owner in _nested(strategy):
        if (value := getattr(owner, name, None)) is not None:
            return value
    return None


def _nested(strategy: Strategy) -> list[tuple[str, Strategy]]:
    within = getattr(strategy, "strategy", None)
    if not isinstance(within, Strategy):
        return [("", strategy)]
    return [("", strategy), *((f"strategy.{prefix}", each) for prefix, each in _nested(within))]


def _note(state: StrategyState, path: str, value: object) -> None:
    if isinstance(value, _Number):
        state.numbers[path] = value
        return
    arrays = _arrays(value)
    if arrays is not None:
        kind, by_name = arrays
        state.kinds[path] = kind
        state.arrays.update({f"{path}/{name}": array for name, array in by_name.items()})


def _arrays(value: object) -> tuple[str, Mapping[str, NDArray[Any]]] | None:
    if isinstance(value, ArrayRecord):
        return "record", arrays_of(value)
    if isinstance(value, dict) and value and all(_is_array(each) for each in value.values()):
        return "dict", {name: np.asarray(each) for name, each in value.items()}
    if isinstance(value, list) and value and all(_is_array(each) for each in value):
        return "list", {str(place): np.asarray(each) for place, each in enumerate(value)}
    return None


def _as(kind: str, arrays: dict[str, NDArray[Any]]) -> object:
    if kind == "record":
        return record_of(arrays)
    if kind == "list":
        return [arrays[str(place)] for place in range(len(arrays))]
    return arrays


def _set(owners: Mapping[str, Strategy], path: str, value: object) -> None:
    prefix, dot, name = path.rpartition(".")
    owner = owners.get(prefix + dot)
    if owner is None:
        raise PipeflError(f"the checkpoint has {path!r} of a strategy that is not there")
    setattr(owner, name, value)


def _is_array(value: object) -> bool:
    """What numpy makes of arrays: with no dimension left, a number of its own kind."""
    return isinstance(value, np.ndarray | np.generic)
