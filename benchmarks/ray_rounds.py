"""What a round costs on Ray beside local processes, and the parts of which that is made up."""

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from itertools import islice
from statistics import median
from time import perf_counter
from typing import Annotated

import numpy as np
import torch
import typer
from numpy.typing import NDArray

from measuring import Row, machine, medians_s, memory, progress, seconds, table, times
from pipefl.data.federated import Samples
from pipefl.models.catalogue import ModelSettings
from pipefl.models.heap import keep_freed_memory
from pipefl.randomness import generator
from pipefl.runs.config import DataConfig, RunConfig
from pipefl.train.algorithms.local_sgd import LocalSgd
from pipefl.train.assembly import assembled
from pipefl.train.executors.executor import Executor
from pipefl.train.executors.processes import Processes
from pipefl.train.executors.ray.ray_actors import RayActors
from pipefl.train.executors.serial import Serial
from pipefl.train.training import Training
from pipefl.train.work import Job, Judgement, Unit, UnitResult, dealt
from pipefl.train.workplace import Diligence, Workplace

NUM_SAMPLES, SAMPLES_EACH = 100_000, {"linear": 10, "cnn": 40}
COHORT, COHORTS = 32, (100, 1_000, 10_000)
FEW_AND_MANY, NUM_CHUNKS_JUDGED = (200, 2_000), 10


@dataclass
class Rounds:
    """One executor's rounds of one model, each with a version of its own."""

    model: str
    executor: Executor
    vectors: torch.Tensor
    num_rounds: int = field(default=0)

    def take(self, num_clients: int) -> torch.Tensor:
        """Send a version out, have the first clients work on it, and add their replies up."""
        self.num_rounds += 1
        self.executor.publish(self.num_rounds, self.vectors)
        results = self.executor.work(self.units(num_clients))
        total = torch.zeros_like(self.vectors)
        for result in results:
            total += result.sums
        self.executor.forget(self.num_rounds + 1)
        return total

    def judge(self, num_chunks: int = 0) -> None:
        """Have a version judged on so many chunks of images, or on one image."""
        self.executor.publish(0, self.vectors)
        chunks = np.arange(64 * num_chunks).reshape(num_chunks, 64)
        self.executor.judge(0, list(chunks) or [np.zeros(1, np.int64)])

    def units(self, num_clients: int) -> list[Unit]:
        """What a step of so many clients is dealt into."""
        number = self.num_rounds
        return dealt([Job(m, number, (number, m, 0), (1.0,)) for m in range(num_clients)])


def settings(model: str) -> ModelSettings:
    return ModelSettings(model=model)


def workplace(model: str) -> Workplace:
    """Made-up images of MNIST's size, so many for each client."""
    rng = generator(0, "benchmark")
    images = rng.integers(256, size=(NUM_SAMPLES, 28, 28), dtype=np.uint8)
    samples = Samples(images, rng.integers(10, size=NUM_SAMPLES).astype(np.uint8))
    offset = np.arange(0, NUM_SAMPLES + 1, SAMPLES_EACH[model])
    diligence = Diligence(learning_rate=0.1, batch_size=SAMPLES_EACH[model])
    return Workplace(settings(model).build(), samples, offset, samples[:1000], diligence)


@contextmanager
def rivals(model: str, workers: int) -> Iterator[dict[str, Rounds]]:
    """The same rounds in this process, in processes and on an embedded Ray, all begun."""
    place, algorithm = workplace(model), LocalSgd()
    vectors = place.model.initial(0).unsqueeze(0)
    executors: dict[str, Executor] = {"serial": Serial(place, algorithm)}
    try:
        executors["processes"] = Processes(place, algorithm, settings(model), workers)
        executors["ray"] = RayActors(place, algorithm, settings(model), workers)
        yield {name: Rounds(model, each, vectors) for name, each in executors.items()}
    finally:
        for executor in executors.values():
            executor.close()


def round_rows(of: dict[str, Rounds], cohorts: Sequence[int], repeats: int) -> list[Row]:
    """Rounds of so many clients on Ray, beside local processes."""
    found = []
    for size in cohorts:
        names = ("processes", "ray")
        taken = medians_s({name: partial(of[name].take, size) for name in names}, repeats)
        what = f"a round of {size:,} clients, {of['ray'].model}"
        beside = f"{seconds(taken['processes'])} processes"
        ratio = times(taken["ray"] / taken["processes"])
        found.append(Row(what, seconds(taken["ray"]), beside, ratio))
    return found


