"""Sends messages to nodes and hands over the replies as they arrive."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from queue import Empty, Queue
from threading import Condition, Thread
from time import perf_counter

from flwr.app import Message
from flwr.serverapp import Grid

_MOST_PULLERS = 16
_LATE_POLL_S = 2.0


@dataclass(frozen=True, eq=False)
class Arrival:
    """A reply, and when it was there by this machine's `perf_counter`."""

    message: Message
    at_s: float


class Postbox:
    """Replies are looked for one by one, each in a thread that may be kept waiting for it.

    Flower's own `send_and_receive` looks every three seconds, and for all replies at once: one
    whose upload has begun holds up all others until it is complete. Here only its own thread
    waits for it, so that every reply arrives when it does, and a round can end without those
    that never will. A reply that comes after its round is taken in and thrown away; until then
    its node is busy.
    """

    def __init__(self, grid: Grid, poll_s: float) -> None:
        self._grid = grid
        self._poll_s = poll_s
        self._due: list[tuple[float, str]] = []
        self._node_of: dict[str, int] = {}
        self._in_time: set[str] = set()
        self._changed = Condition()
        self._arrived: Queue[Arrival | Exception] = Queue()
        self._threads: list[Thread] = []
        self._is_open = True

    def exchange(
        self, messages: Sequence[Message], due_s: Sequence[float], until_s: float
    ) -> list[Arrival]:
        """Send messages, and return the replies that are there by `until_s`.

        No reply is looked for before its time in `due_s`. Both are times of `perf_counter`. It
        ends early if nothing is left to wait for: a node that has left will not reply.
        """
        sent = self._sent(messages)
        with self._changed:
            for message, time_s in zip(messages, due_s, strict=True):
                if message.metadata.message_id in sent:
                    self._expect(message, time_s)
            self._changed.notify_all()
        self._enough_threads()
        arrivals = self._awaited(until_s)
        with self._changed:
            self._in_time.clear()
        return arrivals

    def busy(self, node_ids: Sequence[int]) -> set[int]:
        """Those of these nodes that owe a reply; what nodes that are gone owe is forgotten."""
        self._give_up_on_others_than(set(node_ids))
        with self._changed:
            return set(self._node_of.values())

    def close(self) -> None:
        """Look for nothing more."""
        with self._changed:
            self._is_open = False
            self._changed.notify_all()

    def _sent(self, messages: Sequence[Message]) -> set[str]:
        ids = self._grid.push_messages(messages) if messages else []
        return {each for each in ids if each}

    def _expect(self, message: Message, time_s: float) -> None:
        message_id = message.metadata.message_id
        self._node_of[message_id] = message.metadata.dst_node_id
        self._in_time.add(message_id)
        heappush(self._due, (time_s, message_id))

    def _enough_threads(self) -> None:
        while len(self._threads) < min(_MOST_PULLERS, len(self._node_of)):
            thread = Thread(target=self._pull, daemon=True, name="pipefl postbox")
            self._threads.append(thread)
            thread.start()

    def _awaited(self, until_s: float) -> list[Arrival]:
        arrivals: list[Arrival] = []
        look_at_s = perf_counter() + _LATE_POLL_S
        while self._in_time and (left_s := until_s - perf_counter()) > 0:
            try:
                arrived = self._arrived.get(timeout=min(left_s, _LATE_POLL_S))
            except Empty:
                arrived = None
            if isinstance(arrived, Exception):
                raise arrived
            if arrived is not None and self._was_in_time(arrived):
                arrivals.append(arrived)
            if perf_counter() > look_at_s:
                self._give_up_on_others_than(set(self._grid.get_node_ids()))
                look_at_s = perf_counter() + _LATE_POLL_S
        return arrivals

    def _was_in_time(self, arrival: Arrival) -> bool:
        with self._changed:
            message_id = arrival.message.metadata.reply_to_message_id
            is_wanted = message_id in self._in_time
            self._in_time.discard(message_id)
            return is_wanted

    def _give_up_on_others_than(self, there: set[int]) -> None:
        with self._changed:
            for message_id in [m for m, node in self._node_of.items() if node not in there]:
                del self._node_of[message_id]
                self._in_time.discard(message_id)

    def _pull(self) -> None:
        """What each thread does for as long as the box is open."""
        while (message_id := self._next_due()) is not None:
            try:
                found = list(self._grid.pull_messages([message_id]))
            except Exception as error:  # whatever it is, the server must hear of it
                self._arrived.put(error)
                return
            at_s = perf_counter()
            with self._changed:
                if found:
                    self._node_of.pop(message_id, None)
                elif message_id in self._node_of:
                    wait_s = self._poll_s if message_id in self._in_time else _LATE_POLL_S
                    heappush(self._due, (at_s + wait_s, message_id))
                    self._changed.notify()
            for message in found[:1]:
                self._arrived.put(Arrival(message, at_s))

    def _next_due(self) -> str | None:
        """The reply to look for, once it is time for it; None when the box is closed."""
        with self._changed:
            while self._is_open:
                left_s = self._due[0][0] - perf_counter() if self._due else None
                if left_s is not None and left_s <= 0:
                    return heappop(self._due)[1]
                self._changed.wait(left_s)
        return None
