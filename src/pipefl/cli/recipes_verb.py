"""`pipefl recipes`: what can be run by name."""


def recipes_verb() -> None:
    """List the recipes that `pipefl run` knows."""
    from rich.console import Console
    from rich.table import Table

    from pipefl.recipes.catalogue import RECIPES

    table = Table(box=None, pad_edge=False, padding=(0, 2))
    table.add_column("recipe")
    table.add_column("what it is")
    table.add_row("demo", "both halves of the demo, compared in rounds and in seconds")
    for name, recipe in RECIPES.items():
        table.add_row(name, recipe.about)
    Console().print(table)
    print("\nEach but demo takes -kK and -nN for K clusters and N sub-channels: mnist-cnn-k2-n8.")
