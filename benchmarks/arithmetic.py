"""How much arithmetic a model's training is, and how fast numpy's products of matrices are."""

from collections.abc import Mapping
from math import prod

import numpy as np

from measuring import Row, medians_s
from pipefl.models.cnn import CnnConfig
from pipefl.models.lstm import LstmConfig
from pipefl.models.mlp import MlpConfig

SIZE, LENGTH = 2048, 80  # of a matrix; of a sequence


def share_rows(rates: Mapping[str, float], repeats: int) -> list[Row]:
    """The arithmetic done in a second beside that of a product of large matrices in numpy.

    `rates` are samples a second by model. What counts is what the layers' formulas ask for,
    however it was worked out; the convolutions take fewer operations than that.
    """
    numpy_rate = numpy_operations_per_s(repeats)
    rows = []
    for name, rate in rates.items():
        done = rate * operations_of_a_sample(name.split(",")[0])
        beside = f"{numpy_rate / 1e9:,.0f} GFLOP/s numpy"
        share = f"{done / numpy_rate:.0%}"
        rows.append(Row(f"{name}, arithmetic", f"{done / 1e9:,.0f} GFLOP/s", beside, share))
    return rows


def numpy_operations_per_s(repeats: int) -> float:
    """Additions and multiplications a second of a product of float32 matrices, on all cores."""
    left, right = np.random.default_rng(0).random((2, SIZE, SIZE), dtype=np.float32)
    out = np.empty_like(left)
    taken = medians_s({"numpy": lambda: np.matmul(left, right, out=out)}, repeats)
    return 2 * SIZE**3 / taken["numpy"]


def operations_of_a_sample(model: str) -> int:
    """Those of a step: forward, the weights' slopes, and the slopes of all inputs but the first.

    A weight takes one multiplication and one addition each time, and is used for every pixel
    of a convolution's result and for every character of a sequence.
    """
    uses = _uses_of_weights(model)
    first = next(iter(uses))
    return sum(2 * number * (2 if name == first else 3) for name, number in uses.items())


def _uses_of_weights(model: str) -> dict[str, int]:
    match model:
        case "CNN":
            cnn = CnnConfig()
            sides = {"conv1": cnn.image_size, "conv2": cnn.sides[0]}
            layout, times = cnn.layout, {name: side**2 for name, side in sides.items()}
        case "MLP":
            layout, times = MlpConfig().layout, {}
        case _:
            layout = LstmConfig().layout
            times = {"lstm": LENGTH, "output": LENGTH, "embedding": 0}
    return {
        part.name: times.get(part.name.split(".")[0], 1) * prod(part.shape)
        for part in layout.parts
        if "weight" in part.name and times.get(part.name.split(".")[0], 1)
    }
