"""How a client steps through its samples, and how models are judged."""

import re
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pipefl.errors import ArgumentError
from pipefl.train.work import Job
from pipefl.train.workplace import Diligence
from workplaces import LINEAR, LSTM, MLP, SIZES, workplace


@given(
    client=st.integers(0, len(SIZES) - 1),
    batch_size=st.integers(1, 40),
    epochs=st.integers(1, 3),
    key=st.tuples(st.integers(0, 9), st.integers(0, 9)),
)
def test_every_epoch_goes_through_all_of_a_clients_samples_once(
    client: int, batch_size: int, epochs: int, key: tuple[int, int]
) -> None:
    place = workplace(diligence=Diligence(0.1, batch_size, epochs))
    job = Job(client, 0, key, (1.0,))
    batches = list(place.batches(job))
    assert len(batches) == place.num_steps(client)
    size = SIZES[client]
    mine = np.arange(size) + sum(SIZES[:client])
    assert place.samples_of(client).tolist() == mine.tolist()
    seen = np.concatenate(batches).reshape(epochs, size)
    assert (np.sort(seen, axis=1) == mine).all()
    short = size % batch_size or batch_size
    for number, batch in enumerate(batches, start=1):
        last = number % (len(batches) // epochs) == 0
        assert batch.size == (short if last else batch_size)


def test_the_order_depends_on_seed_and_key_alone() -> None:
    def order(seed: int, key: tuple[int, ...]) -> list[int]:
        place = workplace(diligence=Diligence(0.1, 64, seed=seed))
        (batch,) = place.batches(Job(8, 0, key, (1.0,)))
        return [int(sample) for sample in batch]

    assert order(0, (1, 8)) == order(0, (1, 8))
    others = [order(0, (2, 8)), order(1, (1, 8)), order(0, (1, 8, 0))]
    assert order(0, (1, 8)) not in others


def test_images_are_judged_as_scores_say() -> None:
    place = workplace(MLP)
    weights = place.model.initial(0)
    chunk = np.array([5, 1, 60, 5])
    judgement = place.judged(weights, chunk)
    scores = place.model.scores(weights, place.model.prepare(place.test.inputs[chunk]))
    right = scores.argmax(1).numpy() == place.test.targets[chunk]
    assert (judgement.num_correct, judgement.num_judged) == (right.sum(), 4)
    assert ((judgement.badness < 0) == right).all()


def test_padding_of_a_text_is_not_judged() -> None:
    place = workplace(LSTM)
    chunk = np.arange(20)
    judgement = place.judged(place.model.initial(0), chunk)
    num_tokens = int((place.test.targets[:20] != 0).sum())
    assert judgement.num_judged == num_tokens < place.test.targets[:20].size
    assert judgement.badness.sum() == num_tokens - judgement.num_correct


def test_inputs_and_targets_are_what_models_take() -> None:
    place = workplace(LINEAR)
    samples = np.array([2, 0])
    assert place.inputs(samples).dtype == torch.float32
    assert torch.equal(
        place.inputs(samples), torch.from_numpy(place.train.inputs[[2, 0]] / 255).float()
    )
    assert place.targets(samples).tolist() == place.train.targets[[2, 0]].tolist()
    assert place.num_samples_of(3) == SIZES[3]


@pytest.mark.parametrize(
    ("name", "value"),
    [("learning_rate", 0.0), ("batch_size", 0), ("local_epochs", 0), ("largest_update", -1.0)],
)
def test_diligence_is_checked(name: str, value: Any) -> None:
    settings: dict[str, Any] = {"learning_rate": 0.1, name: value}
    with pytest.raises(ArgumentError, match=re.escape(f"{name} is {value}; it must be")):
        Diligence(**settings)
