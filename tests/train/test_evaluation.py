"""Early exit: the same answer as looking at every sample, from fewer of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor

import token_table
from pipefl.data.federated import Samples
from pipefl.errors import ArgumentError, PipeflError
from pipefl.models.catalogue import build_model
from pipefl.models.linear import LinearConfig
from pipefl.train.algorithms.local_sgd import LocalSgd
from pipefl.train.evaluation import Evaluator, Verdict
from pipefl.train.executors.serial import Serial
from pipefl.train.workplace import Diligence, Workplace

LENGTH = 3  # tokens of a text


@dataclass(frozen=True)
class Exam:
    """Test samples on which a model can be made to have any answer right or wrong."""

    place: Workplace

    def weights(self, margin: NDArray[np.float64]) -> Tensor:
        """The model that misses answer i by −`margin[i]`, for answers in their order."""
        layout = self.place.model.layout
        inputs, targets = self.place.test.inputs, self.place.test.targets
        if inputs.ndim == 2:
            table = np.zeros((token_table.VOCABULARY, token_table.VOCABULARY))
            answered = targets > 0
            table[inputs[answered], targets[answered]] = margin
            return layout.flat({"weight": table})
        weight = np.zeros((2, len(targets)))
        weight[targets, np.arange(len(targets))] = margin
        return layout.flat({"weight": weight, "bias": np.zeros(2)})


def exam(num_samples: int, *, text: bool = False) -> Exam:
    """Images of one white pixel each; or texts of tokens that occur once, some of them short."""
    rng = np.random.default_rng(0)
    inputs: NDArray[Any]
    if text:
        inputs = np.arange(1, num_samples * LENGTH + 1).reshape(num_samples, LENGTH)
        targets = rng.integers(1, token_table.VOCABULARY, inputs.shape)
        for row, length in zip(targets, rng.integers(0, LENGTH + 1, num_samples), strict=True):
            row[length:] = 0
        targets[0] = 1
        model = build_model(
            "token_table:table",
            kind="text",
            num_classes=token_table.VOCABULARY,
            example_shape=(LENGTH,),
        )
    else:
        inputs = (255 * np.eye(num_samples, dtype=np.uint8))[:, np.newaxis]
        targets = rng.integers(2, size=num_samples)
        model = LinearConfig(num_classes=2, num_features=num_samples).build()
    samples = Samples(inputs, targets)
    return Exam(Workplace(model, samples, np.array([0, 1]), samples, Diligence(0.1)))


IMAGES, TEXTS = exam(200), exam(50, text=True)


def verdicts(
    of: Exam, margins: NDArray[np.float64], target: float | None, *, full: bool
) -> Iterator[Verdict]:
    """What is found of one model after the other."""
    executor = Serial(of.place, LocalSgd())
    evaluator = Evaluator(of.place.test.targets, target)
    for version, margin in enumerate(margins):
        executor.publish(version, of.weights(margin).unsqueeze(0))
        judged = evaluator.full if full else evaluator.against_target
        yield judged(executor, version)


@st.composite
def histories(draw: st.DrawFn, num_answers: int) -> NDArray[np.float64]:
    """Models that get better or worse, by the margins of their answers; above 0 is right."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    hardness = rng.normal(0, 1, num_answers)
    skills = draw(st.lists(st.floats(-3, 4), min_size=1, max_size=8))
    spread = draw(st.sampled_from([0.0, 0.1, 1.0]))
    return np.array([skill - hardness + spread * rng.normal(0, 1, num_answers) for skill in skills])


@given(st.data(), st.sampled_from([IMAGES, TEXTS]), st.floats(0, 1) | st.just(0.97))
def test_the_same_models_reach_the_target_and_bounds_hold(
    data: st.DataObject, of: Exam, target: float
) -> None:
    targets = of.place.test.targets
    num_answers = targets.size if targets.ndim == 1 else int((targets > 0).sum())
    margins = data.draw(histories(num_answers))
    everything = list(verdicts(of, margins, target, full=True))
    for margin, full in zip(margins, everything, strict=True):
        assert full.accuracy == (margin > 0).sum() / num_answers
        assert (full.accuracy_at_most, full.num_judged) == (None, len(targets))
    for full, found in zip(everything, verdicts(of, margins, target, full=False), strict=True):
        assert full.accuracy is not None
        if found.accuracy is None:
            assert found.accuracy_at_most is not None
            assert full.accuracy <= found.accuracy_at_most < target
            assert found.num_judged < len(targets)
        else:
            assert found.accuracy == full.accuracy
            assert found.num_judged == len(targets)
        if full.accuracy >= target:
            assert found.accuracy == full.accuracy


def test_a_model_that_is_far_off_is_found_out_at_once() -> None:
    of = exam(1000)
    rng = np.random.default_rng(0)
    right = rng.random(1000) < 0.9
    margins = np.where(right, 1.0, -1.0)
    looked_at = [
        each.num_judged for each in verdicts(of, np.stack([margins] * 3), 0.97, full=False)
    ]
    assert looked_at[0] > 128  # nobody knows yet which ones are hard
    assert looked_at[1:] == [64, 64]  # 31 errors are enough, and 64 samples a chunk
    reached = [each.accuracy for each in verdicts(of, np.stack([margins] * 3), 0.5, full=False)]
    assert reached == [right.mean()] * 3


def test_a_target_is_met_exactly_as_the_comparison_of_floats_says() -> None:
    of = exam(100)
    margins = np.where(np.arange(100) < 29, 1.0, -1.0)
    for target, is_met in ((0.29, True), (np.nextafter(0.29, 1), False), (0.28, True)):
        (verdict,) = verdicts(of, margins[np.newaxis], float(target), full=False)
        assert (verdict.accuracy is not None and verdict.accuracy >= target) == is_met


def test_equal_scores_are_not_right_and_neither_is_what_is_no_number() -> None:
    of = exam(70)
    margins = np.ones((2, 70))
    margins[0, :5] = 0.0
    margins[1, :5] = np.nan
    equal, broken = verdicts(of, margins, None, full=True)
    assert equal.accuracy == 65 / 70
    assert broken.accuracy is not None  # a NaN in a weight spoils the scores of all images
    assert broken.accuracy <= 65 / 70


def test_badness_is_all_that_an_evaluator_remembers() -> None:
    rng = np.random.default_rng(1)
    margins = rng.normal(1, 1, (6, 200))
    first, second = (Evaluator(IMAGES.place.test.targets, 0.97) for _ in range(2))
    executor = Serial(IMAGES.place, LocalSgd())
    for version, margin in enumerate(margins):
        executor.publish(version, IMAGES.weights(margin).unsqueeze(0))
    for version in range(3):
        first.against_target(executor, version)
    second.badness[:] = first.badness
    for version in range(3, 6):
        again = second.against_target(executor, version)
        assert again == first.against_target(executor, version)


def test_what_cannot_be_judged_is_refused() -> None:
    with pytest.raises(PipeflError, match="the test samples hold no answers to judge"):
        Evaluator(np.zeros((3, 5), np.int64), None)
    with pytest.raises(ArgumentError, match="target_accuracy is 1.2; it must be"):
        Evaluator(np.zeros(3, np.int64), 1.2)


def test_without_a_target_all_samples_are_judged() -> None:
    margins = np.full((1, 200), -1.0)
    (verdict,) = verdicts(IMAGES, margins, None, full=False)
    assert verdict == Verdict(0.0, None, 200)
