import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pipefl.data.mapping import handle_of
from pipefl.data.text_tokens import CHARACTERS, NUM_TOKENS, sequences, text_of

snippet_lists = st.lists(
    st.binary(max_size=30) | st.integers(70, 250).map(lambda n: b"x" * n), min_size=1, max_size=6
)


def one_by_one(snippet: bytes) -> list[list[int]]:
    """A snippet's pieces of 81 tokens, token by token."""
    ids = [88]
    for character in snippet.decode("latin-1"):
        ids += [CHARACTERS.index(character) + 1 if character in CHARACTERS else 87]
    ids.append(89)
    while len(ids) % 81:
        ids.append(0)
    return [ids[i : i + 81] for i in range(0, len(ids), 81)]


@given(snippet_lists)
def test_sequences_are_what_single_steps_give(snippets: list[bytes]) -> None:
    samples, num_sequences = sequences(snippets)
    pieces = [one_by_one(snippet) for snippet in snippets]
    assert num_sequences.tolist() == [len(piece) for piece in pieces]
    flat = [sequence for piece in pieces for sequence in piece]
    assert samples.inputs.tolist() == [sequence[:80] for sequence in flat]
    assert samples.targets.tolist() == [sequence[1:] for sequence in flat]
    assert samples.inputs.dtype == samples.targets.dtype == np.uint8


def test_the_vocabulary_has_86_characters_and_four_tokens_more() -> None:
    assert len(CHARACTERS) == len(set(CHARACTERS)) == 86
    assert NUM_TOKENS == 90
    assert (CHARACTERS[0], CHARACTERS[13], CHARACTERS[85]) == ("d", " ", "\r")


def test_a_snippet_worked_by_hand() -> None:
    """Of 79 characters there is one piece of 81; the 80th makes it two."""
    samples, num_sequences = sequences([b"d" * 79, b"h" * 80, b"~\xe9"])
    assert num_sequences.tolist() == [1, 2, 1]
    assert samples.inputs[0].tolist() == [88] + 79 * [1]
    assert samples.targets[0].tolist() == 79 * [1] + [89]
    assert samples.inputs[2].tolist() == [89] + 79 * [0]
    assert not samples.targets[2].any()
    assert samples.inputs[3, :5].tolist() == [88, 87, 87, 89, 0]


def test_no_snippets_make_no_sequences() -> None:
    samples, num_sequences = sequences([])
    assert samples.inputs.shape == samples.targets.shape == (0, 80)
    assert num_sequences.size == 0


@given(st.text(st.sampled_from(CHARACTERS), max_size=200))
def test_the_text_can_be_read_back(text: str) -> None:
    samples, _ = sequences([text.encode()])
    pieces = np.concatenate([samples.inputs, samples.targets[:, -1:]], axis=1)
    assert text_of(pieces.ravel()) == text


def test_other_processes_can_map_them() -> None:
    samples, _ = sequences([b"to be"])
    assert handle_of(samples.targets).opened()[0, 0] == CHARACTERS.index("t") + 1
