"""What a run's page is made from: the run as recorded, and what follows from it."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pipefl.plan import ClusterPlan
from pipefl.policies.scene import Scene
from pipefl.policies.schedules import FLOWS
from pipefl.policies.step import Step
from pipefl.policies.summary import Summary, summarise
from pipefl.report.curve_chart import RunCurves
from pipefl.runs.history import history
from pipefl.runs.planned_clients import as_planned
from pipefl.runs.recorded import RecordedRun, read_run
from pipefl.runs.replay import recorded_scene, recorded_steps, refuse_foreign_clients


@dataclass(frozen=True, eq=False)
class RunView:
    """A run, with its schedule summed up where its plan is there and a round was done."""

    run: RecordedRun

    @property
    def has_rounds(self) -> bool:
        """Whether the policy works in rounds; without, the server steps as uploads come in."""
        return self.run.config.policy not in FLOWS

    @property
    def step_name(self) -> str:
        """What one record is called."""
        return "round" if self.has_rounds else "step"

    @property
    def clock_name(self) -> str:
        """What its seconds are counted on."""
        return "the clock" if self.run.is_federation else "the simulated clock"

    @cached_property
    def in_plan(self) -> RecordedRun:
        """The run with its clients numbered as in its plan, those of the plan alone."""
        return as_planned(self.run)

    @cached_property
    def curves(self) -> RunCurves:
        """Accuracy and loss."""
        return RunCurves(
            history(self.run.records),
            self.run.config.target_accuracy,
            self.step_name,
            self.clock_name,
        )

    @cached_property
    def steps(self) -> list[Step]:
        """The server's steps."""
        return list(recorded_steps(self.run.records))

    @cached_property
    def planned(self) -> tuple[ClusterPlan, Scene] | None:
        """The plan and the scene, None if the plan's file is missing."""
        if self.run.plan is None:
            return None
        refuse_foreign_clients(self.in_plan, self.run.plan)
        return self.run.plan, recorded_scene(self.in_plan, self.run.plan)

    @cached_property
    def summary(self) -> Summary | None:
        """The schedule as it went."""
        if self.planned is None or not self.run.records:
            return None
        _, scene = self.planned
        steps = recorded_steps(self.in_plan.records)
        return summarise(self.run.schedule, steps, scene, self.run.clock_s)


def run_view(path: Path) -> RunView:
    """The view of a run's folder."""
    return RunView(read_run(path))
