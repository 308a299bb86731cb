"""How fast training is, as ratios to a plain PyTorch loop, measured in one run.

`python benchmarks/training.py` takes about five minutes, with `--quick` less than 30 s.
"""

from datetime import UTC, datetime
from typing import Annotated

import typer

from arithmetic import share_rows
from large_rounds import full_gradient_rows, memory_rows
from measuring import machine, progress, table
from overhead import overhead_rows
from throughput import throughput_rows
from to_target import to_target_rows
from where_time_goes import shares_table


def main(
    repeats: Annotated[int, typer.Option(help="Rounds timed for each median.")] = 9,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small rounds of the data that come with PipeFL.")
    ] = False,
) -> None:
    """Measure and print the tables; goals are shown beside the ratios, never enforced."""
    repeats = 1 if quick else repeats
    rows, rates, sources = throughput_rows(repeats, small=quick)
    rows += share_rows(rates, repeats)
    more, source = to_target_rows(small=quick)
    rows += more
    of_gradient, _ = full_gradient_rows(1 if quick else 3, small=quick)
    rows += [*of_gradient, *overhead_rows(4 * repeats, small=quick), *memory_rows(small=quick)]
    shares = shares_table(1 if quick else 3, small=quick)
    progress("")
    print(f"{datetime.now(tz=UTC):%Y-%m-%d}; {machine('torch')}")
    for each in sorted(sources | {source}):
        print(each)
    print(f"batches of 16; reference: plain PyTorch, two threads; medians of {repeats}\n")
    print(table(rows))
    print(f"\n{shares}")


if __name__ == "__main__":
    typer.run(main)
