"""What stands in a play's text and is not spoken: stage directions and marks of the editor."""

import re

# Square brackets, one pair within another at most.
_CLOSED = re.compile(r"\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]")
# Where the closing bracket was forgotten, a direction ends with a line that ends a sentence.
_NOT_CLOSED = re.compile(r"\[[^\[\]]*?(?:[.!?']['\"]?[ \t]*$|\Z)", re.MULTILINE)
# Where the opening one was, it began the paragraph, or one before.
_NOT_OPENED = re.compile(r"\A\s*(?:(?:Enter|Re-enter|Exit|Exeunt)\b|[a-z])[^\[\]]*\]")
# Without brackets it is a paragraph of one sentence.
_BARE = re.compile(r"\A[ \t]*(?:Enter|Re-enter|Exit|Exeunt)\b[^.!?\[\]]*\.?\s*\Z")
# Titles and numbers of songs and of their verses, and lines that only mark a place.
_TITLE = re.compile(r"^[ \t]*(?:SONG\.?|@+)[ \t]*$", re.MULTILINE)
_NUMBER = re.compile(r"\A\s*[IVX]+\.[ \t]*$", re.MULTILINE)
_BRACES = str.maketrans("{}", "[]", "_")
_NO_BRACKETS = str.maketrans("", "", "[]")


def without_directions(paragraph: str) -> str:
    r"""The paragraph's lines that are spoken, each without the spaces around it.

    Editors forget brackets and take braces for them; a direction is then believed to end where
    its line ends a sentence, or with the paragraph. Underscores, which stand for
    italics in plain text, are left out. O(length).

    >>> without_directions("[Aside.] A little more than kin,\n  and less than kind. [Exit")
    'A little more than kin,\nand less than kind.'
    """
    text = paragraph.translate(_BRACES)
    for pattern in (_TITLE, _NUMBER, _BARE, _CLOSED, _NOT_CLOSED, _NOT_OPENED):
        text = pattern.sub("", text)
    lines = (line.strip() for line in text.translate(_NO_BRACKETS).split("\n"))
    return "\n".join(line for line in lines if line)
