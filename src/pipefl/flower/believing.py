"""What a client says of its times, and what the server saw."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from pipefl.flower.messages import Profile, SlotReport

_CLOCK_S = 0.05  # two machines measure the same stretch of time to within this
_LEAST_S = 1e-6  # of computing: a plan wants times above 0 s


@dataclass(frozen=True)
class Seen:
    """A report, and when the reply was there, in seconds since the round's messages were sent."""

    report: SlotReport
    arrived_s: float

    @property
    def transit_s(self) -> float:
        """What is neither computing nor waiting: the message's way, the reply's, and Flower."""
        return self.arrived_s - self.report.upload_start_s


def doubt(seen: Seen) -> str | None:
    """Why a report cannot be true, if it cannot."""
    report = seen.report
    if report.upload_start_s > seen.arrived_s + _CLOCK_S:
        return (
            f"it says that it began its upload {report.upload_start_s:.3g} s after it received "
            f"its message, but its reply was there {seen.arrived_s:.3g} s after that was sent"
        )
    if abs(report.compute_s + report.wait_s - report.upload_start_s) > _CLOCK_S:
        return (
            f"it says that it computed for {report.compute_s:.3g} s, waited for "
            f"{report.wait_s:.3g} s, and then began its upload at {report.upload_start_s:.3g} s"
        )
    return None


def profile_doubt(profile: Profile, elapsed_s: float) -> str | None:
    """Why a profile cannot be true, if it cannot: the measuring was part of the question's time."""
    if profile.measured_s > elapsed_s + _CLOCK_S:
        return (
            f"it says that it measured for {profile.measured_s:.3g} s, but its reply was there "
            f"after {elapsed_s:.3g} s"
        )
    if profile.measured_s <= 0 or profile.measured_samples < 1 or profile.samples_per_round < 1:
        return "its profile has no measured time above 0 s on at least one sample"
    return None


def computed_s(
    seen: Sequence[Seen | None],
    arrived_s: Sequence[float | None],
    unaccounted_s: float,
    upload_time_s: float,
) -> list[float | None]:
    r"""How long each client of a round computed, as far as can be believed; None if unknown.

    What a client does not account for, beyond what is usual in its round, counts as its
    computing if it is more than is left unaccounted for:

    .. math:: \tau_m = c_m + [\,x_m > u\,]\, x_m, \qquad
        x_m = d_m - \operatorname{median}_j d_j

    Whoever says that it computes faster than it does, or has a slower way than the others,
    thereby comes to a cluster in which it can be on time. Of a client whose report cannot be
    true only the arrival counts, less the usual transit.

    Legend: c `compute_s` of its report, d `transit_s`, and one upload more for a reply that
    had nothing to upload, u `unaccounted_s`. None in `seen` is for no such report.
    """
    known = [_as_if_uploaded(each, upload_time_s) for each in seen if each is not None]
    usual_s = median(known) if known else 0.0
    times_s: list[float | None] = []
    for each, there_s in zip(seen, arrived_s, strict=True):
        if each is not None:
            more_s = _as_if_uploaded(each, upload_time_s) - usual_s
            extra_s = more_s if more_s > unaccounted_s else 0.0
            times_s.append(max(each.report.compute_s + extra_s, _LEAST_S))
        else:
            times_s.append(None if there_s is None else max(there_s - usual_s, _LEAST_S))
    return times_s


def _as_if_uploaded(seen: Seen, upload_time_s: float) -> float:
    return seen.transit_s + (0.0 if seen.report.came == "uploaded" else upload_time_s)


def receipt_s(seen: Seen, sent_unix_s: float) -> float:
    """When the client received its message, since it was sent, if the two clocks agree; else 0 s.

    For the record only: a time outside of what cause and effect allow shows that they do not.
    """
    receipt = seen.report.received_unix_s - sent_unix_s
    return receipt if 0.0 <= receipt <= seen.transit_s else 0.0