def loop_row(repeats: int) -> Row:
    """What one more client in a round costs the process that deals them out."""
    own_s = {}
    for size in FEW_AND_MANY:
        progress(f"the loop with {size:,} clients")
        config = RunConfig(
            dataset="mnist-subset",
            data=DataConfig(num_clients=FEW_AND_MANY[-1]),
            model="linear",
            policy="uniform",
            num_channels=size,
            upload_time_s=1.0,
            target_accuracy=0.99,
        )
        parts = assembled(config)
        executor = Clocked(Serial(parts.place, parts.algorithm))
        training = Training(parts, executor)
        own_s[size] = median(
            executor.outside_s(partial(training.take, step))
            for step in islice(parts.schedule.steps(parts.scene), repeats)
        )
    few, many = FEW_AND_MANY
    return Row(
        "the loop's own work for one client", seconds((own_s[many] - own_s[few]) / (many - few))
    )


@dataclass
class Clocked:
    """An executor that knows how long it has been at work, and sends what it is given."""

    executor: Executor
    inside_s: float = 0.0

    def outside_s(self, take: Callable[[], object]) -> float:
        """Seconds of a step that are not the executor's."""
        before_s, start_s = self.inside_s, perf_counter()
        take()
        return perf_counter() - start_s - (self.inside_s - before_s)

    def publish(self, version: int, vectors: torch.Tensor) -> None:
        """As the executor does."""
        self.executor.publish(version, vectors)

    def forget(self, before: int) -> None:
        """As the executor does."""
        self.executor.forget(before)

    def work(self, units: Sequence[Unit]) -> list[UnitResult]:
        """As the executor does, after the messages have been written and read outside."""
        received = pickle.loads(pickle.dumps(units))  # noqa: S301  # our own
        start_s = perf_counter()
        results = list(self.executor.work(received))
        self.inside_s += perf_counter() - start_s
        return results

    def judge(self, version: int, chunks: Sequence[NDArray[np.int64]]) -> list[Judgement]:
        """As the executor does."""
        start_s = perf_counter()
        judgements = self.executor.judge(version, chunks)
        self.inside_s += perf_counter() - start_s
        return judgements

    def close(self) -> None:
        """As the executor does."""
        self.executor.close()


def part_rows(of: dict[str, Rounds], repeats: int) -> list[Row]:
    """The parts of a round of the paper's CNN, which docs/ray.md adds up."""
    ray, serial = of["ray"], of["serial"]
    model = memory(ray.vectors.nbytes)
    reply = ray.vectors.clone()
    taken = medians_s(
        {
            "question, ray": ray.judge,
            "question, serial": serial.judge,
            "client, ray": partial(ray.take, 1),
            "client, serial": partial(serial.take, 1),
            "version": partial(ray.executor.publish, 0, ray.vectors),
            "judging": partial(serial.judge, NUM_CHUNKS_JUDGED),
            "adding": partial(torch.add, reply, ray.vectors, out=reply),
        },
        repeats,
    )
    image_s = taken["judging"] / (64 * NUM_CHUNKS_JUDGED)
    call_s = taken["question, ray"] - taken["question, serial"] - taken["version"]
    reply_s = taken["client, ray"] - taken["client, serial"] - taken["version"] - call_s
    return [
        Row("one client, 40 images, cnn, one thread", seconds(taken["client, serial"])),
        Row("judging one image, cnn, one thread", seconds(image_s)),
        Row(f"a version into the store, {model}", seconds(taken["version"])),
        Row("a question and its answer", seconds(max(call_s, 0.0))),
        Row(f"a reply out of the store, {model}", seconds(max(reply_s, 0.0))),
        Row(f"adding a reply, {model}", seconds(taken["adding"])),
    ]


def beginning_s(model: str, workers: int) -> float:
    """Seconds until an embedded Ray has begun, answers, and has ended."""
    place, start_s = workplace(model), perf_counter()
    RayActors(place, LocalSgd(), settings(model), workers).close()
    return perf_counter() - start_s


def main(
    workers: Annotated[int, typer.Option(help="Processes, and actors of Ray.")] = 2,
    repeats: Annotated[int, typer.Option(help="Repetitions for each median.")] = 9,
) -> None:
    """Measure and print the table."""
    keep_freed_memory()
    torch.set_num_threads(1)
    begun_s = beginning_s("linear", workers)
    with rivals("linear", workers) as linear:
        found = round_rows(linear, (COHORT, *COHORTS), repeats)
    found.append(loop_row(repeats))
    with rivals("cnn", workers) as cnn:
        found += round_rows(cnn, (COHORT,), repeats)
        found += part_rows(cnn, repeats)
    found.append(Row(f"an embedded Ray of {workers} actors, begun and ended", seconds(begun_s)))
    progress("")
    packages = ", ".join(f"{name} {version(name)}" for name in ("torch", "ray"))
    print(f"{datetime.now(tz=UTC):%Y-%m-%d}; {machine()}, {packages}")
    print(f"{workers} workers; medians of {repeats}\n")
    print(table(found))


if __name__ == "__main__":
    typer.run(main)
