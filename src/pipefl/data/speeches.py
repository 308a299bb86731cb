"""The speeches of a play: what each role says at a time, from the text of an edition."""

import re
from collections.abc import Iterable, Iterator

from pipefl.data.speakers import Cue, Paragraph, Speakers, speakers_of
from pipefl.data.stage_directions import without_directions

Speech = tuple[str, str]
"""A role and the lines that it speaks until another is named."""

_NUMBER = r"(?:[IVX]+|\d+|FIRST|SECOND|THIRD|FOURTH|FIFTH)\b"
_ACT = re.compile(rf"\s*(?:ACT|Act) {_NUMBER}")
_HEADING = re.compile(
    rf"\s*(?:(?:ACT|Act|SCENE|Scene) {_NUMBER}"
    r"|(?:THE )?(?:PROLOGUE|EPILOGUE|INDUCTION|END)\.?\s*\Z)"
)
_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_LICENCE = re.compile(r"^.*\bEnd of (?:the |this )?Project Gutenberg\b", re.MULTILINE | re.I)


def speeches(text: str) -> list[Speech]:
    r"""Every speech of a play in order; none of a text that has no acts, such as a poem.

    What stands before the first act, prologue or induction is left out (title, persons), and
    so are headings with their places, and stage directions. A speech goes on after
    a direction until another speaker is named; after a heading nobody speaks until then.
    Lines keep their breaks and lose the spaces around them. O(length).

    >>> speeches("ACT I.\n\n[Enter PUCK.]\n\nPUCK.\nHow now, spirit!\n\n[Sings.]\nUp and down")
    [('PUCK', 'How now, spirit!\nUp and down')]
    """
    paragraphs = _paragraphs(text)
    headings = [i for i, paragraph in enumerate(paragraphs) if _HEADING.match(paragraph)]
    if not any(_ACT.match(paragraphs[i]) for i in headings):
        return []
    # A heading is left as None.
    body = [
        None if _HEADING.match(paragraph) else without_directions(paragraph).splitlines()
        for paragraph in paragraphs[headings[0] :]
    ]
    speakers = speakers_of([lines for lines in body if lines])
    return [(role, spoken) for role, spoken in _speeches(body, speakers) if role and spoken]


def _paragraphs(text: str) -> list[str]:
    """What stands between empty lines, up to where a licence begins."""
    end = _LICENCE.search(text)
    # Not splitlines(), which also divides at signs that some editors use within a line.
    body = text[: end.start()] if end else text
    return _PARAGRAPH.findall(body.replace("\r\n", "\n").replace("\r", "\n"))


def _speeches(body: Iterable[Paragraph | None], speakers: Speakers) -> Iterator[Speech]:
    role, spoken = "", list[str]()
    for turn in _turns(body, speakers):
        if isinstance(turn, Cue):
            yield role, "\n".join(spoken)
            role, spoken = turn.role, [turn.rest] if turn.rest else []
        else:
            spoken.append(turn)
    yield role, "\n".join(spoken)


def _turns(body: Iterable[Paragraph | None], speakers: Speakers) -> Iterator[Cue | str]:
    """Cues and the lines between them; a heading is a cue for nobody."""
    for paragraph in body:
        if paragraph is None:
            yield Cue("")
            continue
        for i, line in enumerate(paragraph):
            yield speakers.cue(paragraph, i) or line
