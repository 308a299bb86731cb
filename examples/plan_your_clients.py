"""Plan for clients of your own: read them, choose K and Δ, write who transmits when."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

import pipefl
from pipefl.report import plan_chart, save_chart


def main() -> None:
    """Walk through the planner with 200 made-up phones."""
    with TemporaryDirectory() as folder:
        times_file = Path(folder) / "times.csv"
        _write_some_clients(times_file)
        clients = pipefl.read_population(times_file)

        wish = pipefl.recommend(
            clients.compute_time_s, upload_time_s=4.0, num_channels=2, min_clients_per_round=10
        )
        print(wish.reason)
        for k, slot_s in enumerate(wish.plan.slot_time_s):
            print(f"cluster {k + 1}: {wish.plan.size[k]} clients transmit at {slot_s:.1f} s")

        chart = save_chart(
            plan_chart("round", wish.plan, num_channels=2), Path(folder) / "round.svg"
        )
        print(f"{chart.name}: {chart.stat().st_size // 1000} kB")


def _write_some_clients(path: Path) -> None:
    rng = np.random.default_rng(4)
    times_s = rng.lognormal(np.log(20.0), 0.4, 200)
    pl.DataFrame({"client_id": range(200), "compute_time_s": times_s}).write_csv(path)


if __name__ == "__main__":
    main()
