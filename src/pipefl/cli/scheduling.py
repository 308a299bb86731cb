"""Running a schedule for as long as was asked, with a progress bar if it takes long."""

from collections.abc import Callable, Iterator

from pipefl.checks import count
from pipefl.cli.patience import progress
from pipefl.policies.many_rounds import is_memoryless, simulate_many_rounds
from pipefl.policies.policy import Schedule
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.scene import Scene
from pipefl.policies.step import Step
from pipefl.policies.summary import Summary, summarise
from pipefl.wireless import EnergyModel


def run_schedule(schedule: Schedule, scene: Scene, *, rounds: int, seed: int) -> Summary:
    """Simulate for the time of so many pipelined rounds, so that schedules compare."""
    plan = scene.needed_plan(schedule.name)
    until_s = count("--rounds", rounds) * plan.round_duration_s(scene.server_time_s)
    energy = EnergyModel.matching(scene.compute_time_s, scene.samples)
    with progress(schedule.name, rounds, "rounds") as advance:
        if isinstance(schedule, RoundSchedule) and is_memoryless(schedule, scene):
            return simulate_many_rounds(
                schedule, scene, until_s=until_s, seed=seed, energy=energy, progress=advance
            )
        steps = _watched(schedule.steps(scene, seed), until_s, advance)
        return summarise(schedule.name, steps, scene, until_s, energy)


def _watched(
    steps: Iterator[Step], until_s: float, advance: Callable[[float], None]
) -> Iterator[Step]:
    for step in steps:
        advance(min(1.0, step.end_s / until_s))
        yield step
