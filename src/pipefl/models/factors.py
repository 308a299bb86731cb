r"""Dense layers, and their changes as thin factors where several clients share the weights.

A step of gradient descent over B samples changes a layer's weights W (U × I) by AᵀH, where H are
the B inputs and A the slopes of the layer's sums, times −η/B. So after a few steps the weights of
client g are

.. math:: W_g = W + A_g^\top H_g, \qquad
    x W_g^\top = x W^\top + (x H_g^\top) A_g, \qquad
    a W_g = a W + (a A_g^\top) H_g

with a row of A_g and H_g for each sample so far. W is read, by all clients in one product, and
never written; nothing of its size is made for a client. What a server needs, the sum of all
changes, is one product in the end:

.. math:: \sum_g p_g (W_g - W) = \begin{pmatrix} p_1 A_1 \\ p_2 A_2 \\ \vdots \end{pmatrix}^\top
    \begin{pmatrix} H_1 \\ H_2 \\ \vdots \end{pmatrix}

It is what takes a client's local work from the pace of memory to that of arithmetic, as long as
it is shorter than a layer is wide: see `worthwhile_rows`.
"""

from collections.abc import Iterable

import torch
from torch import Tensor

from pipefl.models.products import add_product


class Factored:
    """Weights that one client or G of them have begun with, and what each has made of them.

    Legend: `start` W, U × I; `slopes` A and `inputs` H, R × U and R × I, of which `num_rows`
    rows are known. With `num_clients` there is another axis for clients in front of A, H and
    of what methods take and give. These may be given less than G clients: the first ones,
    who are still at it when the others are done.
    """

    def __init__(self, start: Tensor, most_rows: int, num_clients: int | None = None) -> None:
        units, width = start.shape
        leading = () if num_clients is None else (num_clients,)
        self.start = start
        self.slopes = start.new_empty(*leading, most_rows, units)
        self.inputs = start.new_empty(*leading, most_rows, width)
        self.num_rows = 0

    def sums(self, inputs: Tensor) -> Tensor:
        """X Wᵀ: … × B × U from … × B × I."""
        return self._product(inputs, self.start.mT, self.inputs, self.slopes)

    def below(self, slopes: Tensor) -> Tensor:
        """A W: … × B × I from … × B × U."""
        return self._product(slopes, self.start, self.slopes, self.inputs)

    def learn(self, slopes: Tensor, inputs: Tensor) -> None:
        """Add aᵀx to the weights: B rows more of A and H."""
        batch = inputs.shape[-2]
        self.num_rows += batch
        for factor, rows in ((self.slopes, slopes), (self.inputs, inputs)):
            self._known(factor, rows)[..., -batch:, :] = rows

    def of_client(self, client: int, num_rows: int) -> tuple[Tensor, Tensor]:
        """The first rows of one client's A and H."""
        return self.slopes[client, :num_rows], self.inputs[client, :num_rows]

    def _product(self, left: Tensor, start: Tensor, near: Tensor, far: Tensor) -> Tensor:
        rows = left.flatten(0, -2)
        if start.stride(0) == 1:  # products of weights that come in dense rows are faster
            shared = start.mT.mm(rows.mT).mT.contiguous().view(*left.shape[:-1], -1)
        else:
            shared = rows.mm(start).view(*left.shape[:-1], -1)
        if not self.num_rows:
            return shared
        return add_product(shared, left @ self._known(near, left).mT, self._known(far, left))

    def _known(self, factor: Tensor, like: Tensor) -> Tensor:
        """The rows of a factor that are known, of as many clients as `like` has."""
        return factor[..., : self.num_rows, :][: len(like) if like.dim() == 3 else None]


Dense = Tensor | Factored
"""One client's weights, U × I; those of G clients, G × U × I; or either of them, factored."""


def sums(weight: Dense, bias: Tensor, inputs: Tensor) -> Tensor:
    """A layer's sums x Wᵀ + b: B × U, or G × B × U with another axis in front of everything.

    >>> sums(torch.eye(2), torch.tensor([1.0, 0.0]), torch.tensor([[3.0, 4.0]]))
    tensor([[4., 4.]])
    """
    if isinstance(weight, Factored):
        return weight.sums(inputs).add_(bias.unsqueeze(-2))
    if inputs.dim() == 2:
        return torch.addmm(bias, inputs, weight.mT)
    return torch.baddbmm(bias.unsqueeze(-2), inputs, weight.mT)


def below(weight: Dense, slopes: Tensor) -> Tensor:
    """The slopes a W of a layer's inputs, from those of its sums."""
    return weight.below(slopes) if isinstance(weight, Factored) else slopes @ weight


def learn(weight: Dense, slopes: Tensor, inputs: Tensor) -> None:
    """Add aᵀx to the weights, in place."""
    if isinstance(weight, Factored):
        weight.learn(slopes, inputs)
    elif weight.stride(-1) == 1:
        add_product(weight, slopes.mT, inputs)
    else:  # stored with the inputs first; a product goes into dense rows
        add_product(weight.mT, inputs.mT, slopes)


def worthwhile_rows(shapes: Iterable[tuple[int, int]]) -> int:
    r"""For how many samples of a client factors are worth while: 2 Σ U I / Σ (U + I).

    With R rows in the end, R/2 on the average, the factors' own products take R (U + I)
    multiplications a sample, those with W itself 2 U I.

    >>> worthwhile_rows([(200, 784), (200, 200)])
    284
    """
    each = list(shapes)
    return 2 * sum(units * width for units, width in each) // sum(map(sum, each))
