"""Local work of several clients that begin with the same model, without a copy of it for each."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pipefl.models.factors import Dense, Factored, worthwhile_rows
from pipefl.models.joint_change import JointChange
from pipefl.models.layout import Layout
from pipefl.models.loss import losses_and_slopes
from pipefl.models.network import Network
from pipefl.models.products import fast_products

Matrix = Callable[[Tensor], Tensor]
"""From a part's view (`Layout.views`) to the U × I matrix of a dense layer.

It must be a view too, since sums are written through it.
"""

COMPANY = 8
"""Clients together. Of more, the samples and what is kept of them leave the cache."""

Factors = list[tuple[Tensor, Tensor]]
"""A client's A and H for each wide part."""


@dataclass(frozen=True, eq=False)
class Lessons:
    """What G clients go through in up to S steps of at most B samples.

    `inputs` and `targets` have S × G × B samples, of which the first `counts[s, g]` count in
    step s of client g. Clients are in falling order of steps; after their last one they have
    counts of 0.
    """

    inputs: Tensor
    targets: Tensor
    counts: NDArray[np.int64]
    learning_rate: float

    @property
    def num_clients(self) -> int:
        """G."""
        return int(self.counts.shape[1])

    def steps(self) -> Iterator[tuple[Tensor, Tensor, NDArray[np.int64]]]:
        """Step after step, what is for the clients in it."""
        return zip(self.inputs, self.targets, self.counts, strict=True)


@dataclass(frozen=True, eq=False)
class JointTraining:
    """Minibatch descent of clients of one version, whose wide layers are kept as `Factored`.

    Legend: `wide` parts of the layout by their places; `company` clients together make good
    use of the processor, and if there are more than one of them, the network takes several
    at once, side by side.
    """

    layout: Layout
    network: Network[Any]
    wide: Mapping[int, Matrix]
    company: int = 1

    @cached_property
    def most_rows(self) -> int:
        """With more samples than that, each counted as often as it is used, copies are faster."""
        views = self.layout.views(torch.empty(self.layout.num_parameters, device="meta"))
        shapes = [matrix(views[place]).shape for place, matrix in self.wide.items()]
        return worthwhile_rows((units, width) for units, width in shapes)

    @cached_property
    def narrow(self) -> Layout:
        """The parts of which each client has a copy."""
        parts = enumerate(self.layout.parts)
        return Layout(tuple(part for place, part in parts if place not in self.wide))

    @fast_products()
    def train(self, start: Tensor, lessons: Lessons) -> JointChange:
        """What G clients make of P weights."""
        own = self._narrow(start).repeat(lessons.num_clients, 1)
        way = self._side_by_side if self.company > 1 else self._one_by_one
        loss, factors = way(start, own, lessons)
        own.sub_(self._narrow(start))
        return JointChange(self.layout, self.wide, self.narrow, own, factors, loss.tolist())

    def _side_by_side(
        self, start: Tensor, own: Tensor, lessons: Lessons
    ) -> tuple[Tensor, list[Factors]]:
        """All clients that are still at it in every product of matrices."""
        num_steps, num_clients, batch = lessons.targets.shape
        wide = self._factored(start, num_steps * batch, num_clients)
        loss = torch.zeros(num_clients, dtype=torch.float64)
        places = torch.arange(batch)
        for inputs, targets, counts in lessons.steps():
            at_it = int(np.count_nonzero(counts))
            views = self._views(own[:at_it], wide)
            scores, kept = self.network.forward(views, inputs[:at_it])
            losses, slopes = losses_and_slopes(scores, targets[:at_it])
            sizes = torch.from_numpy(counts[:at_it]).unsqueeze(1)
            is_counted = places < sizes
            share = is_counted.to(slopes.dtype).div_(sizes)
            slopes.mul_(share.mul_(-lessons.learning_rate).unsqueeze(-1))
            self.network.backward(views, kept, slopes, views)
            loss[:at_it] += losses.mul_(is_counted).sum(1)
        rows = (np.count_nonzero(lessons.counts, axis=0) * batch).tolist()
        factors = [
            [each.of_client(g, num_rows) for each in wide.values()]
            for g, num_rows in enumerate(rows)
        ]
        return loss / torch.from_numpy(lessons.counts.sum(0)), factors

    def _one_by_one(
        self, start: Tensor, own: Tensor, lessons: Lessons
    ) -> tuple[Tensor, list[Factors]]:
        """One client after the other, with batches of no more than what counts."""
        loss = torch.zeros(lessons.num_clients, dtype=torch.float64)
        factors = []
        for g, num_samples in enumerate(lessons.counts.sum(0).tolist()):
            wide = self._factored(start, num_samples)
            views = self._views(own[g], wide)
            for inputs, targets, counts in lessons.steps():
                size = int(counts[g])
                if size:
                    scores, kept = self.network.forward(views, inputs[g, :size])
                    losses, slopes = losses_and_slopes(scores, targets[g, :size])
                    slopes.mul_(-lessons.learning_rate / size)
                    self.network.backward(views, kept, slopes, views)
                    loss[g] += losses.sum() / num_samples
            factors.append([(each.slopes, each.inputs) for each in wide.values()])
        return loss, factors

    def _factored(
        self, start: Tensor, most_rows: int, num_clients: int | None = None
    ) -> dict[int, Factored]:
        views = self.layout.views(start)
        return {
            place: Factored(matrix(views[place]), most_rows, num_clients)
            for place, matrix in self.wide.items()
        }

    def _narrow(self, start: Tensor) -> Tensor:
        """The narrow parts of a vector, one after the other."""
        pieces = enumerate(start.split_with_sizes(self.layout.sizes))
        return torch.cat([piece for place, piece in pieces if place not in self.wide])

    def _views(self, own: Tensor, wide: Mapping[int, Factored]) -> tuple[Dense, ...]:
        narrow = iter(self.narrow.views(own))
        return tuple(
            wide[place] if place in wide else next(narrow)
            for place in range(len(self.layout.parts))
        )
