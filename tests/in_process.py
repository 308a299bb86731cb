"""A federation within one process: Flower's own client apps, each message through its wire form."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from threading import Lock, Thread
from time import sleep
from typing import Any

import numpy as np
from flwr.app import (
    Array,
    ArrayRecord,
    Context,
    Error,
    Message,
    MetricRecord,
    RecordDict,
)
from flwr.clientapp import ClientApp
from flwr.clientapp.typing import Mod
from flwr.common.serde import message_from_proto, message_to_proto
from flwr.serverapp import Grid
from flwr.supercore.run import Run
from flwr.supercore.task_identity import TaskIdentity
from numpy.typing import NDArray

from pipefl.flower import uplink_slot
from pipefl.flower.messages import Profile, attach

Reply = Callable[[Message, dict[str, NDArray[Any]]], RecordDict]


@dataclass
class Node:
    """A client app and what its SuperNode knows; `upload_s` is how long its replies are on the way.

    A node that is `dead` takes messages and never replies.
    """

    app: ClientApp
    partition_id: int
    upload_s: float = 0.0
    dead: bool = False
    state: RecordDict = field(default_factory=RecordDict)
    num_trained: int = 0


class InProcessGrid(Grid):
    """Nodes in threads; they join and leave as tests say."""

    def __init__(self) -> None:
        TaskIdentity.run_id = TaskIdentity.task_id = 1
        TaskIdentity.node_id = 1
        self.nodes: dict[int, Node] = {}
        self._numbers = count(1000)
        self._replies: dict[str, Message] = {}
        self._lock = Lock()

    def join(self, node: Node) -> int:
        """Connect a node; its new id."""
        number = next(self._numbers)
        self.nodes[number] = node
        return number

    def set_run(self, run: Run) -> None:
        raise NotImplementedError

    @property
    def run(self) -> Run:
        return Run.create_empty(1)

    def create_message(
        self,
        content: RecordDict,
        message_type: str,
        dst_node_id: int,
        group_id: str,
        ttl: float | None = None,
    ) -> Message:
        return Message(content, dst_node_id, message_type, ttl=ttl, group_id=group_id)

    def get_node_ids(self) -> Iterable[int]:
        return list(self.nodes)

    def push_messages(self, messages: Iterable[Message]) -> Iterable[str]:
        ids = []
        for message in messages:
            message.metadata.__dict__["_message_id"] = f"message {next(self._numbers)}"
            ids.append(message.metadata.message_id)
            node = self.nodes[message.metadata.dst_node_id]
            Thread(target=self._handle, args=(node, _wired(message)), daemon=True).start()
        return ids

    def pull_messages(self, message_ids: Iterable[str]) -> Iterable[Message]:
        with self._lock:
            return [self._replies.pop(i) for i in list(message_ids) if i in self._replies]

    def send_and_receive(
        self, messages: Iterable[Message], *, timeout: float | None = None
    ) -> Iterable[Message]:
        waiting = set(self.push_messages(messages))
        arrived: list[Message] = []
        while waiting:
            arrived += self.pull_messages(waiting)
            waiting -= {message.metadata.reply_to_message_id for message in arrived}
            sleep(0.01)
        return arrived

    def _handle(self, node: Node, message: Message) -> None:
        context = Context(
            run_id=1,
            node_id=message.metadata.dst_node_id,
            node_config={"partition-id": node.partition_id},
            state=node.state,
            run_config={},
        )
        node.num_trained += message.metadata.message_type == "train"
        try:
            reply = node.app(message, context)
        except Exception as error:  # as flwr-clientapp does
            reply = Message(
                Error(code=3, reason=f"{type(error).__name__}: {error}"), reply_to=message
            )
        if node.dead or node not in self.nodes.values():
            return
        sleep(node.upload_s)
        with self._lock:
            self._replies[message.metadata.message_id] = _wired(reply)


def _wired(message: Message) -> Message:
    copy = message_from_proto(message_to_proto(message))
    copy.metadata.__dict__["_message_id"] = message.metadata.message_id
    return copy


MODEL = {"weight": np.zeros((3, 2), np.float32), "bias": np.zeros((), np.float32)}
NUM_SAMPLES = 10


def record(arrays: Mapping[str, NDArray[Any]]) -> ArrayRecord:
    """Arrays as Flower sends them."""
    return ArrayRecord({name: Array(np.asarray(array)) for name, array in arrays.items()})


def arrays(record: ArrayRecord) -> dict[str, NDArray[Any]]:
    """And back."""
    return {name: array.numpy() for name, array in record.items()}


def trained(partition_id: int) -> Reply:
    """The reply of an honest client: it moves every weight towards its own partition's number."""

    def reply(message: Message, model: dict[str, NDArray[Any]]) -> RecordDict:
        new = {
            name: array + np.float32(0.25) * (partition_id + 1 - array)
            for name, array in model.items()
        }
        metrics = MetricRecord({"num-examples": NUM_SAMPLES})
        metrics["train_loss"] = 1.0 / (partition_id + 1)
        return RecordDict({"arrays": record(new), "metrics": metrics})

    return reply


def client_app(
    compute_s: Callable[[], float] | float,
    reply: Reply,
    *,
    mods: Iterable[Mod] = (uplink_slot,),
    profile_s: float | None = None,
) -> ClientApp:
    """A client that computes for so long; `profile_s` is what it claims at first, if not that.

    What it claims is exact, so that plans do not depend on how busy the machine is.
    """
    app = ClientApp()
    seconds = compute_s if callable(compute_s) else lambda: compute_s

    @app.query("pipefl")
    def profile(message: Message, context: Context) -> Message:
        claimed_s = seconds() if profile_s is None else profile_s
        told = Profile(
            partition_id=int(str(context.node_config["partition-id"])),
            num_samples=NUM_SAMPLES,
            samples_per_round=1_000_000,
            measured_samples=1,
            measured_s=claimed_s / 1_000_000,
        )
        content = RecordDict()
        attach(content, told)
        return Message(content, reply_to=message)

    @app.train(mods=list(mods))
    def train(message: Message, context: Context) -> Message:
        sleep(seconds())
        model = arrays(message.content["arrays"])  # type: ignore[arg-type]  # it is one
        return Message(reply(message, model), reply_to=message)

    @app.evaluate()
    def evaluate(message: Message, context: Context) -> Message:
        metrics = MetricRecord({"num-examples": NUM_SAMPLES, "accuracy": 0.5})
        return Message(RecordDict({"metrics": metrics}), reply_to=message)

    return app


def honest(partition_id: int, compute_s: float, **changes: Any) -> Node:
    """A client that does as it should."""
    return Node(client_app(compute_s, trained(partition_id), **changes), partition_id)


def federation(compute_s: Iterable[float]) -> InProcessGrid:
    """Honest clients with these compute times, the first of partition 0."""
    grid = InProcessGrid()
    for partition_id, seconds in enumerate(compute_s):
        grid.join(honest(partition_id, seconds))
    return grid


@contextmanager
def after(seconds: float, do: Callable[[], object]) -> Iterator[None]:
    """Do something in a while, in a thread; it is done when the block is left."""

    def wait() -> None:
        sleep(seconds)
        do()

    thread = Thread(target=wait, daemon=True)
    thread.start()
    yield
    thread.join()
