"""What a wrapped strategy sees of the federation: this round's cohort, and nobody else."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter, time

from flwr.app import Message, RecordDict
from flwr.proto.node_pb2 import NodeInfo
from flwr.serverapp import Grid
from flwr.supercore.run import Run

from pipefl.errors import PipeflError
from pipefl.flower.postbox import Arrival, Postbox

_MOST_LOOKS = 4  # at the nodes before a round; a strategy that waits for more looks once a second


@dataclass(frozen=True, eq=False)
class Timetable:
    """When each reply of a round is due, and when the round ends, in seconds from its start."""

    due_s: tuple[float, ...]
    ends_s: float


@dataclass(frozen=True, eq=False)
class Exchanged:
    """What was sent and what came back, and between which times of `perf_counter`.

    `start_unix_s` is the wall clock at the start.
    """

    messages: tuple[Message, ...]
    arrivals: tuple[Arrival, ...]
    start_s: float
    end_s: float
    start_unix_s: float


class CohortGrid(Grid):
    """A `Grid` in which only some of the nodes can be seen.

    After `expect` the next exchange is a round's training: it keeps to the timetable, and is
    then in `exchanged`. All other exchanges look for replies at once.
    """

    def __init__(self, grid: Grid, postbox: Postbox) -> None:
        self._grid = grid
        self._postbox = postbox
        self._visible: tuple[int, ...] = ()
        self._looks = 0
        self._timetable: Timetable | None = None
        self.exchanged: Exchanged | None = None

    def show(self, node_ids: Sequence[int]) -> None:
        """From now on these nodes are all there are."""
        self._visible = tuple(node_ids)
        self._looks = 0

    def expect(self, timetable: Timetable) -> None:
        """The next exchange is a round's training."""
        self._timetable = timetable

    def set_run(self, run: Run) -> None:
        """As the grid behind does."""
        self._grid.set_run(run)

    @property
    def run(self) -> Run:
        """The run of the grid behind."""
        return self._grid.run

    def create_message(
        self,
        content: RecordDict,
        message_type: str,
        dst_node_id: int,
        group_id: str,
        ttl: float | None = None,
    ) -> Message:
        """A message, as its own constructor makes it."""
        return Message(content, dst_node_id, message_type, ttl=ttl, group_id=group_id)

    def get_node_ids(self) -> Iterable[int]:
        """The nodes that are shown; complains of a strategy that keeps waiting for more."""
        self._looks += 1
        if self._looks > _MOST_LOOKS:
            raise PipeflError(
                f"the wrapped strategy waits for more nodes than the {len(self._visible)} of this "
                "round's cohort: its min_available_nodes and its min_train_nodes or "
                "min_evaluate_nodes count the cohort only, so make them smaller; "
                "PlanConfig.min_clients is how many must be there for a round to begin"
            )
        return self._visible

    def get_nodes(self) -> Iterable[NodeInfo]:
        """What is known of the nodes that are shown."""
        shown = set(self._visible)
        return [node for node in self._grid.get_nodes() if node.node_id in shown]

    def push_messages(self, messages: Iterable[Message]) -> Iterable[str]:
        """As the grid behind does."""
        return self._grid.push_messages(messages)

    def pull_messages(self, message_ids: Iterable[str]) -> Iterable[Message]:
        """As the grid behind does."""
        return self._grid.pull_messages(message_ids)

    def send_and_receive(
        self, messages: Iterable[Message], *, timeout: float | None = None
    ) -> Iterable[Message]:
        """Exchange messages, a round's training by its timetable."""
        sent, start_s, start_unix_s = tuple(messages), perf_counter(), time()
        timetable, self._timetable = self._timetable, None
        longest_s = float("inf") if timeout is None else timeout
        if timetable is None:
            arrivals = self._postbox.exchange(sent, [start_s] * len(sent), start_s + longest_s)
            return [arrival.message for arrival in arrivals]
        due_s = [start_s + each for each in timetable.due_s]
        until_s = start_s + min(longest_s, timetable.ends_s)
        arrivals = self._postbox.exchange(sent, due_s, until_s)
        self.exchanged = Exchanged(sent, tuple(arrivals), start_s, perf_counter(), start_unix_s)
        return [arrival.message for arrival in arrivals]
