"""Formats that may be asked for without saying where: `--pdf` as well as `--pdf a.pdf`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import typer
from typer.core import TyperCommand

_FORMATS = ("--html", "--pdf", "--md")
_BESIDE = ":beside:"


class BareFormats(TyperCommand):
    """A command whose formats are followed by a path, or by nothing."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override, unused-ignore]  # click's name for the same
        """The arguments, once each format is followed by a path."""
        return super().parse_args(ctx, list(with_places(args)))


def with_places(words: Sequence[str]) -> Iterator[str]:
    """The words with a mark behind each format that no path of its own stands behind.

    >>> list(with_places(["runs/a", "--pdf", "--md", "b.md"]))
    ['runs/a', '--pdf', ':beside:', '--md', 'b.md']
    """
    for word, after in zip(words, [*words[1:], None], strict=True):
        yield word
        if word in _FORMATS and (after is None or after.startswith("-") or _is_folder(after)):
            yield _BESIDE


def is_bare(path: Path | None) -> bool:
    """Whether a format was asked for without a path."""
    return path == Path(_BESIDE)


def _is_folder(word: str) -> bool:
    """Whether it is what to report on rather than where."""
    return not Path(word).suffix and Path(word).is_dir()
