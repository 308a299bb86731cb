"""A policy and a discipline make a schedule of rounds."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count as numbers
from math import isinf

import numpy as np
from numpy.typing import NDArray

from pipefl.devices.jitter import Jitter
from pipefl.policies.policy import RoundPolicy, State
from pipefl.policies.scene import Scene
from pipefl.policies.step import Step
from pipefl.randomness import generator
from pipefl.timeline.demand import Discipline, Missed
from pipefl.timeline.round import Round
from pipefl.timeline.single import check_choices, simulate_round


@dataclass(frozen=True)
class RoundSchedule:
    """Round after round: the policy selects, the clients compute, the discipline uploads.

    With `jitter` a client's compute time varies from round to round. What a client that
    misses its slot does says `missed`, as in `simulate_round`. In a scene with
    `availability` a round begins when somebody can be reached, and the rounds come to an
    end if nobody will ever be again.
    """

    policy: RoundPolicy
    discipline: Discipline = "slots"
    missed: Missed = "drop"
    jitter: Jitter | None = None

    @property
    def name(self) -> str:
        """The policy's and the discipline's, such as `clustered/slots`."""
        return f"{self.policy.name}/{self.discipline}"

    def steps(self, scene: Scene, seed: int = 0) -> Iterator[Step]:
        """One step a round, for ever unless everybody has left for good."""
        return (step for step, _ in self.rounds(scene, seed))

    def rounds(self, scene: Scene, seed: int = 0) -> Iterator[tuple[Step, Round]]:
        """Every step with the round that led to it; draws of round t depend on seed and t.

        What the policy or the discipline lacks is complained of at once.
        """
        check_choices(self.discipline, self.missed, scene.plan, scene.num_clients)
        return self._rounds(_first_state(scene, self.policy.start(scene)), seed)

    def _rounds(self, before: State, seed: int) -> Iterator[tuple[Step, Round]]:
        scene = before.scene
        begun = np.full(scene.num_clients, -1, dtype=np.int64)
        for index in numbers():
            state = _when_somebody_is_there(before)
            if state is None:
                return
            cohort = self.policy.select(index, state, generator(seed, "select", index))
            cohort = cohort[~np.isin(cohort, state.carried)]
            begun[cohort] = index
            round_, out_of_reach = self._simulated(state, cohort, index, seed)
            carried = self._carried_over(state.carried, round_)
            oldest = int(begun[carried].min(initial=index + 1))
            step = _step(
                round_, state.clock_s, begun, out_of_reach, index=index, oldest_version=oldest
            )
            yield step, round_
            after = replace(_after(state, round_, index, step.end_s), carried=carried)
            before = replace(after, memory=self.policy.learn(index, after, round_))

    def _carried_over(self, carried: NDArray[np.intp], round_: Round) -> NDArray[np.intp]:
        """Who will upload in a later round what was computed in this one or before."""
        if self.missed != "carry":
            return carried
        waiting = carried[~np.isin(carried, round_.client)]
        return np.concatenate([waiting, round_.missed])

    def _simulated(
        self, state: State, cohort: NDArray[np.intp], index: int, seed: int
    ) -> tuple[Round, NDArray[np.intp]]:
        """The round, and who was selected but is not available or has no rate in it."""
        scene = state.scene
        times = scene.compute_time_s
        if self.jitter is not None:
            times = self.jitter.times_s(times, index, seed)
        uploads_s = scene.round_upload_time_s(index)
        in_reach = state.available & np.isfinite(uploads_s)
        round_ = simulate_round(
            cohort[in_reach[cohort]],
            times,
            np.where(in_reach, uploads_s, 1.0),
            scene.num_channels,
            discipline=self.discipline,
            plan=scene.plan,
            server_time_s=scene.server_time_s,
            missed=self.missed,
            carried=state.carried[in_reach[state.carried]],
        )
        if round_.client.size == 0 and self.discipline != "slots":
            # Nobody answers: the server tries again after the time of an upload.
            duration_s = float(scene.upload_time_s.max()) + scene.server_time_s
            round_ = replace(round_, duration_s=duration_s)
        return round_, cohort[~in_reach[cohort]]


def _first_state(scene: Scene, memory: object) -> State:
    return State(
        scene=scene,
        clock_s=0.0,
        participation=np.zeros(scene.num_clients, dtype=np.int64),
        last_round=np.full(scene.num_clients, -1, dtype=np.int64),
        observed_time_s=np.full(scene.num_clients, np.nan),
        available=scene.available(0.0),
        carried=np.zeros(0, dtype=np.intp),
        memory=memory,
    )


def _when_somebody_is_there(state: State) -> State | None:
    """The state at the first time from now on at which anybody can be reached, if there is one."""
    scene = state.scene
    clock_s = scene.first_available_s(np.arange(scene.num_clients), state.clock_s)
    if isinf(clock_s):
        return None
    return replace(state, clock_s=clock_s, available=scene.available(clock_s))


def _after(state: State, round_: Round, index: int, clock_s: float) -> State:
    """The state with what the round showed."""
    delivered = round_.client[round_.delivered]
    participation, last_round = state.participation.copy(), state.last_round.copy()
    observed_time_s = state.observed_time_s.copy()
    participation[delivered] += 1
    last_round[delivered] = index
    on_time = round_.delivered & (round_.ready_s > 0)
    observed_time_s[round_.client[on_time]] = round_.ready_s[on_time]
    return replace(
        state,
        clock_s=clock_s,
        participation=participation,
        last_round=last_round,
        observed_time_s=observed_time_s,
    )


def _step(
    round_: Round,
    clock_s: float,
    begun: NDArray[np.int64],
    out_of_reach: NDArray[np.intp],
    *,
    index: int,
    oldest_version: int,
) -> Step:
    delivered = round_.delivered
    client = round_.client[delivered]
    return Step(
        index=index,
        start_s=clock_s,
        end_s=clock_s + round_.duration_s,
        client=client,
        version=begun[client],
        channel=round_.channel[delivered],
        upload_start_s=clock_s + round_.upload_start_s[delivered],
        upload_end_s=clock_s + round_.upload_end_s[delivered],
        missed=np.concatenate([round_.missed, out_of_reach]),
        oldest_version=oldest_version,
    )
