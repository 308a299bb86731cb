"""Rounds of many clients: their gradient at once, and the memory that their data take."""

import os
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from statistics import median

from cases import UNJUDGED, Case, blank_images, case, training
from measuring import Row, in_fresh_process, memory, progress, seconds, seconds_of, times

UNION_BATCH = 256
IMAGES_OF_EACH = 40


def full_gradient_rows(repeats: int, *, small: bool) -> tuple[list[Row], str]:
    """A round of full gradients beside one gradient over the union of the clients' samples."""
    num_clients = 100 if small else 1000
    of = case("CNN", clients_a_round=num_clients, small=small)
    progress(f"full gradients of {num_clients:,} clients")
    parts = of.assembled(algorithm="full-gradient", executor="processes", workers=2, **UNJUDGED)
    reference = of.reference()
    ours_s, union_s = [], []
    with training(parts) as (ours, steps):
        for number, step in enumerate(islice(steps, repeats + 1)):
            cohort = step.client.tolist()
            if not number:
                ours.take(step)
                continue
            union_s.append(seconds_of(reference.full_gradient, cohort, UNION_BATCH))
            ours_s.append(seconds_of(ours.take, step))
    ratio = median(ours / union for ours, union in zip(ours_s, union_s, strict=True))
    what = f"CNN, a full-gradient round of {num_clients:,} clients"
    beside = f"{seconds(median(union_s))} plain gradient"
    return [Row(what, seconds(median(ours_s)), beside, times(ratio), "≤ 1.1×")], of.source


def memory_rows(*, small: bool) -> list[Row]:
    """What a round holds more for many clients than for few, beside the data."""
    many = 10**4 if small else 10**5
    progress(f"memory of {many:,} clients")
    few_bytes, many_bytes = (in_fresh_process(held_bytes, number) for number in (10, many))
    data_bytes = (many - 10) * IMAGES_OF_EACH * (28 * 28 + 1)
    what = f"memory of {many:,} clients of {IMAGES_OF_EACH} images"
    held = many_bytes - few_bytes
    beside = f"{memory(data_bytes)} data"
    return [Row(what, memory(held), beside, times(held / data_bytes), "≤ 1.1×")]


def held_bytes(num_clients: int) -> int:
    """The peak of memory, all processes together, from the data to the end of two rounds."""
    data = blank_images(num_clients, IMAGES_OF_EACH)
    of = Case(case("CNN", clients_a_round=4, small=True).config, data)
    # All compute for the same time, so that no upload time follows from that.
    parts = of.assembled(executor="processes", workers=2, upload_time_s=1.0, **UNJUDGED)
    with training(parts) as (ours, steps):
        for step in islice(steps, 2):
            ours.take(step)
        workers = sum(_own_bytes(pid) for pid in _children())
        return _kilobytes("status")["VmHWM"] * 1024 + workers


def _children() -> Iterable[int]:
    return map(int, Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split())


def _own_bytes(pid: int) -> int:
    """What a process holds that no other one does; mapped data counts once, where it is made."""
    held = _kilobytes("smaps_rollup", pid)
    return (held["Private_Clean"] + held["Private_Dirty"]) * 1024


def _kilobytes(file: str, pid: int | str = "self") -> dict[str, int]:
    lines = Path(f"/proc/{pid}/{file}").read_text().splitlines()
    return {line.split(":")[0]: int(line.split()[1]) for line in lines if line.endswith(" kB")}
