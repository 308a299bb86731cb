"""Train and judge a model a little, and print a checksum of every bit: `model_digest.py NAME`."""

import sys
from hashlib import sha256

import numpy as np
import torch

from model_cases import PAPER, case
from pipefl.models.joint import Lessons


def digest(name: str) -> str:
    """A checksum of weights, losses, gradients and scores after some steps of one thread."""
    given = case(PAPER[name], num_samples=48)
    model, weights, seen = given.model, given.weights.clone(), []
    for first in (0, 16, 32):
        part = slice(first, first + 16)
        seen.append(model.descend(weights, given.inputs[part], given.targets[part], 0.1))
    gradient, share = torch.zeros_like(weights), torch.full((48,), 1 / 48)
    seen.append(model.add_gradient(weights, given.inputs, given.targets, share, gradient))
    if model.joint is not None:
        inputs = torch.unflatten(given.inputs, 0, (2, 3, 8))
        counts = np.array([[8, 8, 8], [8, 5, 0]])
        lessons = Lessons(inputs, given.targets.view(2, 3, 8), counts, 0.1)
        seen.append(model.joint.train(weights, lessons).sum({0: 0.5, 1: 2.0, 2: 1.0}))
    seen += [weights, gradient, model.scores(weights, given.inputs)]
    return sha256(b"".join(tensor.numpy().tobytes() for tensor in seen)).hexdigest()


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(digest(sys.argv[1]))
