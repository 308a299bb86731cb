"""Train and judge a model a little, and print a checksum of every bit: `model_digest.py NAME`."""

import sys
from hashlib import sha256

import torch

from model_cases import PAPER, case


def digest(name: str) -> str:
    """A checksum of weights, losses, gradients and scores after some steps of one thread."""
    given = case(PAPER[name], num_samples=48)
    model, weights, seen = given.model, given.weights.clone(), []
    for first in (0, 16, 32):
        part = slice(first, first + 16)
        seen.append(model.descend(weights, given.inputs[part], given.targets[part], 0.1))
    gradient, stack = torch.zeros_like(weights), weights.repeat(3, 1)
    share = torch.full((48,), 1 / 48)
    seen.append(model.add_gradient(weights, given.inputs, given.targets, share, gradient))
    by_client = (
        torch.unflatten(given.inputs, 0, (3, 16)),
        torch.unflatten(given.targets, 0, (3, 16)),
        torch.tensor([16, 9, 1]),
    )
    seen.append(model.descend_stack(stack, *by_client, 0.1))
    seen += [weights, gradient, stack, model.scores(weights, given.inputs)]
    return sha256(b"".join(tensor.numpy().tobytes() for tensor in seen)).hexdigest()


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(digest(sys.argv[1]))
