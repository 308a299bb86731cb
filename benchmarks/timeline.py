"""Rounds a second: many rounds at once, the event-driven round, and the same model in simpy."""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from itertools import islice
from typing import Annotated, Any

import numpy as np
import typer

import pipefl
from measuring import Row, machine, medians_s, progress, seconds, table, times
from pipefl.policies.clustered import Clustered
from pipefl.policies.many_rounds import simulate_many_rounds
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.scene import Scene
from pipefl.randomness import generator
from pipefl.timeline import Discipline

NUM_CLIENTS, NUM_CLUSTERS, NUM_CHANNELS, UPLOAD_S = 10_000, 4, 8, 1.5
EVENT_DRIVEN_ROUNDS, SIMPY_ROUNDS = 400, 100


def scene() -> Scene:
    """10⁴ clients that compute 1 to 7 s, in four clusters, over eight sub-channels."""
    times_s = generator(0, "benchmark").uniform(1.0, 7.0, NUM_CLIENTS)
    plan = pipefl.plan_clusters(times_s, UPLOAD_S, num_clusters=NUM_CLUSTERS)
    return Scene(times_s, np.full(NUM_CLIENTS, UPLOAD_S), NUM_CHANNELS, plan=plan)


def at_once(of: Scene, discipline: Discipline, num_rounds: int) -> int:
    """Simulate for the time of that many rounds in slots; how many it were."""
    until_s = num_rounds * of.needed_plan("benchmark").round_duration_s()
    schedule = RoundSchedule(Clustered(), discipline)
    return simulate_many_rounds(schedule, of, until_s=until_s).num_steps


def event_driven(of: Scene, discipline: Discipline) -> None:
    """Simulate round after round with a heap of sub-channels."""
    steps = RoundSchedule(Clustered(), discipline).steps(of)
    for _ in islice(steps, EVENT_DRIVEN_ROUNDS):
        pass


def in_simpy(of: Scene, discipline: Discipline) -> float:
    """The same rounds as processes that compute, wait and hold one of N resources."""
    simpy = import_module("simpy")
    plan = of.needed_plan("benchmark")
    policy = Clustered()
    members = policy.start(of)
    environment = simpy.Environment()
    channels = simpy.Resource(environment, capacity=NUM_CHANNELS)

    def client(ready_s: float, slot_s: float) -> Iterator[Any]:
        yield environment.timeout(max(ready_s, slot_s) if discipline == "slots" else ready_s)
        with channels.request() as granted:
            yield granted
            yield environment.timeout(UPLOAD_S)

    def rounds() -> Iterator[Any]:
        for index in range(SIMPY_ROUNDS):
            rng = generator(0, "select", index)
            cohort = np.concatenate([rng.choice(m, NUM_CHANNELS, replace=False) for m in members])
            ready_s = of.compute_time_s[cohort].tolist()
            slots_s = plan.slot_time_s[plan.cluster_of[cohort]].tolist()
            pairs = zip(ready_s, slots_s, strict=True)
            yield environment.all_of([environment.process(client(*pair)) for pair in pairs])

    environment.process(rounds())
    environment.run()
    return float(environment.now)


def rows(num_rounds: int, repeats: int) -> list[Row]:
    """Both disciplines: seconds a round, and the ratios."""
    of = scene()
    found = []
    disciplines: tuple[Discipline, ...] = ("slots", "fifo")
    for discipline in disciplines:
        simulated = at_once(of, discipline, num_rounds)
        taken = medians_s(
            {
                "at once": partial(at_once, of, discipline, num_rounds),
                "event-driven": partial(event_driven, of, discipline),
                "simpy": partial(in_simpy, of, discipline),
            },
            repeats,
        )
        round_s = taken["at once"] / simulated
        for rival, number in (("event-driven", EVENT_DRIVEN_ROUNDS), ("simpy", SIMPY_ROUNDS)):
            rival_s = taken[rival] / number
            what = f"{discipline}, a round of {simulated:,} at once"
            beside = f"{seconds(rival_s)} {rival}"
            found.append(Row(what, seconds(round_s), beside, times(rival_s / round_s), "≥ 100×"))
    return found


def main(
    rounds: Annotated[float, typer.Option(help="Rounds to simulate at once.")] = 1e6,
    repeats: Annotated[int, typer.Option(help="Repetitions for each median.")] = 5,
) -> None:
    """Measure and print the table; goals are shown beside the ratios, never enforced."""
    found = rows(int(rounds), repeats)
    progress("")
    print(f"{datetime.now(tz=UTC):%Y-%m-%d}; {machine()}")
    print(f"M = {NUM_CLIENTS:,}, K = {NUM_CLUSTERS}, N = {NUM_CHANNELS}; medians of {repeats}\n")
    print(table(found))


if __name__ == "__main__":
    typer.run(main)
