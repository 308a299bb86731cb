"""A run's training: from the server's steps to new versions of the model and their records."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pipefl.policies.step import Step
from pipefl.runs.records import RoundRecord, finite
from pipefl.train.algorithms.local_sgd import LocalSgd
from pipefl.train.assembly import Assembly
from pipefl.train.evaluation import Evaluator, Verdict
from pipefl.train.executors.executor import Executor, one_thread
from pipefl.train.sums import added_up
from pipefl.train.weighting import Shares, shares
from pipefl.train.work import Job, Own, Report, dealt, turns

_UNJUDGED = Verdict(None, None, 0)


class Training:
    r"""Takes one step of the schedule after the other; all that changes in a run is in here.

    A step names the clients whose uploads the server now has and the version of the model
    that each of them was given. Their work is done when the step is taken, from that
    version's vectors, which are kept until no later step can refer to them.

    Paper: alg:csgd, its lines 5 to 11, with eq:gradients_averaging and eq:global_update.
    """

    def __init__(self, parts: Assembly, executor: Executor) -> None:
        self._parts = parts
        self._executor = executor
        algorithm = parts.algorithm
        start = algorithm.start(parts.initial.numel())
        self._sent = {0: torch.cat([parts.initial.unsqueeze(0), start])}
        self._own: dict[int, Own] = {}
        self._evaluator = Evaluator(parts.place.test.targets, parts.config.target_accuracy)
        self._all_samples = int(parts.scene.samples.sum())
        self._num_steps = 0
        self._company = _company(parts)
        executor.publish(0, self._sent[0])

    @property
    def num_steps(self) -> int:
        """How many steps have been taken."""
        return self._num_steps

    @property
    def model(self) -> Tensor:
        """The newest model's weights."""
        return self._sent[self._num_steps][0]

    def take(self, step: Step) -> RoundRecord:
        """Do the clients' work, step, judge the new model if it is due, and say what happened."""
        with one_thread():
            reports = self._stepped(step)
            verdict = self._judged()
        record = RoundRecord(
            round=step.index + 1,
            start_s=step.start_s,
            duration_s=step.duration_s,
            clock_s=step.end_s,
            client=step.client.tolist(),
            version=step.version.tolist(),
            client_loss=[finite(report.loss) for report in reports],
            channel=step.channel.tolist(),
            upload_start_s=step.upload_start_s.tolist(),
            upload_end_s=step.upload_end_s.tolist(),
            missed=step.missed.tolist(),
            refused={str(each.client): each.refused for each in reports if each.refused},
            loss=self._mean_loss(reports),
            accuracy=verdict.accuracy,
            accuracy_at_most=verdict.accuracy_at_most,
            num_judged=verdict.num_judged,
        )
        self._parts.losses.hear(record.client, record.client_loss)
        return record

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that later steps depend on, as named arrays."""
        arrays: dict[str, NDArray[Any]] = {"badness": self._evaluator.badness}
        arrays |= {f"sent/{version}": each.numpy() for version, each in self._sent.items()}
        arrays |= {f"server/{name}": t.numpy() for name, t in self._parts.server.state().items()}
        for client, own in self._own.items():
            arrays |= {f"own/{client}/{place}": array for place, array in enumerate(own)}
        return arrays

    def restore(self, num_steps: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `arrays` gave after so many steps."""
        tables: dict[str, dict[str, NDArray[Any]]] = {"sent": {}, "server": {}, "own": {}}
        for name, array in arrays.items():
            table, _, rest = name.partition("/")
            if rest:
                tables[table][rest] = array
        self._num_steps = num_steps
        self._evaluator.badness[:] = arrays["badness"]
        self._sent = {int(v): torch.from_numpy(array) for v, array in tables["sent"].items()}
        self._own = _grouped(tables["own"])
        server = {name: torch.from_numpy(array) for name, array in tables["server"].items()}
        if server:
            self._parts.server.restore(server)
        for version in sorted(self._sent):
            self._executor.publish(version, self._sent[version])

    def _stepped(self, step: Step) -> list[Report]:
        """The clients' reports; the new version is published, old ones are let go."""
        before, new = self._sent[step.index], step.index + 1
        reports, after = self._worked(step, before) if step.client.size else ([], before)
        self._sent[new] = after
        self._num_steps = new
        self._executor.publish(new, after)
        self._executor.forget(step.oldest_version)
        for version in [each for each in self._sent if each < step.oldest_version]:
            del self._sent[version]
        return reports

    def _worked(self, step: Step, before: Tensor) -> tuple[list[Report], Tensor]:
        """The reports in the order of the step's clients, and the vectors after the step."""
        weights = self._shares(step)
        jobs = self._jobs(step, weights)
        sums: list[Tensor] = []
        found: dict[tuple[int, ...], Report] = {}
        for turn in turns(jobs):  # a client's second job begins with what it kept of its first
            units = dealt([self._with_own(job) for job in turn], self._company)
            for result in self._executor.work(units):
                sums.append(result.sums)
                self._keep(result.reports)
                found |= {(report.client, turn[0].key[-1]): report for report in result.reports}
        reports = [found[job.client, job.key[-1]] for job in jobs]
        usable = np.array([report.refused is None for report in reports])
        if not usable.any():
            return reports, before
        total = added_up(sums)
        total[0] /= weights.total(usable)
        model = self._parts.server.stepped(before[0], total[0], step, self._model_of)
        own_vectors = self._parts.algorithm.after(before[1:], total)
        after = model.unsqueeze(0)
        return reports, torch.cat([after, own_vectors]) if len(own_vectors) else after

    def _shares(self, step: Step) -> Shares:
        if self._parts.algorithm.additive:
            return Shares(np.ones(step.client.size), 1.0)
        parts = self._parts
        return shares(step, parts.schedule, parts.scene, parts.config.weighting)

    def _jobs(self, step: Step, weights: Shares) -> list[Job]:
        """The step's jobs, whose draws depend on step, client and how often it is in the step."""
        jobs, had = [], dict[int, int]()
        samples = self._parts.scene.samples
        rows = zip(step.client.tolist(), step.version.tolist(), weights.share, strict=True)
        for client, version, share in rows:
            turn = had.get(client, 0)
            had[client] = turn + 1
            own = self._parts.algorithm.own_share(int(samples[client]), self._all_samples)
            jobs.append(Job(client, version, (step.index, client, turn), (float(share), *own)))
        return jobs

    def _with_own(self, job: Job) -> Job:
        return Job(job.client, job.version, job.key, job.share, self._own.get(job.client))

    def _keep(self, reports: Sequence[Report]) -> None:
        self._own |= {each.client: each.own for each in reports if each.own is not None}

    def _model_of(self, version: int) -> Tensor:
        return self._sent[version][0]

    def _judged(self) -> Verdict:
        """The newest model's verdict, if one is due."""
        config, version = self._parts.config, self._num_steps
        if version % config.evaluate_every and version != config.max_rounds:
            return _UNJUDGED
        if config.evaluation == "full":
            return self._evaluator.full(self._executor, version)
        return self._evaluator.against_target(self._executor, version)

    def _mean_loss(self, reports: Sequence[Report]) -> float | None:
        """The mean by n_m of the losses that are numbers."""
        known = [each for each in reports if not each.refused and finite(each.loss) is not None]
        if not known:
            return None
        samples = self._parts.scene.samples[[report.client for report in known]]
        return float(np.average([report.loss for report in known], weights=samples))


def _company(parts: Assembly) -> int:
    """How many clients a unit should have: other algorithms do one after the other."""
    joint = parts.place.model.joint
    return joint.company if joint and isinstance(parts.algorithm, LocalSgd) else 1


def _grouped(arrays: Mapping[str, NDArray[Any]]) -> dict[int, Own]:
    """From `client/place` to each client's arrays in order."""
    places: dict[int, dict[int, NDArray[Any]]] = {}
    for name, array in arrays.items():
        client, _, place = name.partition("/")
        places.setdefault(int(client), {})[int(place)] = array
    return {client: tuple(own[i] for i in range(len(own))) for client, own in places.items()}
