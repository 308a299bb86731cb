"""The client's answer to the first question: which data, how much, how fast."""

from collections.abc import Callable
from statistics import median
from time import perf_counter

from flwr.app import Context, Message, RecordDict

from pipefl.checks import count
from pipefl.errors import PipeflError
from pipefl.flower.messages import Profile, attach

_TIMED = 3


def answer_profile(
    message: Message,
    context: Context,
    *,
    work: Callable[[], object],
    work_samples: int,
    num_samples: int,
    samples_per_round: int | None = None,
) -> Message:
    """Measure this node and reply with its `Profile`; for a function `@app.query("pipefl")`.

    `work()` computes on `work_samples` samples as training does; it is run once to warm up and
    three times more, of which the median counts. The node has `num_samples` samples n_m;
    `samples_per_round` is n_m times the local epochs, n_m unless given. Its partition id is
    the `partition-id` of its node configuration, which a simulation sets by itself and
    `flower-supernode --node-config "partition-id=3"` elsewhere.
    """
    own = context.node_config.get("partition-id")
    if isinstance(own, bool) or not isinstance(own, int):
        raise PipeflError(
            "this node has no partition-id, by which it would be known when it comes back; start "
            'it with --node-config "partition-id=0", each node with a number of its own'
        )
    work()
    profile = Profile(
        partition_id=count("partition-id", own, minimum=0),
        num_samples=count("num_samples", num_samples),
        samples_per_round=count("samples_per_round", samples_per_round or num_samples),
        measured_samples=count("work_samples", work_samples),
        measured_s=median(_seconds(work) for _ in range(_TIMED)),
    )
    content = RecordDict()
    attach(content, profile)
    return Message(content, reply_to=message)


def _seconds(work: Callable[[], object]) -> float:
    start_s = perf_counter()
    work()
    return perf_counter() - start_s
