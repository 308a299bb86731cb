from pathlib import Path

import pytest

from pipefl.data.folder import data_folder
from pipefl.errors import InputFileError


def test_the_variable_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIPEFL_DATA", str(tmp_path / "new" / "folder"))
    assert data_folder() == tmp_path / "new" / "folder"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PIPEFL_DATA", "~/data")
    assert data_folder() == tmp_path / "data"


@pytest.mark.parametrize("value", [None, ""])
def test_without_it_the_users_cache_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    monkeypatch.delenv("PIPEFL_DATA", raising=False)
    if value is not None:
        monkeypatch.setenv("PIPEFL_DATA", value)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert data_folder() == tmp_path / "pipefl"


@pytest.mark.parametrize("below", ["", "/in/it"])
def test_a_file_in_place_of_the_folder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, below: str
) -> None:
    path = tmp_path / "file"
    path.touch()
    monkeypatch.setenv("PIPEFL_DATA", f"{path}{below}")
    with pytest.raises(InputFileError) as caught:
        data_folder()
    assert str(caught.value) == f"PIPEFL_DATA is '{path}{below}', but {path} is not a folder"
