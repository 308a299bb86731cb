"""Characters as token ids, and snippets of text cut into sequences, as TensorFlow Federated does.

====  ============================================
id    token
====  ============================================
0     padding, which counts for nothing
1-86  the characters of `CHARACTERS`, in that order
87    any other byte
88    beginning of a snippet
89    end of a snippet
====  ============================================
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pipefl.data.federated import Samples
from pipefl.data.mapping import mapped_array

CHARACTERS = (
    "dhlptx@DHLPTX $(,048cgkoswCGKOSW[_#'/37;?bfjnrvzBFJNRVZ\"&*.26:\naeimquyAEIMQUY]!%)-159\r"
)
PADDING, UNKNOWN, BEGIN, END = 0, 87, 88, 89
NUM_TOKENS = 90
SEQUENCE_LENGTH = 80

_ID_OF_BYTE = np.full(256, UNKNOWN, np.uint8)
_ID_OF_BYTE[np.frombuffer(CHARACTERS.encode("ascii"), np.uint8)] = np.arange(1, 87)


def sequences(snippets: Sequence[bytes]) -> tuple[Samples, NDArray[np.int64]]:
    r"""Inputs and targets of 80 tokens each, and how many of them each snippet is cut into.

    A snippet of c characters is a beginning, the characters and an end, padded to

    .. math:: \left\lceil \frac{c + 2}{81} \right\rceil \cdot 81

    tokens. Of each 81 the first 80 are an input and the last 80 its target: at each place
    the token that follows. The target at a snippet's last place may be nothing but padding.
    O(characters).

    >>> samples, num_sequences = sequences([b"to be", 80 * b"a"])
    >>> samples.inputs[0, :7], num_sequences
    (array([88,  5, 24, 14, 42, 65, 89], dtype=uint8), array([1, 2]))
    """
    length = np.fromiter((len(snippet) for snippet in snippets), np.int64, len(snippets))
    num_sequences = -(-(length + 2) // (SEQUENCE_LENGTH + 1))
    begin = (np.cumsum(num_sequences) - num_sequences) * (SEQUENCE_LENGTH + 1)
    tokens = np.full(int(num_sequences.sum()) * (SEQUENCE_LENGTH + 1), PADDING, np.uint8)
    tokens[begin] = BEGIN
    tokens[begin + 1 + length] = END
    # A character's place: its place among all, moved by as much as its snippet is.
    moved = np.repeat(begin + 1 - (np.cumsum(length) - length), length)
    characters = np.frombuffer(b"".join(snippets), np.uint8)
    tokens[moved + np.arange(characters.size)] = _ID_OF_BYTE[characters]
    cut = tokens.reshape(-1, SEQUENCE_LENGTH + 1)
    return Samples(_mapped(cut[:, :-1]), _mapped(cut[:, 1:])), num_sequences


def text_of(tokens: NDArray[np.integer]) -> str:
    """The characters that tokens stand for; those that are not characters are left out.

    >>> text_of(sequences([b"to be"])[0].inputs[0])
    'to be'
    """
    return "".join(CHARACTERS[i - 1] for i in tokens.tolist() if 1 <= i < UNKNOWN)


def _mapped(part: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A copy in one piece that other processes can map."""
    copy: NDArray[np.uint8] = mapped_array(part.shape, part.dtype)
    copy[...] = part
    return copy
