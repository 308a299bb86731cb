"""Who speaks in a play: the lines that name a speaker, in every layout that editions have."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

Paragraph = Sequence[str]
"""The lines between two empty ones, without stage directions."""

# At most five words, such as "Ham.", "1 KEEPER.", "GLOUCESTER & CLARENCE.", "Mar. and Ber.".
_WORD = r"[A-Za-z][A-Za-z'’-]*"
_NAME = rf"(?:\d\.? )?[A-Z][A-Za-z'’-]*(?:\.?(?:,? +| +& +|(?<=\.)){_WORD}){{0,4}}?"
_ALONE = re.compile(rf"(?P<name>{_NAME})(?P<stop>[.:]?)(?:--)?\Z")
_BEFORE_SPEECH = re.compile(rf"(?P<name>{_NAME})\.\s+(?P<rest>[^a-z&\s].*)\Z")
_SMALL_WORDS = re.compile(r"\b(?:and|of|the|de)\b")


@dataclass(frozen=True)
class Cue:
    """Who speaks next, and what of his speech stands on the same line."""

    role: str
    rest: str = ""


@dataclass(frozen=True)
class Speakers:
    """The names that a play's speaker lines have, and whether they are in capitals."""

    names: frozenset[str]
    in_capitals: bool

    def cue(self, paragraph: Paragraph, i: int) -> Cue | None:
        """What line i of a paragraph says of who speaks next, if it does.

        A name on a line of its own is enough at the beginning of a paragraph. It must be one
        that other lines have made known where the full stop is missing and the name is
        not in capitals, where words follow on the line, where nothing follows in the paragraph,
        and in the middle of a paragraph, where it may be the signature of a letter.
        """
        line, opens, is_last = paragraph[i], i == 0, i == len(paragraph) - 1
        before = _BEFORE_SPEECH.match(line) if opens else None
        if before and self._knows(before["name"]) and not self._knows(before["rest"]):
            return Cue(role_name(before["name"]), before["rest"])
        alone = _ALONE.match(line)
        if not alone:
            return None
        role = role_name(alone["name"])
        if role in self.names:
            certain = opens or (bool(alone["stop"]) and not is_last)
        else:
            certain = opens and not is_last and self._looks_right(alone)
        return Cue(role) if certain else None

    def _knows(self, name: str) -> bool:
        return role_name(name) in self.names

    def _looks_right(self, alone: re.Match[str]) -> bool:
        return _is_capitals(alone["name"]) or (bool(alone["stop"]) and not self.in_capitals)


def speakers_of(paragraphs: Sequence[Paragraph]) -> Speakers:
    """What the speaker lines of a play look like, from those that leave no doubt.

    These are a paragraph's first line if that is a name, with a full stop or in capitals, and
    if lines follow. Names are in capitals in most editions ("HAMLET."), and in others most
    are not ("Ham."); lines of the kind that is rarer are then speech. O(lines).
    """
    capitals, others = Counter[str](), Counter[str]()
    for paragraph in paragraphs:
        match = _ALONE.match(paragraph[0]) if len(paragraph) > 1 else None
        if match and _is_capitals(match["name"]):
            capitals[role_name(match["name"])] += 1
        elif match and match["stop"]:
            others[role_name(match["name"])] += 1
    in_capitals = capitals.total() >= others.total()
    return Speakers(frozenset(capitals if in_capitals else others), in_capitals)


def role_name(name: str) -> str:
    """One spelling of a role: in capitals, with single spaces, without the last full stop.

    >>> role_name("Lady  Montague."), role_name("Mar. and Ber")
    ('LADY MONTAGUE', 'MAR. AND BER')
    """
    return " ".join(name.upper().split()).rstrip(".")


def _is_capitals(name: str) -> bool:
    """Whether most letters are; editors write "PRINCE OF Morocco" and "LouIS"."""
    letters = [letter for letter in _SMALL_WORDS.sub("", name) if letter.isalpha()]
    return 2 * sum(letter.isupper() for letter in letters) > len(letters)
