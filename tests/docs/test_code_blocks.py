"""What the pages say is done, from top to bottom, as a reader would.

A page's blocks are run in a folder of their own, in order. Python blocks share their names; a
comment behind a `print` says what it prints, or a text block right below says it of all. Below a
console block's commands stands what they print. Above a block an HTML comment may say more:

    <!-- test: numbers differ -->           words are compared, numbers are not: they depend
                                            on the machine, or on the settings of `runs as`
    <!-- test: runs as COMMAND -->          the cheap variant that is run in its place
    <!-- test: with NAME = VALUE -->        the value that a cheap variant of Python takes
    <!-- test: not run: REASON -->          one of `REASONS`; it is still looked through
"""

import io
import re
import runpy
import shlex
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import click
import pytest
import typer.main

from doc_pages import DOCS, PAGES, ROOT, Block, Session, blocks_of, name_of, prose_of, sessions_of
from pipefl.cli.app import app, run

RUN = ("python", "console", "sh")
SHOWN = ("", "text", "toml", "csv", "json", "math")
REASONS = ("it installs software", "it needs a network")

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_PROGRESS = re.compile(r"round [\d,]+/[\d,]+ · ")  # lines of slow machines
_NUMBER = re.compile(r"(\d+ h )?(\d+ min )?[−-]?\d[\d.,e]*( s\b)?")
_PROMISE = re.compile(r"^print\(.*#.*: (.*)$", re.MULTILINE)

WITH_BLOCKS = [page for page in PAGES if blocks_of(page)]


@pytest.mark.parametrize("page", WITH_BLOCKS, ids=name_of)
def test_a_page_does_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    names: dict[str, Any] = {"__name__": "__main__"}
    blocks = blocks_of(page)
    for block, below in zip(blocks, [*blocks[1:], None], strict=True):
        if block.title is not None:
            Path(block.title).write_text(block.text, encoding="utf-8")
        if block.marker.startswith("not run: "):
            _check_without_running(block)
        elif block.language == "python" and block.title is None:
            _run_python(block, names, _promised(block, below))
        elif block.language in ("console", "sh"):
            for session in sessions_of(block):
                _run_command(block, session)


@pytest.mark.parametrize("page", WITH_BLOCKS, ids=name_of)
def test_blocks_and_their_comments_are_of_known_kinds(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    blocks = blocks_of(page)
    assert text.count("\n```") == 2 * len(blocks), "a fence is not closed, or not understood"
    assert text.count("<!-- test: ") == sum(block.marker != "" for block in blocks)
    for block in blocks:
        assert block.language in RUN + SHOWN, block.place
        if page.is_relative_to(DOCS):
            assert block.language, f"{block.place}: the block has no language"
        if block.marker:
            kinds = r"numbers differ|runs as .+|with \w+ = .+|not run: .+"
            assert re.fullmatch(kinds, block.marker), f"{block.place}: {block.marker}"
            assert block.language in RUN, f"{block.place}: nothing is run here anyway"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_in_the_text_exist(page: Path) -> None:
    for code in re.findall(r"`(pipefl [^`]*)`", prose_of(page)):
        _check_command(code)


def _promised(block: Block, below: Block | None) -> str:
    """What a Python block is said to print."""
    if below is not None and below.follows and below.language == "text":
        return below.text
    return "\n".join(_PROMISE.findall(block.text))


def _run_python(block: Block, names: dict[str, Any], promised: str) -> None:
    code = block.text
    if block.marker.startswith("with "):
        name, _, value = block.marker.removeprefix("with ").partition(" = ")
        code, found = re.subn(rf"^{name} = .*$", f"{name} = {value}", code, flags=re.MULTILINE)
        assert found == 1, f"{block.place}: {name} is not assigned once"
    with _captured() as printed:
        exec(compile(code, block.place, "exec"), names)  # noqa: S102  # the page's own code
    _compare(block, printed.getvalue(), promised, exactly=not block.marker)


def _run_command(block: Block, session: Session) -> None:
    replaced = block.marker.startswith("runs as ")
    command = block.marker.removeprefix("runs as ") if replaced else session.command
    _check_command(session.command)
    with _captured() as printed:
        _do(block, shlex.split(command, comments=True))
    if block.language == "console":
        _compare(block, printed.getvalue(), session.output, exactly=not block.marker)


def _do(block: Block, words: list[str]) -> None:
    """A command of the few that pages use; only `pipefl` may fail, as its output then says."""
    match words:
        case ["pipefl", *arguments]:
            code = run(arguments)
            assert code == 0 or block.language == "console", f"{block.place}: exit code {code}"
        case ["python", script]:
            runpy.run_path(script, run_name="__main__")
        case ["cat", file]:
            print(Path(file).read_text(encoding="utf-8"), end="")
        case ["ls", folder]:
            print("\n".join(sorted(path.name for path in Path(folder).glob("[!.]*"))))
        case ["make", target]:
            assert f"\n{target}:" in (ROOT / "Makefile").read_text(encoding="utf-8"), block.place
        case _:
            raise AssertionError(f"{block.place}: it is not known how to run {words}")


def _check_without_running(block: Block) -> None:
    reason = block.marker.removeprefix("not run: ")
    assert reason in REASONS, f"{block.place}: {reason}"
    if block.language == "python":
        compile(block.text, block.place, "exec")
        return
    for session in sessions_of(block):
        _check_command(session.command)


def _check_command(command: str) -> None:
    """A command that could be run, as far as one can see: verbs, options, targets and extras."""
    words = shlex.split(command, comments=True)
    if words[:1] == ["pipefl"]:
        _check_verb(words[1:])
    elif words[:2] == ["pip", "install"]:
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
            "optional-dependencies"
        ]
        named = re.findall(r"\[([\w,]+)\]", command)
        assert {each for part in named for each in part.split(",")} <= set(extras), command


def _check_verb(words: list[str]) -> None:
    found: click.Command = typer.main.get_command(app)
    for word in words:
        if isinstance(found, click.Group) and not word.startswith("-"):
            assert word in found.commands, f"there is no `pipefl {word}`"
            found = found.commands[word]
    known = {name for each in found.params for name in (*each.opts, *each.secondary_opts)}
    for word in words:
        option = word.partition("=")[0]
        if re.match(r"--?[a-z]", option):
            assert option in known | {"--help", "-h"}, f"`pipefl {' '.join(words)}`: {option}"


def _compare(block: Block, printed: str, promised: str, *, exactly: bool) -> None:
    found, wanted = _lines(printed), _lines(promised)
    if not exactly:
        found, wanted = ([_roughly(line) for line in each] for each in (found, wanted))
    assert found == wanted, block.place


def _roughly(line: str) -> str:
    """A line without its numbers, and without the settings of a run that begins."""
    return _NUMBER.sub("#", " ".join(line.partition(" begins: ")[0].split()))


def _lines(text: str) -> list[str]:
    plain = _COLOURS.sub("", text)
    lines = (line.rstrip() for line in plain.splitlines() if line.strip())
    return [line for line in lines if not _PROGRESS.match(line)]


@contextmanager
def _captured() -> Iterator[io.StringIO]:
    """What is printed, on whichever stream, in its order."""
    both = io.StringIO()
    with redirect_stdout(both), redirect_stderr(both):
        yield both
