"""The paper's recurrent model of text."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import embedding, linear

from pipefl.checks import count
from pipefl.models.differentiated import DifferentiatedModel, token_ids
from pipefl.models.layout import Layout, Part, layer
from pipefl.models.model import Model, Precision


@dataclass(frozen=True, kw_only=True)
class LstmConfig:
    r"""Embedded characters, layers of long short-term memory, scores of the next character.

    .. math:: (i, f, g, o) = W x_t + R h_{t-1} + b, \qquad
        c_t = \sigma(f)\, c_{t-1} + \sigma(i) \tanh g, \qquad h_t = \sigma(o) \tanh c_t

    Paper: sec:simulations, an embedding in 8 dimensions and two layers of 256. As in the
    TensorFlow that it used, a gate has one bias, and those of the forget gates f begin
    higher by `forget_bias`, so that at first little is forgotten.

    >>> LstmConfig().build().num_parameters
    820522
    """

    vocabulary: int = 90
    embedding: int = 8
    hidden: int = 256
    layers: int = 2
    forget_bias: float = 1.0

    def __post_init__(self) -> None:
        count("vocabulary", self.vocabulary, minimum=2)
        count("embedding", self.embedding)
        count("hidden", self.hidden)
        count("layers", self.layers)

    @property
    def layout(self) -> Layout:
        """The embedding, then W, R and b of each layer by torch's names, then the scores' layer."""
        parts = [Part("embedding.weight", (self.vocabulary, self.embedding), 1.0, normal=True)]
        gates, scale = 4 * self.hidden, self.hidden**-0.5
        for place in range(self.layers):
            width = self.hidden if place else self.embedding
            parts += [
                Part(f"lstm.weight_ih_l{place}", (gates, width), scale),
                Part(f"lstm.weight_hh_l{place}", (gates, self.hidden), scale),
                Part(f"lstm.bias_ih_l{place}", (gates,), scale),
            ]
        return Layout((*parts, *layer("output", (self.vocabulary, self.hidden))))

    def build(self, precision: Precision = "fp32", device: str = "cpu") -> Model:
        """The model."""
        return DifferentiatedModel(
            self.layout,
            _score,
            token_ids,
            self._initial,
            precision,
            device,
            quick=self._quick_score,
        )

    def _initial(self, seed: int) -> Tensor:
        weights = self.layout.initial(seed)
        for bias in self.layout.views(weights)[3:-2:3]:
            bias[self.hidden : 2 * self.hidden] += self.forget_bias
        return weights

    def _quick_score(self, views: tuple[Tensor, ...], tokens: Tensor) -> Tensor:
        x = embedding(tokens, views[0])
        state = x.new_zeros(self.layers, len(tokens), self.hidden)
        second_bias = x.new_zeros(4 * self.hidden)  # torch.lstm adds two
        flat = [
            tensor
            for first in range(1, len(views) - 2, 3)
            for tensor in (*views[first : first + 3], second_bias)
        ]
        hidden, _, _ = torch.lstm(
            x, (state, state), flat, True, self.layers, 0.0, x.requires_grad, False, True
        )
        return linear(hidden, views[-2], views[-1])


def _score(views: tuple[Tensor, ...], tokens: Tensor) -> Tensor:
    x = embedding(tokens, views[0])
    for first in range(1, len(views) - 2, 3):
        x = _layer(x, *views[first : first + 3])
    return linear(x, views[-2], views[-1])


def _layer(x: Tensor, inputs: Tensor, recurrent: Tensor, bias: Tensor) -> Tensor:
    """All h_t of one layer, token after token."""
    hidden = cell = x.new_zeros(len(x), recurrent.shape[1])
    seen = []
    for gates in linear(x, inputs, bias).unbind(1):
        i, f, g, o = (gates + linear(hidden, recurrent)).chunk(4, 1)
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        hidden = o.sigmoid() * cell.tanh()
        seen.append(hidden)
    return torch.stack(seen, 1)
