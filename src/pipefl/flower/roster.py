"""Who is known, who is there, and how long each one computes."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipefl.flower.messages import Profile
from pipefl.plan import times_from_samples
from pipefl.plan.uncertain import SampledTimes

NEVER = -1


@dataclass(frozen=True, kw_only=True)
class Client:
    """A part of the data and the node that has it: the client's number is its place in the roster.

    `expected_s` is what its profile promised, `measured_s` what it then took, the last ones.
    It delivered `participation` times, last in round `last_round` (from 0), in
    `last_time_s`. `absent` counts the rounds since it was there.
    """

    partition_id: int
    num_samples: int
    expected_s: float
    measured_s: tuple[float, ...] = ()
    participation: int = 0
    last_round: int = NEVER
    last_time_s: float | None = None
    absent: int = 0


class Roster:
    """Every client ever met, in the order in which they came, and the nodes they are at now.

    A node's id is another one each time it connects; a client is known by its partition.
    """

    def __init__(self, window: int) -> None:
        self._window = window
        self._clients: list[Client] = []
        self._at: dict[int, int] = {}  # from node id to client
        self._turned_away: dict[int, str] = {}

    @property
    def clients(self) -> tuple[Client, ...]:
        """All of them."""
        return tuple(self._clients)

    @property
    def nodes(self) -> dict[int, int]:
        """The node at which each client that is there is."""
        return {client: node for node, client in self._at.items()}

    @property
    def turned_away(self) -> dict[int, str]:
        """Nodes that are connected and not wanted, and why."""
        return dict(self._turned_away)

    def strangers(self, node_ids: Iterable[int]) -> list[int]:
        """Nodes that have not been asked who they are."""
        return [node for node in node_ids if node not in self._at and node not in self._turned_away]

    def part_from(self, node_ids: Iterable[int]) -> list[str]:
        """Note whose nodes are not among these any more; a sentence for each one."""
        there = set(node_ids)
        gone = [node for node in self._at if node not in there]
        left = [self._at.pop(node) for node in gone]
        for node in [node for node in self._turned_away if node not in there]:
            del self._turned_away[node]
        return [f"{self._name(client)} left" for client in sorted(left)]

    def age(self) -> None:
        """A round begins: whoever is not there has been away for one more."""
        there = set(self._at.values())
        for number, client in enumerate(self._clients):
            self._clients[number] = replace(
                client, absent=0 if number in there else client.absent + 1
            )

    def admit(self, profiles: Mapping[int, Profile]) -> list[str]:
        """Take in nodes by what they say they are; a sentence for each one."""
        in_order = sorted(profiles.items(), key=lambda item: (item[1].partition_id, item[0]))
        return [self._admitted(node, profile) for node, profile in in_order]

    def number_by_partition(self) -> None:
        """Number the clients in the order of their partitions, whenever they came.

        That is for the time before anything refers to a client by its number.
        """
        at = {self._clients[client].partition_id: node for node, client in self._at.items()}
        self._clients.sort(key=lambda client: client.partition_id)
        places = {client.partition_id: place for place, client in enumerate(self._clients)}
        self._at = {node: places[partition] for partition, node in at.items()}

    def turn_away(self, node: int, reason: str) -> str:
        """Leave a node out for as long as it stays connected; the sentence that says so."""
        self._turned_away[node] = reason
        return f"node {node} was turned away: {reason}"

    def measured(self, client: int, compute_s: float) -> None:
        """A client took so long."""
        known = self._clients[client]
        times_s = (*known.measured_s, compute_s)[-self._window :]
        self._clients[client] = replace(known, measured_s=times_s)

    def delivered(self, client: int, round_index: int, time_s: float) -> None:
        """A client's update was used."""
        known = self._clients[client]
        self._clients[client] = replace(
            known,
            participation=known.participation + 1,
            last_round=round_index,
            last_time_s=time_s,
        )

    def times(self, clients: NDArray[np.intp], factor: float = 1.0) -> SampledTimes:
        """The measured compute times of these clients, or what their profiles promised."""
        chosen = [self._clients[client] for client in clients.tolist()]
        return times_from_samples(
            [factor * np.array(each.measured_s or (each.expected_s,)) for each in chosen]
        )

    def notes(self) -> list[dict[str, Any]]:
        """The clients as JSON has them."""
        return [asdict(client) for client in self._clients]

    def recall(self, notes: Iterable[Mapping[str, Any]]) -> None:
        """The clients that `notes` gave, all of them away."""
        self._clients = [
            Client(**{**note, "measured_s": tuple(note["measured_s"])}) for note in notes
        ]

    def _admitted(self, node: int, profile: Profile) -> str:
        known = [c.partition_id for c in self._clients]
        if profile.partition_id not in known:
            self._clients.append(_client(profile))
            self._at[node] = len(self._clients) - 1
            return f"partition {profile.partition_id} joined"
        client = known.index(profile.partition_id)
        if client in self._at.values():
            other = self.nodes[client]
            return self.turn_away(node, f"partition {profile.partition_id} is at node {other}")
        self._clients[client] = replace(
            self._clients[client],
            num_samples=profile.num_samples,
            expected_s=profile.compute_time_s,
        )
        self._at[node] = client
        return f"{self._name(client)} came back"

    def _name(self, client: int) -> str:
        return f"client {client} (partition {self._clients[client].partition_id})"


def _client(profile: Profile) -> Client:
    return Client(
        partition_id=profile.partition_id,
        num_samples=profile.num_samples,
        expected_s=profile.compute_time_s,
    )
