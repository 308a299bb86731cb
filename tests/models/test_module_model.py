from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from model_factories import small_images
from pipefl.errors import PipeflError
from pipefl.models.module_model import module_model
from pipefl.randomness import generator

IMAGES = generator(0, "images").integers(256, size=(9, 28, 28), dtype=np.uint8)
TARGETS = torch.arange(9)


def test_a_step_is_that_of_a_torch_optimiser() -> None:
    model = module_model("model_factories:small_images", (28, 28), 10)
    weights = model.initial(seed=2)
    module = small_images()
    named = model.layout.named(weights)
    module.load_state_dict({name: torch.from_numpy(array) for name, array in named.items()})
    optimiser = torch.optim.SGD(module.parameters(), lr=0.2)
    inputs = model.prepare(IMAGES)
    for _ in range(3):
        loss = model.descend(weights, inputs, TARGETS, 0.2)
        optimiser.zero_grad()
        expected = cross_entropy(module(inputs), TARGETS)
        expected.backward()  # type: ignore[no-untyped-call]  # torch has no types for it
        optimiser.step()
        assert float(loss) == pytest.approx(expected.item(), rel=1e-5)
    for name, array in module.state_dict().items():
        ours = torch.from_numpy(model.layout.named(weights)[name])
        torch.testing.assert_close(ours, array, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(model.scores(weights, inputs), module(inputs).detach())


def test_text_is_a_sequence_of_token_ids() -> None:
    model = module_model("model_factories:Text", (6,), 20)
    tokens = generator(1, "text").integers(1, 20, (4, 6), dtype=np.uint8)
    weights = model.initial(seed=0)
    assert model.scores(weights, model.prepare(tokens)).shape == (4, 6, 20)
    targets = torch.from_numpy(tokens.astype(np.int64))
    losses = [float(model.descend(weights, model.prepare(tokens), targets, 0.5)) for _ in range(5)]
    assert losses[-1] < losses[0]


def test_a_modules_own_initial_weights_depend_on_the_seed_alone() -> None:
    model = module_model("model_factories:small_images", (28, 28), 10)
    torch.manual_seed(1)
    before = torch.get_rng_state()
    first = model.initial(seed=3)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    assert torch.equal(model.initial(seed=3), first)
    assert not torch.equal(model.initial(seed=4), first)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("model_factories", "model is 'model_factories'; it must be the dotted path"),
        ("model_factories:", "package.module:factory"),
        ("no.such.package:Net", r"package.module:factory \(No module named 'no'\)"),
        ("model_factories:Nothing", "has no attribute 'Nothing'"),
        ("model_factories:no_module", "the factory gives a str, not a torch.nn.Module"),
        ("model_factories:in_float64", "weights must be float32"),
        ("model_factories:with_dropout", "other scores for the same inputs when called again"),
        ("model_factories:with_batch_norm", "changes its buffer '2.running_mean'"),
        (
            "model_factories:without_a_channel",
            r"calling the module with inputs of shape \(2, 28, 28\) fails with RuntimeError",
        ),
        (
            "model_factories:of_a_size",
            "calling the factory without arguments fails with TypeError: .*'size'",
        ),
        ("model_factories:not_a_factory", "fails with TypeError: 'int' object is not callable"),
        ("model_factories:of_seven_classes", r"gives \(2, 7\); it must give scores .*\(2, 10\)"),
        ("model_factories:Pair", "the module gives tuple; it must give scores"),
    ],
)
def test_modules_that_cannot_be_trained_are_refused(path: str, message: str) -> None:
    with pytest.raises(PipeflError, match=message):
        module_model(path, (28, 28), 10)


def test_a_mistake_in_the_users_module_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "unfinished_net.py").write_text("net = (\n")
    (tmp_path / "needy_net.py").write_text("import no_such_package\n")
    with pytest.raises(PipeflError, match="unfinished_net:net: importing it fails with SyntaxErr"):
        module_model("unfinished_net:net", (28, 28), 10)
    with pytest.raises(PipeflError, match="No module named 'no_such_package'"):
        module_model("needy_net:net", (28, 28), 10)
