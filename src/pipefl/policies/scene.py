"""What a scheduling policy may know before the first round."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.checks import count, non_negative_seconds, positive
from pipefl.devices.availability import Availability
from pipefl.errors import ArgumentError, PipeflError
from pipefl.plan.cluster_plan import ClusterPlan
from pipefl.plan.times import compute_times
from pipefl.timeline.single import upload_times
from pipefl.wireless import ChannelState


class MissingPartError(PipeflError):
    """A scene lacks a part that a policy needs: `part` is "plan", "channel" or "losses"."""

    def __init__(self, policy: str, part: str, what: str) -> None:
        super().__init__(f"{policy!r} needs {what}")
        self.part = part


class LossSource(Protocol):
    """Where a policy gets the clients' losses from: a training run, or a stand-in."""

    def losses(self, participation: NDArray[np.int64]) -> NDArray[np.float64]:
        """The current loss of each of the M clients, given how often each took part."""
        ...


@dataclass(frozen=True, eq=False)
class Scene:
    """M clients, N sub-channels, and whatever else is known of them; times in seconds.

    `compute_time_s` are the expected compute times, `upload_time_s` the uploads' (one
    for each client, often all equal). `num_samples` n_m is 1 for all if not known.
    `plan` is needed by the policies and disciplines with clusters, `channel` by those
    that look at the radio channel, `losses` by those that look at the training. With
    `update_bits`, an upload takes as long as its client's channel needs for so many bits
    in that round; a client without a rate computes in vain. Without, the channel is
    something to choose clients by, and every upload takes `upload_time_s`, the paper's
    fixed rate. With `availability`, a client takes part in a round only if it is available
    when the round begins; in schedules without rounds, when it is sent out. It may leave
    while it computes, and uploads all the same.
    """

    compute_time_s: NDArray[np.float64]
    upload_time_s: NDArray[np.float64]
    num_channels: int = 1
    server_time_s: float = 0.0
    num_samples: NDArray[np.int64] | None = None
    plan: ClusterPlan | None = None
    channel: ChannelState | None = None
    losses: LossSource | None = None
    availability: Availability | None = None
    update_bits: float | None = None

    def __post_init__(self) -> None:
        times = compute_times(self.compute_time_s)
        object.__setattr__(self, "compute_time_s", times)
        object.__setattr__(self, "upload_time_s", upload_times(self.upload_time_s, times.size))
        object.__setattr__(self, "num_samples", _sample_counts(self.num_samples, times.size))
        count("num_channels", self.num_channels)
        non_negative_seconds("server_time_s", self.server_time_s)
        parts = {"plan": self.plan, "channel": self.channel, "availability": self.availability}
        for name, part in parts.items():
            if part is not None and part.num_clients != times.size:
                accepted = f"it must be {times.size:,}, as compute_time_s has"
                raise ArgumentError(f"{name}.num_clients", part.num_clients, accepted)
        if self.update_bits is not None:
            positive("update_bits", self.update_bits, "bits")
            self.needed_channel("update_bits")

    @property
    def num_clients(self) -> int:
        """M."""
        return self.compute_time_s.size

    @property
    def samples(self) -> NDArray[np.int64]:
        """n_m."""
        assert self.num_samples is not None  # noqa: S101  # set in __post_init__
        return self.num_samples

    def round_upload_time_s(self, round_index: int) -> NDArray[np.float64]:
        """Each client's upload in one round; ∞ where its channel carries nothing."""
        if self.update_bits is None or self.channel is None:
            return self.upload_time_s
        return self.channel.upload_time_s(round_index, self.update_bits)

    def available(self, time_s: float) -> NDArray[np.bool_]:
        """Who can be reached at that time: everybody, unless a trace says otherwise."""
        if self.availability is None:
            return np.ones(self.num_clients, dtype=np.bool_)
        return self.availability.available(time_s)

    def first_available_s(self, clients: NDArray[np.intp], time_s: float) -> float:
        """When any of these clients can be reached, from `time_s` on; ∞ if never again."""
        if self.availability is None:
            return time_s
        found_s = self.availability.first_available(clients, time_s)
        return np.inf if found_s is None else found_s

    def needed_plan(self, policy: str) -> ClusterPlan:
        """The plan, or a clear error if the policy was given none."""
        if self.plan is None:
            raise MissingPartError(policy, "plan", "a plan: who is in which cluster")
        return self.plan

    def needed_channel(self, policy: str) -> ChannelState:
        """The channel state, or a clear error if the policy was given none."""
        if self.channel is None:
            raise MissingPartError(policy, "channel", "the channel state: each client's rate")
        return self.channel

    def needed_losses(self, policy: str) -> LossSource:
        """The source of losses, or a clear error if the policy was given none."""
        if self.losses is None:
            what = "the clients' losses: from training, or a stand-in"
            raise MissingPartError(policy, "losses", what)
        return self.losses


def _sample_counts(num_samples: ArrayLike | None, num_clients: int) -> NDArray[np.int64]:
    if num_samples is None:
        return np.ones(num_clients, dtype=np.int64)
    counts = np.asarray(num_samples)
    if counts.shape != (num_clients,) or counts.dtype.kind not in "iu" or counts.min() < 1:
        accepted = f"it must hold a whole number of at least 1 for each of {num_clients:,} clients"
        raise ArgumentError("num_samples", num_samples, accepted)
    return counts.astype(np.int64)
