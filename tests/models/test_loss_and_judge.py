import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pipefl.models.loss import batch_loss, judge, sample_losses
from pipefl.randomness import generator


@pytest.mark.paper("eq. (2)")
@given(st.integers(1, 9), st.integers(2, 6), st.integers(0, 1000))
def test_losses_of_images_are_minus_the_log_of_the_softmax(
    num_samples: int, num_classes: int, seed: int
) -> None:
    rng = generator(seed, "scores")
    scores = rng.normal(0, 3, (num_samples, num_classes))
    targets = rng.integers(num_classes, size=num_samples)
    odds = np.exp(scores)
    by_hand = -np.log(odds[np.arange(num_samples), targets] / odds.sum(1))
    losses = sample_losses(torch.from_numpy(scores), torch.from_numpy(targets))
    assert np.allclose(losses.numpy(), by_hand)
    mean = batch_loss(torch.from_numpy(scores), torch.from_numpy(targets))
    assert float(mean) == pytest.approx(by_hand.mean())


def test_padding_of_text_counts_for_nothing() -> None:
    scores = torch.from_numpy(generator(0, "scores").normal(0, 1, (2, 3, 4)))
    targets = torch.tensor([[1, 3, 0], [2, 0, 0]])
    each = -scores.log_softmax(-1)
    first, second, third = float(each[0, 0, 1]), float(each[0, 1, 3]), float(each[1, 0, 2])
    assert float(batch_loss(scores, targets)) == pytest.approx((first + second + third) / 3)
    losses = sample_losses(scores, targets).tolist()
    assert losses == pytest.approx([(first + second) / 2, third])
    assert judge(scores, targets)[1] == 3


def test_nothing_but_padding_has_loss_0_and_no_gradient() -> None:
    scores = torch.zeros(1, 2, 4, requires_grad=True)
    targets = torch.zeros(1, 2, dtype=torch.int64)
    loss = batch_loss(scores, targets)
    (gradient,) = torch.autograd.grad(loss, scores)
    assert loss == 0
    assert not gradient.any()
    assert sample_losses(scores, targets).tolist() == [0.0]
    assert judge(scores.detach(), targets)[:2] == (0, 0)


@given(st.integers(1, 9), st.integers(2, 6), st.integers(0, 1000))
def test_correct_is_who_has_the_one_largest_score(
    num_samples: int, num_classes: int, seed: int
) -> None:
    rng = generator(seed, "scores")
    # Few different values, so that there are ties.
    scores = rng.integers(4, size=(num_samples, num_classes)).astype(np.float32)
    targets = rng.integers(num_classes, size=num_samples)
    num_correct, num_judged, badness = judge(torch.from_numpy(scores), torch.from_numpy(targets))
    right = [
        all(row[target] > score for c, score in enumerate(row) if c != target)
        for row, target in zip(scores, targets, strict=True)
    ]
    assert (num_correct, num_judged) == (sum(right), num_samples)
    assert (badness < 0).tolist() == right


def test_scores_that_are_not_numbers_are_infinitely_bad() -> None:
    scores = torch.tensor([[math.nan, 1.0], [0.0, math.nan], [math.inf, 0.0], [0.0, -math.inf]])
    num_correct, num_judged, badness = judge(scores, torch.tensor([0, 0, 0, 1]))
    assert (num_correct, num_judged) == (1, 4)
    assert badness.tolist() == [math.inf, math.inf, -math.inf, math.inf]


def test_a_sequences_badness_is_the_number_of_its_wrong_tokens() -> None:
    # The largest score is that of token 1, always.
    scores = torch.tensor([0.0, 2.0, 1.0]).expand(2, 4, 3)
    targets = torch.tensor([[1, 2, 2, 1], [1, 2, 0, 0]])
    num_correct, num_judged, badness = judge(scores, targets)
    assert (num_correct, num_judged) == (3, 6)
    assert badness.tolist() == [2.0, 1.0]
