"""Roles with their snippets of text, and the federated dataset that they make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pipefl.data.dealing import offsets
from pipefl.data.entry import Choices
from pipefl.data.federated import FederatedDataset
from pipefl.data.gathering import refuse_partition, some_clients, some_test_samples
from pipefl.data.text_tokens import NUM_TOKENS, sequences
from pipefl.errors import ArgumentError

SNIPPETS, SEQUENCES = "snippets", "sequences"


@dataclass(frozen=True, eq=False)
class Roles:
    """What every role says: its snippets to train with, and those to test with of all roles.

    A snippet is what a role says at a time. `are_speeches` is False for files that hold
    each role's text in one piece, so that the number of snippets says nothing.
    """

    source: str
    train: Mapping[str, Sequence[bytes]]
    test: Sequence[bytes]
    are_speeches: bool = True
    notes: dict[str, str] = field(default_factory=dict)


def federated_text(name: str, roles: Roles, choices: Choices) -> FederatedDataset:
    """A client for every role, in the order of their names; the test samples are everybody's.

    The samples are sequences of 80 tokens. n_m counts snippets, as TensorFlow Federated does,
    or with `count="sequences"` the sequences that they are cut into; of files
    without speeches it can only count sequences.
    """
    refuse_partition(name, choices.partition)
    count = _checked_count(choices.count, roles)
    names = np.array(sorted(roles.train), object)
    clients = names[some_clients(choices.num_clients, names.size, choices.seed)]
    train, num_sequences = sequences([text for role in clients for text in roles.train[role]])
    num_snippets = np.array([len(roles.train[role]) for role in clients], np.int64)
    end = offsets(num_snippets)
    offset = offsets(num_sequences)[end]
    test, _ = sequences(roles.test)
    return FederatedDataset(
        name=name,
        kind="text",
        source=roles.source,
        train=train,
        offset=offset,
        test=some_test_samples(test, choices.test_samples),
        num_classes=NUM_TOKENS,
        client_id=clients,
        counted=num_snippets if count == SNIPPETS else None,
        notes={**roles.notes, "n_m": f"counts {count}"},
    )


def _checked_count(count: str | None, roles: Roles) -> str:
    if count is None:
        return SNIPPETS if roles.are_speeches else SEQUENCES
    if count not in (SNIPPETS, SEQUENCES):
        raise ArgumentError("count", count, f"it must be {SNIPPETS!r} or {SEQUENCES!r}")
    if count == SNIPPETS and not roles.are_speeches:
        raise ArgumentError(
            "count", count, f"{roles.source} keeps no snippets: it must be {SEQUENCES!r}"
        )
    return count
