"""The clients' side: `compute-s` and `fault` stand in each node's own configuration."""

from time import sleep

import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.clientapp.typing import ClientAppCallable

from pipefl.flower import uplink_slot
from pipefl.flower.messages import Profile, SlotReport, attach

_SAMPLES = 10
app = ClientApp()


@app.query("pipefl")
def profile(message: Message, context: Context) -> Message:
    """What the node says of its speed: the truth, unless its fault is to lie."""
    compute_s = 0.1 if context.node_config.get("fault") == "lies" else _compute_s(context)
    told = Profile(
        partition_id=int(str(context.node_config["partition-id"])),
        num_samples=_SAMPLES,
        samples_per_round=1_000_000,
        measured_samples=1,
        measured_s=compute_s / 1_000_000,
    )
    content = RecordDict()
    attach(content, told)
    return Message(content, reply_to=message)


def lie(message: Message, context: Context, call_next: ClientAppCallable) -> Message:
    """A mod that says of every round too that it took next to no time."""
    reply = call_next(message, context)
    report = reply.content.get(SlotReport.NAME) if reply.has_content() else None
    if context.node_config.get("fault") == "lies" and isinstance(report, ConfigRecord):
        report["compute_s"], report["wait_s"], report["upload_start_s"] = 0.1, 0.0, 0.1
    return reply


@app.train(mods=[lie, uplink_slot])
def train(message: Message, context: Context) -> Message:
    """Sleep, and move the model by 1; whoever is to send no numbers does."""
    sleep(_compute_s(context))
    arrays = {n: a.numpy() for n, a in message.content.array_records["arrays"].items()}
    step = np.float32("nan") if context.node_config.get("fault") == "nan" else np.float32(1)
    moved = ArrayRecord({name: Array(array + step) for name, array in arrays.items()})
    metrics = MetricRecord({"num-examples": _SAMPLES, "train_loss": 1.0})
    return Message(RecordDict({"arrays": moved, "metrics": metrics}), reply_to=message)


def _compute_s(context: Context) -> float:
    return float(str(context.node_config["compute-s"]))
