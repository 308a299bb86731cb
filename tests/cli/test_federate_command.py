from pathlib import Path

import pytest

from commands import complaint_of

APP = Path(__file__).parents[2] / "examples" / "flower-mnist"


def test_a_folder_without_an_app_is_named(tmp_path: Path) -> None:
    said = complaint_of("federate", tmp_path)
    assert said == f"{tmp_path}: there is no Flower app here (no pyproject.toml)"


def test_what_flower_complains_of_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("FLWR_HOME", str(tmp_path)), ("FLWR_DISABLE_UPDATE_CHECK", "1")):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("FLWR_TELEMETRY_ENABLED", "0")
    said = complaint_of("federate", APP, "elsewhere")
    assert said.startswith("flwr run: ")
    assert "elsewhere" in said
