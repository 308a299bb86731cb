"""Optimisers of the server by name: torch's own, and Yogi, which torch lacks."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from pipefl.checks import between, positive
from pipefl.errors import ArgumentError
from pipefl.settings import Setting, nearest

Make = Callable[[list[Tensor]], torch.optim.Optimizer]

_PAPERS: Mapping[str, tuple[str, dict[str, Setting]]] = {
    "fedavgm": ("sgd", {"momentum": 0.9}),
    "fedadagrad": ("adagrad", {"eps": 1e-3}),
    "fedadam": ("adam", {"beta2": 0.99, "eps": 1e-3}),
    "fedyogi": ("yogi", {}),
}


class Yogi(torch.optim.Optimizer):
    r"""Adam whose second moment grows and shrinks by no more than one squared update.

    .. math:: m \leftarrow \beta_1 m + (1 - \beta_1) g, \qquad
        v \leftarrow v - (1 - \beta_2)\, g^2 \operatorname{sign}(v - g^2), \qquad
        w \leftarrow w - \eta \frac{m}{\sqrt{v} + \tau}

    From: Zaheer et al. (2018); as FedYogi in Reddi et al. (2021), with τ = 10⁻³ and, as
    there, v = τ² and m = 0 to begin with.
    """

    def __init__(
        self,
        params: list[Tensor],
        lr: float = 0.01,
        beta1: float = 0.9,
        beta2: float = 0.99,
        eps: float = 1e-3,
    ) -> None:
        between("beta1", beta1, 0.0, 1.0)
        between("beta2", beta2, 0.0, 1.0)
        positive("eps", eps, "no unit")
        super().__init__(params, {"lr": lr, "beta1": beta1, "beta2": beta2, "eps": eps})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]  # no closure is used
        """One step for every tensor with a gradient."""
        for group in self.param_groups:
            for weights in group["params"]:
                state, gradient = self.state[weights], weights.grad
                if not state:
                    state["first"] = torch.zeros_like(weights)
                    state["second"] = torch.full_like(weights, group["eps"] ** 2)
                square = gradient.square()
                state["first"].lerp_(gradient, 1 - group["beta1"])
                towards = (state["second"] - square).sign_().mul_(square)
                state["second"].sub_(towards, alpha=1 - group["beta2"])
                scale = state["second"].sqrt().add_(group["eps"])
                weights.addcdiv_(state["first"], scale, value=-group["lr"])


def server_optimiser(name: str, learning_rate: float, settings: Mapping[str, Setting]) -> Make:
    """A maker of the optimiser of that name: one of `torch.optim`, `yogi`, or a paper's name.

    `settings` are its keyword arguments, with `beta1` and `beta2` for torch's `betas`. By
    the papers' names, `fedavgm` is SGD with a momentum of 0.9, `fedadagrad`, `fedadam` and
    `fedyogi` are the optimisers with their τ of 10⁻³ and, where they have one, a second
    β of 0.99. Adam is torch's, which makes up for the zeros that its means begin with.

    >>> optimiser = server_optimiser("adam", 0.1, {"eps": 1e-3})([torch.zeros(3)])
    >>> type(optimiser).__name__, optimiser.defaults["lr"], optimiser.defaults["eps"]
    ('Adam', 0.1, 0.001)
    """
    positive("server_learning_rate", learning_rate, "no unit")
    known, usual = _kinds(), _PAPERS.get(name.lower())
    own_name, defaults = usual or (name.lower(), {})
    if own_name not in known:
        hint = nearest(name.lower(), [*known, *_PAPERS])
        accepted = f"{hint}it must be one of {', '.join(_PAPERS)}, or an optimiser of torch.optim"
        raise ArgumentError("server_optimiser", name, accepted)
    kind = known[own_name]
    given = {**defaults, **settings}
    _refuse_unknown(kind, given)

    def make(weights: list[Tensor]) -> torch.optim.Optimizer:
        try:
            optimiser: torch.optim.Optimizer = kind(
                weights, lr=learning_rate, **_paired(kind, given)
            )
        except (TypeError, ValueError, RuntimeError) as error:
            raise ArgumentError("server_options", dict(settings), str(error)) from None
        return optimiser

    return make


def _refuse_unknown(kind: Any, given: Mapping[str, Setting]) -> None:
    parameters = inspect.signature(kind).parameters
    allowed = [name for name in parameters if name not in ("params", "lr", "betas")]
    if "betas" in parameters:
        allowed = ["beta1", "beta2", *allowed]
    for setting in given:
        if setting not in allowed:
            hint = nearest(setting, allowed)
            accepted = f"{hint}{kind.__name__} takes {', '.join(allowed)}"
            raise ArgumentError("server_options", setting, accepted)


def _paired(kind: Any, given: Mapping[str, Setting]) -> dict[str, Any]:
    """The keyword arguments, with β₁ and β₂ in one tuple where torch wants them so."""
    betas = inspect.signature(kind).parameters.get("betas")
    if betas is None:
        return dict(given)
    first, second = betas.default
    pair = (given.get("beta1", first), given.get("beta2", second))
    rest = {name: value for name, value in given.items() if name not in ("beta1", "beta2")}
    return {"betas": pair, **rest}


def _kinds() -> dict[str, Any]:
    """Optimisers by their names in lower case; those that call back are of no use here."""
    kinds: dict[str, Any] = {"yogi": Yogi}
    for name, kind in vars(torch.optim).items():
        if isinstance(kind, type) and issubclass(kind, torch.optim.Optimizer):
            kinds[name.lower()] = kind
    for unfit in ("optimizer", "lbfgs", "sparseadam", "muon"):
        kinds.pop(unfit, None)
    return kinds
