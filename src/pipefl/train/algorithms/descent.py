"""Steps of minibatch gradient descent on one client's samples."""

from collections.abc import Callable

import torch
from torch import Tensor

from pipefl.train.work import Job
from pipefl.train.workplace import Workplace


def descended(
    place: Workplace, job: Job, start: Tensor, around: Callable[[Tensor], Tensor] | None = None
) -> tuple[Tensor, float]:
    r"""The change Δ of the model after all steps of a job, 1 × P, and the mean loss on its way.

    .. math:: w \leftarrow w - \eta\, \nabla F_\mathcal{B}(w) - c(w), \qquad
        \Delta = w - w[t]

    Legend: η the learning rate, ℬ the samples of a step, c the correction that `around`
    works out from w before each step, none by default.
    """
    weights = start.clone()
    losses, sizes = [], []
    for batch in place.batches(job):
        correction = None if around is None else around(weights)
        inputs, targets = place.inputs(batch), place.targets(batch)
        losses.append(place.model.descend(weights, inputs, targets, place.diligence.learning_rate))
        sizes.append(batch.size)
        if correction is not None:
            weights.sub_(correction)
    size = torch.tensor(sizes, dtype=torch.float64)
    loss = torch.stack(losses).double().dot(size) / size.sum()
    return weights.sub_(start).unsqueeze(0), float(loss)
