import pytest

import pipefl as library
from commands import output_of, pipefl

VERBS = ("plan", "sweep", "recommend", "explain")


def test_help_lists_every_verb() -> None:
    printed = output_of("--help")
    assert output_of("-h") == printed
    assert [verb for verb in VERBS if verb not in printed] == []


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(verb: str) -> None:
    printed = output_of(verb, "--help")
    assert f"Usage: pipefl {verb} [OPTIONS] [TIMES]" in printed
    assert "--upload-time" in printed


def test_no_verb_at_all_shows_the_help() -> None:
    ran = pipefl()
    assert "Usage: pipefl" in ran.out
    assert "Traceback" not in ran.err


def test_the_version_is_the_librarys() -> None:
    assert output_of("--version") == f"pipefl {library.__version__}\n"
