from hypothesis import given
from hypothesis import strategies as st

from pipefl.data.speakers import Cue, role_name, speakers_of
from pipefl.data.speeches import speeches

CAPITALS = """
THE TEMPEST

Persons represented.

ALONSO, King of Naples.
ARIEL.
BOATSWAIN.

SCENE: The sea.

ACT 1
SCENE 1. On a ship at sea. Thunder.

[Enter a SHIPMASTER and a BOATSWAIN.]

MASTER.
Boatswain!

BOATSWAIN.
Here, master:
    what cheer?

MASTER. Good! Speak to the mariners.
[Exit.]
BOATSWAIN.
Heigh, my hearts!

[Enter MARINERS.]

Yare, yare!

SCENE II. The island.

Before PROSPERO'S cell.

ARIEL
All hail, great master!

The end of it.

PROSPERO AND ARIEL.
Hast thou performed
BOATSWAIN.
Ay, sir.

ALONSO.
My letter ends:
'Thine in all,
ARIEL.'

EPILOGUE

Now my charms are all o'erthrown.

THE END
"""


def test_a_play_with_names_in_capitals() -> None:
    assert speeches(CAPITALS) == [
        ("MASTER", "Boatswain!"),
        ("BOATSWAIN", "Here, master:\nwhat cheer?"),
        ("MASTER", "Good! Speak to the mariners."),
        ("BOATSWAIN", "Heigh, my hearts!\nYare, yare!"),
        ("ARIEL", "All hail, great master!\nThe end of it."),
        ("PROSPERO AND ARIEL", "Hast thou performed"),
        ("BOATSWAIN", "Ay, sir."),
        ("ALONSO", "My letter ends:\n'Thine in all,\nARIEL.'"),
    ]


ABBREVIATED = """ACT I.

Scene I. A platform.

Ber.
Who's there?

Ham. and Ber.
Nay.

Ham.
Saddle my horse.

I will go.

1 Play.
What speech, my lord?

Ber. Long live the king!

Ham
He.
"""


def test_a_play_with_abbreviated_names() -> None:
    assert speeches(ABBREVIATED) == [
        ("BER", "Who's there?"),
        ("HAM. AND BER", "Nay."),
        ("HAM", "Saddle my horse.\nI will go."),
        ("1 PLAY", "What speech, my lord?"),
        ("BER", "Long live the king!"),
        ("HAM", "He."),
    ]


def test_a_play_without_full_stops_after_names() -> None:
    text = "ACT I.\n\nTHESEUS\nNow, fair Hippolyta.\n\nPUCK\n  Up and down,\n  I\n\nQuiet.\nHush."
    assert speeches(text) == [
        ("THESEUS", "Now, fair Hippolyta."),
        ("PUCK", "Up and down,\nI\nQuiet.\nHush."),
    ]


def test_lines_of_capitals_and_small_letters_are_speech_where_names_are_in_capitals() -> None:
    text = "ACT I.\n\nKENT.\nMy lord,\n\nI am quit.\nYes.\n\nLouIS.\nIndeed.\n\nKent.\nNo."
    assert speeches(text) == [
        ("KENT", "My lord,\nI am quit.\nYes."),
        ("LOUIS", "Indeed."),
        ("KENT", "No."),
    ]


def test_line_endings_make_no_difference() -> None:
    for ending in ("\r\n", "\r"):
        assert speeches(CAPITALS.replace("\n", ending)) == speeches(CAPITALS)


def test_a_poem_has_no_speeches() -> None:
    assert speeches("THE SONNETS\n\nI\n\nFrom fairest creatures\nwe desire increase,") == []
    assert speeches("") == []


def test_a_licence_after_the_play_is_left_out() -> None:
    text = ABBREVIATED + "\nEnd of the Project Gutenberg Etext of Hamlet\n\nHam.\nFree of charge."
    assert speeches(text) == speeches(ABBREVIATED)


names = st.sampled_from(["KING LEAR.", "FOOL.", "EDGAR", "FIRST LORD."])
lines = st.text("abcde ,;!?", min_size=1, max_size=30).map(str.strip).filter(bool)


@given(st.lists(st.tuples(names, st.lists(lines, min_size=1, max_size=4)), min_size=1))
def test_every_speech_comes_back(said: list[tuple[str, list[str]]]) -> None:
    text = "ACT I.\n\n" + "\n\n".join("\n".join([name, *spoken]) for name, spoken in said)
    assert speeches(text) == [(role_name(name), "\n".join(spoken)) for name, spoken in said]


def test_a_name_in_the_middle_must_be_known_and_go_on() -> None:
    speakers = speakers_of([["FOOL.", "Nuncle."], ["LEAR.", "What?"]])
    assert speakers.cue(["What?", "FOOL.", "Nuncle."], 1) == Cue("FOOL")
    assert speakers.cue(["What?", "EDGAR.", "Nuncle."], 1) is None
    assert speakers.cue(["Your servant,", "FOOL."], 1) is None
    assert speakers.cue(["EDGAR.", "Nuncle."], 0) == Cue("EDGAR")
    assert speakers.cue(["FOOL. LEAR."], 0) is None
    assert speakers.cue(["FOOL. Who?"], 0) == Cue("FOOL", "Who?")
