"""One round on the clock, event by event."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipefl.checks import count, non_negative_seconds, positive_seconds
from pipefl.errors import ArgumentError, PipeflError
from pipefl.plan.cluster_plan import ClusterPlan
from pipefl.plan.times import compute_times
from pipefl.timeline.demand import DISCIPLINES, MISSED, Demand, Discipline, Missed
from pipefl.timeline.queue import serve
from pipefl.timeline.release import release_times_s
from pipefl.timeline.round import NO_CHANNEL, Round


def simulate_round(
    cohort: ArrayLike,
    compute_time_s: ArrayLike,
    upload_time_s: ArrayLike,
    num_channels: int = 1,
    *,
    discipline: Discipline = "slots",
    plan: ClusterPlan | None = None,
    server_time_s: float = 0.0,
    missed: Missed = "drop",
    carried: ArrayLike = (),
) -> Round:
    r"""A round of the clients in `cohort`, from its start until the server has the new model.

    .. math:: \tau_\text{global} = \tau_\text{server} + \max_{m \in \mathcal{S}} \tau_m
        + \tau_\text{com}

    Paper: eq:time_one_iteration, which is `wait-all` with no more clients than
    sub-channels. With `slots` a round always lasts until θ_K + τ_com + τ_server.

    `cohort` holds different client indices into `compute_time_s` (M times of this round,
    which may differ from those planned with). `upload_time_s` is one time for all or M
    of them. `slots` and `eager-slots` need the `plan`. In `slots`, a client that is not
    ready by its slot is dropped, takes the next slot that has a sub-channel left
    (`missed="next-slot"`), or is carried to the next round, whose `carried` it joins:
    clients that are ready from its start on. O(n log n) for n clients.

    >>> fifo = simulate_round([0, 1, 2], [1.0, 2.0, 3.0], 2.0, discipline="fifo")
    >>> fifo.upload_start_s, fifo.duration_s
    (array([1., 3., 5.]), 7.0)
    """
    times = compute_times(compute_time_s)
    channels = count("num_channels", num_channels)
    server_s = non_negative_seconds("server_time_s", server_time_s)
    check_choices(discipline, missed, plan, times.size)
    fresh = client_indices("cohort", cohort, times.size)
    waiting = client_indices("carried", carried, times.size)
    if np.isin(waiting, fresh).any():
        accepted = "a client that is carried over cannot be in the cohort as well"
        raise ArgumentError("carried", carried, accepted)
    client = np.concatenate([fresh, waiting])
    is_carried = np.arange(client.size) >= fresh.size
    demand = Demand(
        ready_s=np.where(is_carried, 0.0, times[client]),
        upload_time_s=upload_times(upload_time_s, times.size)[client],
        cluster=np.full(client.size, -1)
        if plan is None
        else plan.cluster_of[client].astype(np.intp),
        carried=is_carried,
        slot_time_s=np.zeros(0) if plan is None else plan.slot_time_s,
        num_channels=channels,
    )
    release_s = release_times_s(demand, discipline, missed)
    start_s, end_s, channel = serve(release_s, demand.upload_time_s.tolist(), channels)
    last_s = float(end_s[channel != NO_CHANNEL].max(initial=0.0))
    if discipline == "slots" and plan is not None:
        last_s = max(last_s, float(plan.slot_time_s[-1]) + plan.upload_time_s)
    return Round(
        client=client,
        cluster=demand.cluster,
        channel=channel,
        ready_s=demand.ready_s,
        upload_start_s=start_s,
        upload_end_s=end_s,
        num_channels=channels,
        server_time_s=server_s,
        duration_s=last_s + server_s,
    )


def check_choices(discipline: str, missed: str, plan: ClusterPlan | None, num_clients: int) -> None:
    """Refuse a discipline or a treatment of missed slots that there is not, and a wrong plan."""
    if discipline not in DISCIPLINES:
        raise ArgumentError("discipline", discipline, f"it must be one of {', '.join(DISCIPLINES)}")
    if missed not in MISSED:
        raise ArgumentError("missed", missed, f"it must be one of {', '.join(MISSED)}")
    if plan is None and discipline in ("slots", "eager-slots"):
        raise PipeflError(f"discipline {discipline!r} needs a plan, which says whose slot is when")
    if plan is not None and plan.num_clients != num_clients:
        accepted = f"it must be {num_clients:,}, as compute_time_s has"
        raise ArgumentError("plan.num_clients", plan.num_clients, accepted)


def client_indices(name: str, clients: ArrayLike, num_clients: int) -> NDArray[np.intp]:
    """Different client indices from 0 to M − 1, or a clear error."""
    indices = np.asarray(clients)
    if indices.size == 0:
        return np.zeros(0, dtype=np.intp)
    if indices.ndim != 1 or indices.dtype.kind not in "iu":
        raise ArgumentError(name, clients, "it must be a list of client indices")
    outside = indices[(indices < 0) | (indices >= num_clients)]
    if outside.size:
        raise ArgumentError(
            name, outside[0], f"the population has clients 0 to {num_clients - 1:,}"
        )
    if np.unique(indices).size < indices.size:
        accepted = f"every client can be scheduled once; {num_clients:,} clients are there"
        raise ArgumentError(name, clients, accepted)
    return indices.astype(np.intp)


def upload_times(upload_time_s: ArrayLike, num_clients: int) -> NDArray[np.float64]:
    """One upload time a client, from one for all or from M of them."""
    if np.ndim(upload_time_s) == 0:
        return np.broadcast_to(positive_seconds("upload_time_s", upload_time_s), num_clients)
    times = compute_times(upload_time_s, "upload_time_s")
    if times.size != num_clients:
        accepted = f"it must be one time, or one for each of the {num_clients:,} clients"
        raise ArgumentError("upload_time_s", upload_time_s, accepted)
    return times
