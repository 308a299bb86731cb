"""Whether a reply may enter the model, and what a carried one means by now."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isfinite, sqrt
from typing import Any

import numpy as np
from flwr.app import Array, ArrayRecord, MetricRecord, RecordDict
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]


def arrays_of(record: ArrayRecord) -> dict[str, NDArray[Any]]:
    """A record's arrays by name."""
    return {name: array.numpy() for name, array in record.items()}


def record_of(arrays: Arrays) -> ArrayRecord:
    """The record of these arrays."""
    return ArrayRecord({name: Array(np.asarray(array)) for name, array in arrays.items()})


def refusal(
    content: RecordDict, sent: Arrays, num_samples: int, weight_key: str, largest_update: float
) -> str | None:
    """Why a reply to a model cannot be used, if it cannot.

    Of floats it must have the arrays that were sent, finite and not further from them than
    allowed; all its metrics must be finite, and its weight no more than the client's samples.
    """
    if len(content.array_records) != 1 or len(content.metric_records) != 1:
        found = f"{len(content.array_records)} and {len(content.metric_records)}"
        return f"its reply must have one ArrayRecord and one MetricRecord, and has {found}"
    metrics = next(iter(content.metric_records.values()))
    return _metrics_refusal(metrics, num_samples, weight_key) or _arrays_refusal(
        next(iter(content.array_records.values())), sent, largest_update
    )


def odd_ones(contents: Sequence[RecordDict]) -> list[str | None]:
    """Whose metrics have other names than most: a strategy averages what all of them have."""
    names = [_metric_names(content) for content in contents]
    if not names:
        return []
    usual = Counter(names).most_common(1)[0][0]
    return [
        None
        if each == usual
        else f"its metrics are {_listed(each)}, and those of most are {_listed(usual)}"
        for each in names
    ]


def non_finite(record: ArrayRecord) -> str | None:
    """The name of the first array that is not finite, if there is one."""
    for name, array in arrays_of(record).items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            return name
    return None


def rebased(reply: ArrayRecord, then: Arrays, now: Arrays) -> ArrayRecord:
    r"""A model trained from an older one, as the same change of the present one.

    .. math:: w_m \leftarrow w[t] + (w_m - w[t - s])

    From: this package's simulated training, in which carried clients deliver changes. What is
    not of floats stays as it is.
    """
    new: dict[str, NDArray[Any]] = {}
    for name, array in arrays_of(reply).items():
        is_float = array.dtype.kind == "f" and name in then
        new[name] = now[name] + (array - then[name]) if is_float else array
        new[name] = new[name].astype(array.dtype)
    return record_of(new)


def _metrics_refusal(metrics: MetricRecord, num_samples: int, weight_key: str) -> str | None:
    for name, value in metrics.items():
        values = value if isinstance(value, list) else [value]
        if not all(isfinite(each) for each in values):
            return f"its metric {name} is not finite"
    weight = metrics.get(weight_key)
    if weight is None:
        return None
    if isinstance(weight, list) or not 0 < weight <= num_samples:
        return f"its {weight_key} is {weight}; it has {num_samples} samples"
    return None


def _arrays_refusal(record: ArrayRecord, sent: Arrays, largest_update: float) -> str | None:
    try:
        arrays = arrays_of(record)
    except (TypeError, ValueError, EOFError, OSError) as error:
        return f"its arrays cannot be read: {' '.join(str(error).split())}"
    square = 0.0
    for name, array in arrays.items():
        if array.dtype.kind != "f":
            continue
        if not np.isfinite(array).all():
            return f"its update is not finite: array {name!r}"
        if name not in sent or array.shape != sent[name].shape:
            return f"its array {name!r} is of shape {array.shape}, which is not what was sent"
        change = array.astype(np.float64) - sent[name].astype(np.float64)
        square += float(np.square(change).sum())
    missing = [n for n, array in sent.items() if array.dtype.kind == "f" and n not in arrays]
    if missing:
        return f"its reply lacks the array {missing[0]!r}"
    norm = sqrt(square)
    if norm > largest_update:
        return f"its update has norm {norm:.3g}, more than {largest_update:g}"
    return None


def _metric_names(content: RecordDict) -> frozenset[str]:
    return frozenset(next(iter(content.metric_records.values())))


def _listed(names: frozenset[str]) -> str:
    return ", ".join(sorted(names)) or "none"
