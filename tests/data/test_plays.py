import io
import re
import tarfile
from collections import Counter
from pathlib import Path

import pytest

from pipefl.data.plays import play_roles, read_texts, roles_of
from pipefl.data.speeches import Speech, speeches
from pipefl.errors import InputFileError

PLAY = "ACT I.\n\n" + "\n\n".join(f"HAM.\nWords {i}." for i in range(11)) + "\n\nBER.\nHe.\n"


def write_tar(path: Path, texts: dict[str, str], mode: str = "w") -> Path:
    with tarfile.open(path, mode) as tar:  # type: ignore[call-overload]  # modes are literals
        for name, text in texts.items():
            content = text.encode("latin-1")
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


@pytest.fixture(scope="module")
def plays(data_folder: Path) -> dict[str, str]:
    return read_texts(data_folder / "shakespeare" / "shakespeare-plays.tar.xz")


@pytest.fixture(scope="module")
def said(plays: dict[str, str]) -> dict[str, list[Speech]]:
    return {play: speeches(text) for play, text in plays.items()}


def test_all_plays_are_understood_and_no_poem(said: dict[str, list[Speech]]) -> None:
    poems = {play for play in said if not said[play]}
    assert poems == {
        "lovers_complaint",
        "passionate_pilgrim",
        "phoenix_and_the_turtle",
        "rape_of_lucrece",
        "sonnets",
    }
    assert len(said) == 42
    # Cymbeline's file has lost a third of the play, and has the fewest speeches but one.
    assert all(500 <= len(said[play]) <= 1200 for play in said.keys() - poems)


def test_speakers_who_can_be_counted_by_hand(
    plays: dict[str, str], said: dict[str, list[Speech]]
) -> None:
    """Lines of the name alone, in three layouts: "Ham.", "HERMIA" and "KATHERINA."."""
    for play, line, role in [
        ("hamlet", "Ham.", "HAM"),
        ("midsummer_nights_dream", "HERMIA", "HERMIA"),
        ("taming_of_the_shrew", "BIONDELLO.", "BIONDELLO"),
    ]:
        body = plays[play][plays[play].index("ACT I") :]
        alone = re.findall(rf"^{re.escape(line)}(?: *\[.*\])?$", body, re.MULTILINE)
        assert Counter(role for role, _ in said[play])[role] == len(alone) > 30


def test_what_is_spoken_has_no_brackets_and_no_headings(said: dict[str, list[Speech]]) -> None:
    spoken = [text for play in said.values() for _, text in play]
    heading = re.compile(r"^(?:ACT|SCENE|Scene) (?:[IVX]+|\d+)\.", re.MULTILINE)
    assert not any(set("[]{}@_") & set(text) or heading.search(text) for text in spoken)
    # The longest is one man's: Richard or Henry before a battle, Berowne on love.
    assert 3000 < max(map(len, spoken)) < 4500


def test_a_soliloquy_is_whole(said: dict[str, list[Speech]]) -> None:
    [soliloquy] = [t for _, t in said["hamlet"] if t.startswith("To be, or not to be")]
    assert soliloquy.endswith("Be all my sins remember'd.")
    assert len(soliloquy.split("\n")) == 35


def test_nine_tenths_of_a_role_are_to_train_with(tmp_path: Path) -> None:
    texts = {"texts/hamlet_gut.txt": PLAY, "hamlet_gut_f.txt": PLAY, "readme.txt": ""}
    roles = play_roles([write_tar(tmp_path / "plays.tar", texts)])
    assert list(roles.train) == ["HAMLET_HAM"]
    assert roles.train["HAMLET_HAM"] == [f"Words {i}.".encode() for i in range(9)]
    assert roles.test == [b"Words 9.", b"Words 10."]
    assert roles.notes["roles"] == "1, without 1 that speak only once"
    assert "plays.tar" in roles.source


def test_a_role_of_two_speeches_has_one_of_each_kind(tmp_path: Path) -> None:
    text = "ACT I.\n\nHAM.\nOne.\n\nHAM.\nTwo."
    roles = play_roles([write_tar(tmp_path / "plays.tar", {"a_gut.txt": text})])
    assert (roles.train, roles.test) == ({"A_HAM": [b"One."]}, [b"Two."])


def test_names_of_roles_are_made_of_letters_and_one_spelling() -> None:
    text = "ACT I.\n\nFAL. & Ned.\nOne.\n\n1. CAR.\nTwo.\n\n1 CAR.\nThree.\n\nHOST.\n\xc0 la."
    assert roles_of({"henry iv": text}) == {
        "HENRY_IV_FAL_NED": [b"One."],
        "HENRY_IV_1_CAR": [b"Two.", b"Three."],
        "HENRY_IV_HOST": [b"\xc0 la."],
    }


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz", "w:bz2"])
def test_truncated_archives_are_refused_wherever_they_break_off(tmp_path: Path, mode: str) -> None:
    texts = {f"{name}_gut.txt": PLAY for name in "abcd"}
    path = write_tar(tmp_path / "plays.tar", texts, mode)
    whole = path.read_bytes()
    assert list(read_texts(path)) == list("abcd")
    # A plain tar file is filled up with empty blocks, which nobody misses.
    end = len(whole) if mode != "w" else len(whole.rstrip(b"\0")) + 512
    for length in range(0, end, max(1, end // 40)):
        path.write_bytes(whole[:length])
        with pytest.raises(InputFileError, match=f"{re.escape(str(path))}: .*truncated"):
            read_texts(path)


def test_foreign_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "plays.tar"
    path.write_bytes(b"To be, or not to be " * 100)
    with pytest.raises(InputFileError, match=r"plays\.tar: it cannot be read as a tar file"):
        read_texts(path)
    write_tar(path, {"other.txt": PLAY})
    with pytest.raises(InputFileError, match=r"plays\.tar: it holds no texts of plays"):
        read_texts(path)
    write_tar(path, {"sonnets_gut.txt": "From fairest creatures"})
    with pytest.raises(InputFileError, match=r"plays\.tar: no text in it is a play"):
        play_roles([path])
