"""What server and clients tell each other beside the model: each a `ConfigRecord` of its own.

Flower's strategies want exactly one `ArrayRecord` and one `MetricRecord` in a reply, and some
mods exactly one `ConfigRecord` in a message. So the client mod takes the order out before
anybody else sees the message, and the server takes the report out of the reply.
"""

from dataclasses import asdict, dataclass, fields
from math import isfinite
from typing import Any, ClassVar, Literal, TypeVar, get_args, get_origin

from flwr.app import ConfigRecord, RecordDict

from pipefl.errors import PipeflError

PROFILE_QUERY = "query.pipefl"
"""The type of the message that asks a node for its `Profile`."""

Came = Literal["uploaded", "dropped", "carried", "nothing"]


class MessageError(PipeflError, ValueError):
    """A record that does not say what it should."""


@dataclass(frozen=True, kw_only=True)
class SlotOrder:
    """When a client may begin its upload, counted from its receipt of the message.

    `release_s` is its slot, or 0 to upload as soon as it is ready. It may be `forgiven_s` late
    for it. Later still, it does what `missed` says: it sends nothing ("drop"), takes the first
    of its places `later_s`, after the last of which it has one every `period_s`
    ("next-slot"), or keeps its update ("carry"). With `deliver` it uploads what it has kept.
    """

    round: int
    release_s: float
    forgiven_s: float
    missed: str
    later_s: list[float]
    period_s: float
    deliver: bool

    NAME: ClassVar[str] = "pipefl.order"


@dataclass(frozen=True, kw_only=True)
class SlotReport:
    """What a client did, by its own clock since it received the message.

    It computed for `compute_s`, waited for `wait_s`, and began its upload at
    `upload_start_s`, which is `lateness_s` after its slot, if it had one. `came` says whether
    it uploaded, and `model_round` in which round its update was computed. `received_unix_s`
    is its wall clock at the receipt, which may be wrong.
    """

    round: int
    came: Came
    compute_s: float
    wait_s: float
    upload_start_s: float
    lateness_s: float
    model_round: int
    received_unix_s: float

    NAME: ClassVar[str] = "pipefl.report"


@dataclass(frozen=True, kw_only=True)
class Profile:
    """Which part of the data a node has, how much of it, and how fast it computes.

    It worked on `measured_samples` within `measured_s`; a round of its work is
    `samples_per_round`, n_m times the local epochs.
    """

    partition_id: int
    num_samples: int
    samples_per_round: int
    measured_samples: int
    measured_s: float

    NAME: ClassVar[str] = "pipefl.profile"

    @property
    def compute_time_s(self) -> float:
        """The expected τ_m."""
        return self.measured_s / self.measured_samples * self.samples_per_round


Told = SlotOrder | SlotReport | Profile
T = TypeVar("T", bound=Told)


def attach(content: RecordDict, told: Told) -> None:
    """Put a record into a message's content."""
    content[told.NAME] = ConfigRecord(asdict(told))


def taken(content: RecordDict, kind: type[T]) -> T | None:
    """Take a record of this kind out of a message's content; None if there is none.

    One that is not as it should be is taken out too, with a `MessageError`.
    """
    record = content.get(kind.NAME)
    if record is None:
        return None
    del content[kind.NAME]
    types = {f.name: f.type for f in fields(kind)}
    if not isinstance(record, ConfigRecord) or set(record) != set(types):
        raise MessageError(f"{kind.NAME} is not a record of {', '.join(types)}")
    values: dict[str, Any] = dict(record)
    for name, wanted in types.items():
        if not _fits(values[name], wanted):
            raise MessageError(f"{kind.NAME} has {name} = {values[name]!r}")
    return kind(**values)


def _fits(value: object, wanted: Any) -> bool:
    """Whether a value is of a field's type; a time is a finite number of seconds, 0 or more."""
    if get_origin(wanted) is list:
        return isinstance(value, list) and all(_fits(each, get_args(wanted)[0]) for each in value)
    if get_origin(wanted) is Literal:
        return value in get_args(wanted)
    if wanted is float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and isfinite(value) and value >= 0  # type: ignore[arg-type, operator]  # seen
    return type(value) is wanted
