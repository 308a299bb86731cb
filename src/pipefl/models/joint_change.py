"""What clients that were trained together have made of their common model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from pipefl.models.layout import Layout
from pipefl.models.products import fast_products


@dataclass(frozen=True, eq=False)
class JointChange:
    r"""The changes Δ_g of G clients, of which only weighted sums are ever written down.

    Legend: `own` has their changes of the narrow parts, G × P′; `factors` for each client, in the
    order of `wide`, the two factors A and H of its change AᵀH, R × U and R × I; `loss` their
    mean losses on the way.
    """

    layout: Layout
    wide: Mapping[int, Callable[[Tensor], Tensor]]
    narrow: Layout
    own: Tensor
    factors: Sequence[Sequence[tuple[Tensor, Tensor]]]
    loss: list[float]

    def norm_is_at_most(self, client: int, bound: float) -> bool:
        r"""Whether ‖Δ_g‖ ≤ `bound`, which does not hold of changes that are not finite.

        Mostly ‖AᵀH‖ ≤ ‖A‖ ‖H‖ is enough to know.
        """
        upper = torch.linalg.vector_norm(self.own[client])
        for slopes, inputs in self.factors[client]:
            upper = upper + torch.linalg.vector_norm(slopes) * torch.linalg.vector_norm(inputs)
        return bool(upper <= bound) or self.norm(client) <= bound

    def norm(self, client: int) -> float:
        r"""‖Δ_g‖, from ‖AᵀH‖² = ⟨AAᵀ, HHᵀ⟩; NaN or infinite if some number of it is.

        .. math:: \| A^\top H \|^2 = \sum_{ij} (A A^\top)_{ij} (H H^\top)_{ij}
        """
        square = self.own[client].double().square().sum()
        for slopes, inputs in self.factors[client]:
            of_slopes, of_inputs = slopes.double(), inputs.double()
            square += (of_slopes @ of_slopes.mT).mul_(of_inputs @ of_inputs.mT).sum()
        return float(square.clamp(min=0).sqrt())

    @fast_products()
    def sum(self, shares: Mapping[int, float]) -> Tensor:
        """Σ p_g Δ_g over the clients g that have a share p_g, P numbers."""
        total = self.own.new_empty(self.layout.num_parameters)
        members = list(shares)
        share = self.own.new_tensor([shares[g] for g in members])
        views = self.layout.views(total)
        own = iter(self.narrow.views(share @ self.own[members]))
        for place, view in enumerate(views):
            if place not in self.wide:
                view.copy_(next(own))
        for which, (place, matrix) in enumerate(self.wide.items()):
            pairs = [self.factors[g][which] for g in members]
            slopes = torch.cat([a * p for (a, _), p in zip(pairs, share, strict=True)])
            inputs = torch.cat([h for _, h in pairs])
            torch.mm(slopes.mT, inputs, out=matrix(views[place]))
        return total
