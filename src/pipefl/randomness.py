"""Random numbers that depend on a seed and a purpose, and on nothing else."""

from hashlib import sha256

import numpy as np

from pipefl.checks import count


def generator(seed: int, purpose: str, *key: int) -> np.random.Generator:
    """The generator for one purpose, such as ("sample", round, client).

    The same arguments give the same numbers on every machine, in every order of calls;
    different ones give independent numbers.

    >>> bool(generator(0, "doc").random() == generator(0, "doc").random())
    True
    """
    words = np.frombuffer(sha256(purpose.encode()).digest()[:8], dtype="<u4").tolist()
    entropy = [count("seed", seed, minimum=0), *words]
    if key:  # with its length, since numpy takes (1,) and (1, 0) for one entropy
        entropy += [len(key), *key]
    return np.random.default_rng(np.random.SeedSequence(entropy))
