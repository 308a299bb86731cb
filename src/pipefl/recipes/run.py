"""`pipefl.run`: a recipe or a configuration, run to its end."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pipefl.recipes.catalogue import recipe_config
from pipefl.runs.config import RunConfig
from pipefl.runs.overrides import with_overrides
from pipefl.runs.toml_files import read_config

if TYPE_CHECKING:
    from pipefl.train.observer import Observer
    from pipefl.train.result import RunResult


def run(
    recipe: str | Path | RunConfig,
    *,
    overrides: Mapping[str, object] | None = None,
    runs_dir: str | Path = "runs",
    resume: bool = False,
    observers: "Sequence[Observer]" = (),
    stop: Callable[[], bool] = lambda: False,
) -> "RunResult":
    """Train in the clock: a recipe's name, the path of a config.toml, or a `RunConfig`.

    `overrides` change single settings by name. The run's files are in `runs_dir`/`name`;
    what is there already is gone on with if `resume` is true, and complained of otherwise.
    After every round `observers` are told of it, and `stop` is asked whether to go on.

        result = pipefl.run("mnist-cnn-k4-n1", overrides={"seed": 3, "max_rounds": 50})
        result.rounds_to_target, result.seconds_to_target, result.history
    """
    from pipefl.train.run_config import run_config

    config = with_overrides(chosen_config(recipe), overrides or {})
    return run_config(config, runs_dir=runs_dir, resume=resume, observers=observers, stop=stop)


def chosen_config(recipe: str | Path | RunConfig) -> RunConfig:
    """The configuration that a recipe's name, a path or a configuration stands for."""
    if isinstance(recipe, RunConfig):
        return recipe
    if isinstance(recipe, Path) or recipe.endswith(".toml"):
        return read_config(Path(recipe))
    return recipe_config(recipe)
