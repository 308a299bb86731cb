"""`rolling` as a rival of rounds: how many clients to keep in flight, and how long that takes."""

from collections.abc import Iterator

from pipefl.errors import PipeflError
from pipefl.policies.closed_network import most_utilisation
from pipefl.policies.plan_rolling import plan_rolling
from pipefl.policies.schedule_candidates import ScheduleCandidate, ScheduleQuestion
from pipefl.policies.schedules import WISHED_UTILISATION


def rolling_candidates(
    question: ScheduleQuestion, channels: list[int]
) -> Iterator[ScheduleCandidate]:
    r"""`rolling` for each N, with the fewest clients W in flight that keep it busy.

    .. math:: \text{seconds} = T_\text{rolling}(W) \cdot \frac{W}{X(W)}, \qquad
        X(W) \le \frac{N}{S}\, U_\text{most}(W)

    The bound on the throughput X is what `settled_candidates` goes by; X itself is then
    measured on the clock. None without a curve of its own: how many updates staleness costs
    is for training to say.

    Legend: T_rolling the question's `rolling_curve`, in rounds of W uploads; S an upload's
    time, U_most `most_utilisation`.
    """
    if question.rolling_curve is None:
        return
    for num_channels in channels:
        in_flight = _fewest(question, num_channels)
        if in_flight > max(question.most_served, num_channels):
            continue
        upload_s = num_channels * question.one_channel_s
        busy = _most_busy(question, num_channels, in_flight)
        yield ScheduleCandidate(
            policy="rolling",
            discipline="none",
            num_channels=num_channels,
            num_clusters=0,
            slack_s=0.0,
            clients_per_round=in_flight,
            smallest=question.sorted_s.size,
            largest=question.sorted_s.size,
            upload_time_s=upload_s,
            rounds=float(question.rolling_curve.rounds(in_flight)),
            extrapolated=bool(question.rolling_curve.extrapolates(in_flight)),
            least_round_s=in_flight * upload_s / (num_channels * busy),
        )


def _most_busy(question: ScheduleQuestion, num_channels: int, in_flight: int) -> float:
    """A bound on the utilisation; of nearly all clients in flight none but 1 is sure."""
    if 2 * in_flight > question.sorted_s.size:
        return 1.0
    return most_utilisation(question.scene(num_channels), in_flight)


def _fewest(question: ScheduleQuestion, num_channels: int) -> int:
    """The W that `rolling` itself would take, or all clients if even they are too few."""
    try:
        return plan_rolling(
            question.scene(num_channels), utilisation=WISHED_UTILISATION, seed=question.seed
        ).in_flight
    except PipeflError:
        return question.sorted_s.size
