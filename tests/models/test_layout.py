import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pipefl.errors import PipeflError
from pipefl.models.catalogue import ModelConfig
from pipefl.models.cnn import CnnConfig
from pipefl.models.layout import Layout, Part, layer
from pipefl.models.linear import LinearConfig
from pipefl.models.lstm import LstmConfig
from pipefl.models.mlp import MlpConfig

CONFIGS: list[ModelConfig] = [CnnConfig(), MlpConfig(), LstmConfig(), LinearConfig()]


@st.composite
def parts(draw: st.DrawFn) -> Part:
    axes = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    stored = tuple(draw(st.permutations(range(len(axes)))))
    shape = (axes[0], math.prod(axes[1:])) if draw(st.booleans()) else axes
    return Part("part", shape, 1.0, axes=axes, stored=stored)


@given(parts(), st.integers(1, 3))
def test_a_view_is_the_public_array_whatever_the_order_it_is_stored_in(
    part: Part, num_clients: int
) -> None:
    public = np.arange(part.size, dtype=np.float32).reshape(part.shape)
    axes = part.axes
    stored = public.reshape(axes).transpose(part.stored).ravel()
    flat = torch.from_numpy(stored.copy()).repeat(num_clients, 1)
    views = part.view(flat)
    assert views.shape == (num_clients, *axes)
    for view in views:
        assert np.array_equal(view.reshape(part.shape).numpy(), public)
    assert views.untyped_storage().data_ptr() == flat.untyped_storage().data_ptr()


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: type(config).__name__)
def test_named_arrays_and_the_vector_are_two_forms_of_one_thing(config: ModelConfig) -> None:
    layout = config.layout
    weights = torch.arange(layout.num_parameters, dtype=torch.float32)
    arrays = layout.named(weights)
    assert sum(array.size for array in arrays.values()) == layout.num_parameters
    assert torch.equal(layout.flat(arrays), weights)
    assert torch.equal(layout.flat(dict(reversed(arrays.items()))), weights)
    next(iter(arrays.values()))[:] = -1  # they are copies
    assert weights.min() == 0


def test_named_arrays_that_are_not_the_models_are_refused() -> None:
    layout = LinearConfig().layout
    arrays = layout.named(torch.zeros(layout.num_parameters))
    with pytest.raises(PipeflError, match="arrays are weight, bias; not so: bias"):
        layout.flat({"weight": arrays["weight"]})
    with pytest.raises(PipeflError, match="not so: more"):
        layout.flat(arrays | {"more": arrays["bias"]})
    with pytest.raises(PipeflError, match=r"'weight' is \(784, 10\); it must be \(10, 784\)"):
        layout.flat(arrays | {"weight": arrays["weight"].T})


def test_offsets_of_a_hand_made_layout() -> None:
    layout = Layout((*layer("first", (4, 3)), *layer("second", (2, 4))))
    assert [part.name for part in layout.parts] == [
        "first.weight",
        "first.bias",
        "second.weight",
        "second.bias",
    ]
    assert layout.offsets == (0, 12, 16, 24)
    assert layout.num_parameters == 26


@pytest.mark.parametrize("config", CONFIGS[:2], ids=lambda config: type(config).__name__)
def test_layers_start_uniform_within_one_over_the_root_of_a_units_inputs(
    config: ModelConfig,
) -> None:
    arrays = config.layout.named(config.layout.initial(seed=5))
    for name, array in arrays.items():
        weight = arrays[name.replace("bias", "weight")]
        bound = math.prod(weight.shape[1:]) ** -0.5
        assert np.abs(array).max() <= bound
        if array.size > 100:
            # A uniform variable's deviation is its bound over √3, here of `size` draws.
            assert array.std() == pytest.approx(bound / 3**0.5, rel=5 / array.size**0.5)


def test_the_forget_gates_start_higher_and_no_other_gate_does() -> None:
    plain = LstmConfig(forget_bias=0.0).build().initial(seed=3)
    raised = LstmConfig(forget_bias=1.0).build().initial(seed=3)
    layout = LstmConfig().layout
    for name, difference in layout.named(raised - plain).items():
        if "bias_ih" in name:
            gates = difference.reshape(4, 256)
            assert np.allclose(gates[1], 1.0, atol=1e-6)
            gates[1] = 0.0
        assert not difference.any()


def test_initial_weights_depend_on_the_seed_alone() -> None:
    layout = MlpConfig().layout
    first = layout.initial(seed=1)
    np.random.seed(9)  # noqa: NPY002  # the global state that must not matter
    torch.manual_seed(9)
    assert torch.equal(layout.initial(seed=1), first)
    assert not torch.equal(layout.initial(seed=2), first)
