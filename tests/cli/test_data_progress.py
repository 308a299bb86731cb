import pytest

from pipefl.cli.data_progress import DownloadProgress


def shown(capsys: pytest.CaptureFixture[str]) -> str:
    with DownloadProgress() as progress:
        progress.say("asking [here]")
        progress.watch("digits.gz", 500_000, 1_000_000)
        progress.watch("letters.gz", 10, None)
        progress.watch("done.gz", 9, 9)
    return capsys.readouterr().out


def test_on_a_terminal_there_is_a_bar_for_every_file_on_its_way(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # by which rich takes anything for a terminal
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    text = shown(capsys)
    assert "asking [here]" in text
    last = text.rpartition("asking [here]")[2]
    assert "digits.gz" in last
    assert "0.5/1.0 MB" in last
    assert "letters.gz" in last
    assert "done.gz" not in last.rpartition("letters.gz")[2]


def test_elsewhere_there_are_lines_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.delenv("TTY_COMPATIBLE", raising=False)
    assert shown(capsys) == "asking [here]\n"
