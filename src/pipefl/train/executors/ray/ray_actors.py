"""Work shared out among actors of Ray, on this machine or on a cluster."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import ray
from numpy.typing import NDArray
from torch import Tensor

from pipefl.checks import count
from pipefl.data.federated import Samples
from pipefl.models.catalogue import ModelSettings
from pipefl.train.algorithms.algorithm import Algorithm
from pipefl.train.executors.parts import equal_parts
from pipefl.train.executors.ray.client_worker import Share, read_only_tensor
from pipefl.train.executors.ray.connection import connect
from pipefl.train.executors.ray.crew import Call, Crew
from pipefl.train.work import MOST_UNITS, Judgement, Unit, UnitResult
from pipefl.train.workplace import Workplace

_VERSIONS_AT_ONCE = 64  # that an embedded object store has room for; Ray puts more into files


class RayActors:
    """An executor of Ray actors with one torch thread each.

    The data is put into the object store once, and lies there once on each node, however many
    actors map it; so does each version of the model. Replies come back through the store and
    are added up here, in the order of the units: the bits are those of `serial`, for any
    number of actors and nodes with the same processors and packages. An actor or a node that
    is lost is replaced, and its units are done again.

    Memory: of each node's store the data and the versions in use; of this node's also the
    replies of a step, at most 128 of them.
    """

    def __init__(
        self,
        place: Workplace,
        algorithm: Algorithm,
        model: ModelSettings,
        num_workers: int,
        address: str | None = None,
    ) -> None:
        self._num_workers = count("workers", num_workers)
        self._versions: dict[int, Any] = {}
        share = _share(place, algorithm, model)
        room = _store_bytes(share, algorithm, place.model.num_parameters)
        self._connection = connect(address, num_cpus=self._num_workers, store_bytes=room)
        try:
            self._crew = Crew(ray.put(share), self._num_workers)
        except BaseException:
            self._connection.close()
            raise

    @property
    def process_ids(self) -> list[int]:
        """The process ids of the actors that have begun, each on its own machine."""
        return self._crew.process_ids

    def publish(self, version: int, vectors: Tensor) -> None:
        """Put the vectors into the store; nodes fetch them when one of theirs needs them."""
        self._versions[version] = ray.put(vectors.numpy())

    def forget(self, before: int) -> None:
        """Let go of older versions, which frees them on all nodes."""
        for version in [each for each in self._versions if each < before]:
            del self._versions[version]

    def work(self, units: Sequence[Unit]) -> list[UnitResult]:
        """Units one by one to whoever is free."""
        answers = self._crew.done([self._work_of(unit) for unit in units])
        return [UnitResult(read_only_tensor(sums), reports) for sums, reports in answers]

    def judge(self, version: int, chunks: Sequence[NDArray[np.int64]]) -> list[Judgement]:
        """Chunks in as many parts as there are workers."""
        parts = equal_parts(chunks, self._num_workers)
        vectors = self._versions[version]
        calls = [_judgement_of(part, vectors) for part in parts]
        return [judgement for answer in self._crew.done(calls) for judgement in answer]

    def close(self) -> None:
        """End the actors, and Ray if it was begun for them."""
        self._crew.dismiss()
        self._versions.clear()
        self._connection.close()

    def _work_of(self, unit: Unit) -> Call:
        versions = sorted({job.version for job in unit.jobs})
        vectors = [self._versions[version] for version in versions]
        return lambda actor: actor.work.remote(unit, versions, *vectors)


def _judgement_of(part: tuple[NDArray[np.int64], ...], vectors: Any) -> Call:
    return lambda actor: actor.judge.remote(part, vectors)


def _share(place: Workplace, algorithm: Algorithm, model: ModelSettings) -> Share:
    return Share(
        model,
        algorithm,
        place.diligence,
        _plain(place.train),
        np.ascontiguousarray(place.offset),
        _plain(place.test),
    )


def _plain(samples: Samples) -> Samples:
    """Arrays that the store takes as they lie in memory, which it does not with maps of files."""
    return Samples(np.ascontiguousarray(samples.inputs), np.ascontiguousarray(samples.targets))


def _store_bytes(share: Share, algorithm: Algorithm, num_parameters: int) -> int:
    arrays = (share.train.inputs, share.train.targets, share.test.inputs, share.test.targets)
    data = sum(array.nbytes for array in arrays) + share.offset.nbytes
    num_sent = 1 + algorithm.start(num_parameters).shape[0]
    vectors = _VERSIONS_AT_ONCE * num_sent + MOST_UNITS * algorithm.num_replies
    return int(1.1 * data) + vectors * 4 * num_parameters
