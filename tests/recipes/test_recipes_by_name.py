"""Recipes by name: full configurations, each of which can be assembled."""

from pathlib import Path

import h5py  # type: ignore[import-untyped]  # it comes without types
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl.errors import ArgumentError
from pipefl.plan import choose_num_clusters
from pipefl.recipes.catalogue import RECIPES, recipe_config
from pipefl.runs.config import RunConfig
from pipefl.runs.overrides import with_overrides
from pipefl.runs.toml_files import config_toml, read_config
from pipefl.train.assembly import assembled

ROUNDS_OF_THE_PAPER = [name for name in RECIPES if not name.startswith("demo-")]


@pytest.fixture
def data(data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All data that are here, and some people's handwriting in the files of federated EMNIST."""
    for folder in data_folder.iterdir():
        (tmp_path / folder.name).symlink_to(folder)
    (tmp_path / "emnist").mkdir()
    rng = np.random.default_rng(0)
    for part, sizes in (("train", (11, 23, 19, 31, 12, 27)), ("test", (2, 3, 2, 4, 1, 3))):
        path = tmp_path / "emnist" / f"fed_emnist_digitsonly_{part}.h5"
        with h5py.File(path, "w") as file:
            for person, size in enumerate(sizes):
                ink = rng.random((size, 28, 28)).astype(np.float32) ** 4
                file[f"examples/f{person:04}_00/pixels"] = 1 - ink
                file[f"examples/f{person:04}_00/label"] = rng.integers(10, size=size)
    monkeypatch.setenv("PIPEFL_DATA", str(tmp_path))


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_can_be_assembled(name: str) -> None:
    config = recipe_config(name)
    parts = assembled(config)
    step = next(parts.schedule.steps(parts.scene, config.seed))
    assert step.client.size == config.num_channels * (
        1 if config.policy == "uniform" else config.num_clusters or 0
    )
    sigma = config.devices.seconds_per_sample
    assert parts.scene.compute_time_s.tolist() == (sigma * parts.dataset.num_samples).tolist()


@pytest.mark.paper("eq:choosing_K")
@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("name", ["mnist-cnn", "nist-writers-cnn", "emnist-cnn"])
def test_the_papers_upload_time_makes_k_clusters(name: str) -> None:
    """τ_com = (τ_max − τ_min)/K, from which eq:choosing_K gives K again, for every K."""
    dataset = assembled(recipe_config(name)).dataset
    for num_clusters in range(1, 13):
        config = recipe_config(f"{name}-k{num_clusters}")
        scene = assembled(config, dataset).scene
        spread_s = np.ptp(scene.compute_time_s)
        upload_time_s = float(scene.upload_time_s[0])
        assert upload_time_s == pytest.approx(spread_s / num_clusters)
        assert choose_num_clusters(scene.compute_time_s, upload_time_s) == num_clusters
        assert scene.plan is not None
        assert scene.plan.num_clusters == num_clusters


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_is_read_back_from_its_file(name: str, tmp_path: Path) -> None:
    config = recipe_config(name)
    path = tmp_path / "config.toml"
    path.write_text(config_toml(config))
    assert read_config(path) == config
    assert RunConfig.model_validate(config.model_dump()) == config


@given(
    st.sampled_from(ROUNDS_OF_THE_PAPER),
    st.none() | st.integers(1, 10**6),
    st.none() | st.integers(1, 10**6),
)
def test_k_and_n_are_read_from_the_name(base: str, k: int | None, n: int | None) -> None:
    name = base + (f"-k{k}" if k else "") + (f"-n{n}" if n else "")
    config = recipe_config(name)
    assert (config.num_clusters, config.num_channels) == (k or 4, n or 1)
    assert config.name == f"{base}-k{k or 4}-n{n or 1}"
    conventional = ("uniform", "wait-all") if k == 1 else ("clustered", "slots")
    assert (config.policy, config.discipline) == conventional


@pytest.mark.parametrize(
    "name", ["", "mnist", "mnist-cnn-k0", "mnist-cnn-n0", "mnist-cnn-n1-k4", "mnist-cnn-k-1"]
)
def test_other_names_are_refused_with_those_that_there_are(name: str) -> None:
    with pytest.raises(ArgumentError, match=f"recipe is '{name}'; .*the recipes are mnist-cnn"):
        recipe_config(name)


def test_the_papers_settings() -> None:
    """Section V: batches of 16 (of text, of 10), one epoch, and each table's target."""
    targets = {"mnist-cnn": 0.97, "mnist-mlp": 0.96, "emnist-cnn": 0.97, "shakespeare-lstm": 0.40}
    for name, target in targets.items():
        config = recipe_config(name)
        assert config.target_accuracy == target
        assert (config.algorithm, config.local_epochs) == ("local-sgd", 1)
        assert config.batch_size == (10 if name == "shakespeare-lstm" else 16)
    assert recipe_config("mnist-cnn").data.partition == "sizes:10:70"
    assert recipe_config("mnist-cnn").data.num_clients == 1500


def test_the_halves_of_the_demo_differ_in_their_schedule_alone() -> None:
    one, other = (recipe_config(f"demo-{half}-k3-n2") for half in ("conventional", "clustered"))
    schedule = {"name": other.name, "policy": "clustered", "discipline": "slots"}
    assert with_overrides(one, schedule) == other
    assert (one.policy, one.discipline, one.num_channels) == ("uniform", "wait-all", 2)
