"""The documentation's pages as tests see them: blocks of code, and what is to be done with them."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
OUTSIDE = [
    ROOT / name
    for name in (
        "README.md",
        "DESIGN.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "benchmarks/README.md",
    )
]
PAGES = [*OUTSIDE, *sorted(DOCS.rglob("*.md"))]

_FENCED = re.compile(
    r"(?:^<!-- test: (?P<marker>[^\n]*) -->\n)?"
    r"^```(?P<language>[\w-]*)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A fenced block: where it stands, what it holds, and the `test:` comment above it.

    A block with a `title` is a file of that name, which later blocks of the page find.
    `follows` says that nothing stands between it and the block before.
    """

    place: str
    language: str
    title: str | None
    text: str
    marker: str
    follows: bool


@dataclass(frozen=True)
class Session:
    """A command of a console block and what is printed below it."""

    command: str
    output: str


def name_of(page: Path) -> str:
    """A page's path below the root."""
    return page.relative_to(ROOT).as_posix()


def blocks_of(page: Path) -> list[Block]:
    """A page's blocks in order."""
    text, blocks, end = page.read_text(encoding="utf-8"), list[Block](), 0
    for match in _FENCED.finditer(text):
        block = Block(
            place=f"{name_of(page)}:{text.count(chr(10), 0, match.start('text'))}",
            language=match["language"],
            title=match["title"],
            text=match["text"],
            marker=match["marker"] or "",
            follows=bool(blocks) and not text[end : match.start()].strip(),
        )
        blocks.append(block)
        end = match.end()
    return blocks


def prose_of(page: Path) -> str:
    """A page's text without its blocks."""
    return _FENCED.sub("", page.read_text(encoding="utf-8"))


def sessions_of(block: Block) -> list[Session]:
    """A console block's commands with what they print; of other shells' the commands alone."""
    text = block.text.replace("\\\n", " ")
    if block.language == "console":
        parts = (session.partition("\n") for session in text.split("$ ")[1:])
        return [Session(command, output) for command, _, output in parts]
    return [Session(line, "") for line in text.splitlines() if line.strip()]
