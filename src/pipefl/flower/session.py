"""One stretch of a federation: from a start or a resumption to its end."""

import logging
from collections.abc import Callable
from time import perf_counter

from flwr.app import ArrayRecord, Message, MetricRecord
from flwr.app.exception import AppExitException
from flwr.serverapp import Grid
from flwr.serverapp.strategy import Strategy

from pipefl.errors import PipeflError
from pipefl.flower.cohort_grid import CohortGrid
from pipefl.flower.current_round import CurrentRound
from pipefl.flower.federation import Federation
from pipefl.flower.ledger import Ledger
from pipefl.flower.plan_config import PlanConfig
from pipefl.flower.postbox import Postbox
from pipefl.flower.recording import DoneRound, interval_record
from pipefl.flower.replies import non_finite
from pipefl.flower.strategy_state import attribute

Stepped = tuple[ArrayRecord | None, MetricRecord | None]

_MOST_USELESS = 3  # rounds in a row that leave the model as it is
_log = logging.getLogger("flwr")


class UselessRoundsError(PipeflError):
    """Several rounds in a row left the model as it was."""


class Session:
    """Round after round: planned, ordered, judged, stepped, and written down."""

    def __init__(self, strategy: Strategy, config: PlanConfig, grid: Grid, ledger: Ledger) -> None:
        self._strategy = strategy
        self._config = config
        self._ledger = ledger
        self._postbox = Postbox(grid, config.poll_s)
        self._federation = Federation(config, grid, self._postbox, self._tell)
        self._events: list[str] = []
        self._num_useless = 0
        self._current: CurrentRound | None = None
        self._done: DoneRound | None = None
        self.view = CohortGrid(grid, self._postbox)

    @property
    def round(self) -> int:
        """The round that is going on, from 1, counted from the beginning of the run."""
        return self._ledger.num_done + 1

    @property
    def is_new(self) -> bool:
        """Whether the run has no round yet."""
        return self._ledger.num_done == 0

    def begin(self, initial: ArrayRecord, *, resume: bool) -> ArrayRecord:
        """The arrays to begin with, or to go on with."""
        return self._ledger.begin(initial, self._federation, resume=resume)

    def configured(
        self, arrays: ArrayRecord, configure: Callable[[], list[Message]]
    ) -> list[Message]:
        """Plan a round; the messages that the strategy then configures, with their orders."""
        index = self.round - 1
        plan = self._federation.next_round(index, self._ledger.clock_s(perf_counter()))
        self._refuse_thin_noise(plan.planning.plan.clients_per_round(self._config.num_channels))
        self._current = CurrentRound(index, plan, self._federation.roster.nodes)
        self._ledger.sent(index, arrays)
        self.view.show(self._current.nodes)
        messages = self._current.ordered(configure())
        self.view.expect(self._current.timetable(messages, self._config))
        return messages

    def aggregated(self, aggregate: Callable[[list[Message]], Stepped], loss_key: str) -> Stepped:
        """Judge the round's replies, and let the strategy step with those that can be used."""
        current, exchanged = self._current, self.view.exchanged
        assert current is not None  # noqa: S101  # a round was configured
        assert exchanged is not None  # noqa: S101  # and its messages exchanged
        weight_key = attribute(self._strategy, "weighted_by_key") or "num-examples"
        usable = current.judge(
            exchanged,
            self._federation.roster,
            self._federation.kept,
            self._ledger.models,
            (weight_key, self._config.largest_update),
        )
        start_s = perf_counter()
        stepped = self._stepped(lambda: aggregate(usable))
        self._done = current.done(
            clock_s=self._ledger.clock_s(exchanged.start_s),
            server_time_s=perf_counter() - start_s,
            events=self._events,
            loss_key=loss_key,
        )
        self._events = []
        self._num_useless = self._num_useless + 1 if stepped[0] is None else 0
        return stepped

    def show_everybody(self) -> None:
        """For what follows, every node that can be reached is there."""
        self.view.show(self._federation.reachable_nodes())

    def complete(
        self, arrays: ArrayRecord, metrics: MetricRecord | None, accuracy_key: str
    ) -> None:
        """The round is over: learn from it, and write it down with its state."""
        done = self._done
        assert done is not None  # noqa: S101  # it has been aggregated
        intervals = interval_record(done)
        actual = intervals.actual_round()
        self._federation.learn(done.index, done.plan, list(done.deeds), actual)
        self._ledger.complete(done, arrays, self._federation, metrics, accuracy_key)
        _log.info(_said(done))
        for event in intervals.events[len(done.events) :]:
            _log.warning(event)
        if self._num_useless >= _MOST_USELESS:
            why = intervals.events[-1] if intervals.events else "nobody delivered"
            raise UselessRoundsError(
                f"{_MOST_USELESS} rounds in a row left the model as it was, the last of them round "
                f"{done.index + 1}: {why}"
            )

    def close(self) -> None:
        """Nothing more is looked for or written."""
        self._postbox.close()
        self._ledger.close()

    def _stepped(self, aggregate: Callable[[], Stepped]) -> Stepped:
        """The strategy's step, or none where it cannot make one."""
        try:
            arrays, metrics = aggregate()
        except AppExitException as error:
            self._tell(f"{type(self._strategy).__name__} made no step: {error}")
            return None, None
        if arrays is not None and (name := non_finite(arrays)) is not None:
            self._tell(f"the new model was refused: array {name!r} is not finite")
            return None, None
        return arrays, metrics

    def _refuse_thin_noise(self, cohort_size: int) -> None:
        """Differential privacy adds noise for so many clients; for fewer it would be too little."""
        sampled = attribute(self._strategy, "num_sampled_clients")
        if sampled is not None and sampled > cohort_size:
            raise PipeflError(
                f"num_sampled_clients is {sampled}, and a round of this plan has {cohort_size} "
                "clients, for whom that would be too little noise"
            )

    def _tell(self, event: str) -> None:
        _log.info(event)
        self._events.append(event)


def _said(done: DoneRound) -> str:
    came: dict[str, int] = {}
    for deed in done.deeds:
        came[deed.outcome] = came.get(deed.outcome, 0) + 1
    told = ", ".join(f"{number} {outcome}" for outcome, number in sorted(came.items()))
    planned_s = done.plan.round_.duration_s
    return f"round {done.index + 1}: {done.duration_s:.1f} s ({planned_s:.1f} planned): {told}"
