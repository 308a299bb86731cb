"""Recipes by name, such as `mnist-cnn-k4-n1`."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from pipefl.errors import ArgumentError
from pipefl.recipes import demo, paper
from pipefl.runs.config import RunConfig
from pipefl.settings import nearest

_NAME = re.compile(r"(?P<base>.+?)(-k(?P<k>[1-9]\d*))?(-n(?P<n>[1-9]\d*))?")


@dataclass(frozen=True)
class Recipe:
    """A configuration for every number of clusters K and of sub-channels N."""

    about: str
    make: Callable[[int, int], RunConfig]
    num_clusters: int = 4
    num_channels: int = 1


RECIPES = {
    "mnist-cnn": Recipe("table I: the CNN on MNIST to 97 %", paper.mnist_cnn),
    "mnist-mlp": Recipe("table II: the MLP on MNIST to 96 %", paper.mnist_mlp),
    "emnist-cnn": Recipe("table III: the CNN on federated EMNIST to 97 %", paper.emnist_cnn),
    "nist-writers-cnn": Recipe("as table III, MNIST by its real writers", paper.nist_writers_cnn),
    "nist-sizes-cnn": Recipe("as table III, all writers' sizes and labels", paper.nist_sizes_cnn),
    "shakespeare-lstm": Recipe("table IV: the LSTM on Shakespeare to 40 %", paper.shakespeare_lstm),
    "demo-conventional": Recipe("the demo's first half: N random clients", demo.demo_conventional),
    "demo-clustered": Recipe(
        "the demo's second half: N clients of each cluster", demo.demo_clustered
    ),
}


def recipe_config(name: str) -> RunConfig:
    """The configuration of a recipe, with K and N from its name if they are in it.

    >>> config = recipe_config("mnist-cnn-k2-n8")
    >>> config.num_clusters, config.num_channels, config.discipline
    (2, 8, 'slots')
    """
    match = _NAME.fullmatch(name)
    recipe = RECIPES.get(match["base"]) if match else None
    if match is None or recipe is None:
        hint = nearest(name, RECIPES)
        names = ", ".join(RECIPES)
        accepted = f"{hint}the recipes are {names}, each with -kK and -nN, or a file config.toml"
        raise ArgumentError("recipe", name, accepted)
    clusters = int(match["k"] or recipe.num_clusters)
    channels = int(match["n"] or recipe.num_channels)
    return recipe.make(clusters, channels)
