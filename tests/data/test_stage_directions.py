import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl.data.stage_directions import without_directions


@pytest.mark.parametrize(
    ("paragraph", "spoken"),
    [
        ("[Exeunt.]", ""),
        ("[Enter two Vergers, with short\nsilver wands; next them, two Scribes.]", ""),
        ("LORD.\n[ Sees Sly.] What's here?", "LORD.\nWhat's here?"),
        ("TIMON. [To Lucilius.]\nLove you the maid?", "TIMON.\nLove you the maid?"),
        ("FIRST LORD. {Aside.]\nIs it possible?", "FIRST LORD.\nIs it possible?"),
        ("A gentle scroll. {Kissing her.]", "A gentle scroll."),
        ("[Exeunt MRS. PAGE and ANNE.}", ""),
        ("[IMOGEN in bed [reading]; a LADY attending.]", ""),
        ("[Enter Gower [and Fluellen]\n", ""),
        ("[Exit Sergeant.\nThus are poor servitors,", "Thus are poor servitors,"),
        ("[Enter the PRINCESS, BOYET,\nATTENDANTS, and a FORESTER.", ""),
        ("[Enter COSTARD", ""),
        ("take their places; the Tribunes theirs.]", ""),
        ("Enter Simonides, at one door: the Knights meet\nhim.]", ""),
        ("Enter HOLOFERNES, SIR NATHANIEL, and DULL.", ""),
        (
            "Enter the city, clip your wives,\nTell. Go!",
            "Enter the city, clip your wives,\nTell. Go!",
        ),
        ("     SONG.\n\n", ""),
        ("        I.\nFIRST FAIRY\nYou spotted snakes", "FIRST FAIRY\nYou spotted snakes"),
        ("PETER.\nI.", "PETER.\nI."),
        ("How many is one thrice told?\n@@@@", "How many is one thrice told?"),
        ("   I have _tremor cordis_ on me;", "I have tremor cordis on me;"),
    ],
)
def test_only_what_is_spoken_is_left(paragraph: str, spoken: str) -> None:
    assert without_directions(paragraph) == spoken


words = st.text("abc ,;'", max_size=8)


@given(st.lists(st.tuples(words, words), max_size=5))
def test_text_between_directions_is_kept(parts: list[tuple[str, str]]) -> None:
    paragraph = "".join(f"{spoken}\n[{direction}.]\n" for spoken, direction in parts)
    expected = [spoken.strip() for spoken, _ in parts if spoken.strip()]
    assert without_directions(paragraph) == "\n".join(expected)


@given(st.text("ab [].{}_\n", max_size=40))
def test_no_brackets_stay(paragraph: str) -> None:
    left = without_directions(paragraph)
    assert not set("[]{}_") & set(left)
    assert all(line and line == line.strip() for line in left.split("\n") if left)
