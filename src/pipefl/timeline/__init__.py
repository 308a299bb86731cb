"""One round on the clock: who computes, waits and uploads when, and on which sub-channel."""

from pipefl.timeline.batch import NOBODY, Rounds, simulate_rounds
from pipefl.timeline.demand import DISCIPLINES, MISSED, Discipline, Missed
from pipefl.timeline.formulas import conventional_round_s, measured_efficiency, total_time_s
from pipefl.timeline.round import Round
from pipefl.timeline.single import simulate_round

__all__ = [
    "DISCIPLINES",
    "MISSED",
    "NOBODY",
    "Discipline",
    "Missed",
    "Round",
    "Rounds",
    "conventional_round_s",
    "measured_efficiency",
    "simulate_round",
    "simulate_rounds",
    "total_time_s",
]
