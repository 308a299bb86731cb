from pathlib import Path

import pytest

from pipefl.errors import InputFileError, MissingFileError, PipeflError
from pipefl.runs.config import RunConfig
from pipefl.runs.overrides import config_from, with_overrides
from pipefl.runs.toml_files import config_toml, read_config
from pipefl.settings import parse_setting

CONFIG = RunConfig(num_clusters=4, target_accuracy=0.97)


def test_a_config_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    changed = with_overrides(
        CONFIG,
        {"seed": 3, "model_options.dense": 128, "jitter": 0.2, "policy_options.per_channel": 2},
    )
    path = tmp_path / "config.toml"
    path.write_text(config_toml(changed, {"versions": {"torch": "2.13.0"}}))
    assert read_config(path) == changed
    assert "2.13.0" in path.read_text()


def test_every_setting_of_the_design_is_an_override() -> None:
    settings = {
        "dataset": "mnist", "model": "mlp", "algorithm": "fedprox", "policy": "clustered",
        "discipline": "fifo", "num_clusters": 3, "num_channels": 2, "upload_time_s": 1.5,
        "slack_s": 0.5, "server_time_s": 0.1, "learning_rate": 0.05, "batch_size": 8,
        "local_epochs": 2, "max_rounds": 10, "target_accuracy": 0.9, "seed": 1,
        "evaluation": "full", "weighting": "unbiased", "executor": "processes", "workers": 3,
        "precision": "bf16", "device": "cpu", "checkpoint_every": 5,
    }  # fmt: skip
    changed = with_overrides(CONFIG, settings)
    assert {name: getattr(changed, name) for name in settings} == settings


def test_a_nested_setting_may_be_named_alone() -> None:
    assert with_overrides(CONFIG, {"jitter": 0.5}).devices.jitter == 0.5
    assert with_overrides(CONFIG, {"devices.jitter": 0.5}).devices.jitter == 0.5


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("learning_rat", 0.1, "there is no setting 'learning_rat'; did you mean learning_rate"),
        ("devices.jiter", 0.1, "did you mean devices.jitter"),
        ("zzz", 1, "there is no setting 'zzz'; the settings are"),
        ("learning_rate", -1.0, "learning_rate is -1.0; it must be greater than 0"),
        ("learning_rate", 1e39, "learning_rate is 1e.39; it must be less than or eq"),
        ("largest_update", 1e300, "largest_update is 1e.300; it must be less than"),
        ("server_learning_rate", 1e39, "server_learning_rate is 1e.39; it must be less than"),
        ("learning_rate", float("nan"), "learning_rate is nan; it must be"),
        ("learning_rate", "fast", "learning_rate is 'fast'; it must be a valid number"),
        ("max_rounds", 2.5, "max_rounds is 2.5; it must be a valid integer"),
        ("evaluation", "often", "evaluation is 'often'; it must be 'target' or 'full'"),
        ("target_accuracy", 1.5, "target_accuracy is 1.5; it must be less than or equal to 1"),
        ("target_accuracy", None, 'evaluation is "target", which needs target_accuracy'),
        ("num_clusters", None, "num_clusters is None: give it, or upload_time_s"),
        ("devices.jitter", 7.0, "devices.jitter is 7.0"),
        ("devices", 7.0, "devices is 7.0; it must be a table of settings"),
        ("model_options", "mlp", "model_options is 'mlp'; it must be a table of settings"),
        ("model_options.dense", None, "model_options.dense is None; it must be true or false, a"),
        ("model_options.hidden", [8, "x"], r"model_options.hidden is \[8, 'x'\]; it must be true"),
        (
            "name",
            "../other",
            "name is '../other'; it must be the name of a folder, without a slash",
        ),
        ("name", " ", "name is ' '; it must be the name of a folder"),
        ("name", "..", "name is '..'; it must be the name of a folder"),
    ],
)
def test_a_wrong_setting_is_named(name: str, value: object, complaint: str) -> None:
    with pytest.raises(PipeflError, match=complaint):
        with_overrides(CONFIG, {name: value})


@pytest.mark.parametrize("table", ["devices", "model_options"])
def test_what_is_no_table_has_no_settings(table: str) -> None:
    with pytest.raises(PipeflError, match=f"^{table} is 3; it must be a table of settings$"):
        with_overrides(CONFIG, {table: 3, f"{table}.jitter": 0.1})


def test_an_upload_time_is_said_once() -> None:
    with pytest.raises(PipeflError, match="give one of them"):
        with_overrides(CONFIG, {"upload_time_s": 1.0, "upload_clusters": 2})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("learning_rate=0.05", ("learning_rate", 0.05)),
        ("policy = rolling", ("policy", "rolling")),
        ("stop_at_target=false", ("stop_at_target", False)),
        ("model_options.hidden=[50, 50]", ("model_options.hidden", [50, 50])),
        ("discipline=none", ("discipline", None)),
        ('name="a b"', ("name", "a b")),
    ],
)
def test_a_setting_is_read_as_toml_or_as_text(text: str, expected: tuple[str, object]) -> None:
    assert parse_setting(text) == expected


def test_a_setting_without_a_value_is_refused() -> None:
    with pytest.raises(PipeflError, match="--set is 'seed'; it must have the form name=value"):
        parse_setting("seed")


def test_a_file_with_an_unknown_setting_names_file_and_setting(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("num_clusters = 4\ntarget_accuracy = 0.9\nmax_round = 3\n")
    with pytest.raises(InputFileError, match=r"config\.toml: .*did you mean max_rounds"):
        read_config(path)


def test_files_that_are_none_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="there is no such config file"):
        read_config(tmp_path / "none.toml")
    path = tmp_path / "broken.toml"
    path.write_text("num_clusters = = 4")
    with pytest.raises(InputFileError, match="not a TOML file"):
        read_config(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputFileError, match="not a TOML file"):
        read_config(path)


def test_a_config_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        CONFIG.seed = 4


def test_an_unknown_name_in_a_table_is_named() -> None:
    with pytest.raises(PipeflError, match="there is no setting 'sed'"):
        config_from({"num_clusters": 1, "target_accuracy": 0.5, "sed": 1})
