"""The schedule as a Flower strategy around another one."""

import logging
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

from flwr.app import ArrayRecord, ConfigRecord, Message, MetricRecord
from flwr.serverapp import Grid
from flwr.serverapp.strategy import Result, Strategy

from pipefl.errors import PipeflError
from pipefl.flower.ledger import Ledger
from pipefl.flower.plan_config import PlanConfig
from pipefl.flower.run_files import About
from pipefl.flower.session import Session
from pipefl.flower.strategy_state import state_of
from pipefl.runs.config import RunConfig

Evaluate = Callable[[int, ArrayRecord], MetricRecord | None]

_log = logging.getLogger("flwr")


class ClusteredScheduling(Strategy):
    r"""Any Flower strategy, with this package's schedule of who trains and uploads when.

    .. math:: \mathcal{S}[t] = \bigcup_{k=1}^{K} \mathcal{S}_k[t], \qquad
        \text{upload of } m \in \mathcal{S}_k[t] \text{ from } \theta_k

    From: this package's paper, alg:csgd, its lines 2 to 9; line 11, the server's step, is the
    wrapped strategy's. That sees a grid of this round's cohort and nobody else, and then those
    replies that may enter the model. It should train with all nodes that it sees and not
    wait for more: `FedAvg(fraction_train=1.0, min_train_nodes=1, min_available_nodes=1)`.

    Clients must have `uplink_slot` first among their mods, and answer the first question with
    `answer_profile`. With `run_dir` a run directory is kept there, such as simulated runs have,
    with the intervals of every round, planned and actual, beside the records; `run_config`
    says in it what only the app knows. With `resume` a run that is there already is gone on
    with, after its last complete round, however it was interrupted.

    Of the clients' replies the metric `loss_key` is recorded, of the server's own evaluation
    `accuracy_key`. Numbers of rounds count from the beginning of the run directory, also where
    Flower asks `evaluate_fn`.

    >>> from flwr.serverapp.strategy import FedAvg
    >>> strategy = ClusteredScheduling(FedAvg(min_train_nodes=1), PlanConfig(upload_time_s=20.0))
    """

    def __init__(
        self,
        strategy: Strategy,
        plan_config: PlanConfig,
        *,
        run_dir: str | Path | None = None,
        resume: bool = False,
        run_config: RunConfig | None = None,
        loss_key: str = "train_loss",
        accuracy_key: str = "accuracy",
    ) -> None:
        self._strategy = strategy
        self._plan_config = plan_config
        self._run_dir = None if run_dir is None else Path(run_dir)
        self._resume = resume
        self._run_config = run_config
        self._loss_key = loss_key
        self._accuracy_key = accuracy_key
        self._at_first = state_of(strategy)
        self._session: Session | None = None

    def start(  # noqa: PLR0917  # as Flower has it
        self,
        grid: Grid,
        initial_arrays: ArrayRecord,
        num_rounds: int = 3,
        timeout: float = 3600,
        train_config: ConfigRecord | None = None,
        evaluate_config: ConfigRecord | None = None,
        evaluate_fn: Evaluate | None = None,
    ) -> Result:
        """Run the federation for `num_rounds` in all, those of an interrupted run included."""
        ledger = Ledger(self._strategy, self._at_first, self._about(num_rounds))
        session = Session(self._strategy, self._plan_config, grid, ledger)
        with closing(session):
            arrays = session.begin(initial_arrays, resume=self._resume)
            done, self._session = ledger.num_done, session
            result = super().start(
                session.view,
                arrays,
                max(0, num_rounds - done),
                timeout,
                train_config,
                evaluate_config,
                self._judging(session, evaluate_fn),
            )
            ledger.finish()
        return _renumbered(result, done, arrays)

    def configure_train(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        """The wrapped strategy's messages to this round's cohort, each with its order."""
        session = self._running
        return session.configured(
            arrays,
            lambda: list(
                self._strategy.configure_train(session.round, arrays, config, session.view)
            ),
        )

    def aggregate_train(
        self, server_round: int, replies: Iterable[Message]
    ) -> tuple[ArrayRecord | None, MetricRecord | None]:
        """What the wrapped strategy makes of those replies that may enter the model."""
        session = self._running
        return session.aggregated(
            lambda usable: self._strategy.aggregate_train(session.round, usable), self._loss_key
        )

    def configure_evaluate(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        """The wrapped strategy's messages to any nodes that can be reached."""
        session = self._running
        session.show_everybody()
        return self._strategy.configure_evaluate(session.round, arrays, config, session.view)

    def aggregate_evaluate(
        self, server_round: int, replies: Iterable[Message]
    ) -> MetricRecord | None:
        """The wrapped strategy's."""
        return self._strategy.aggregate_evaluate(self._running.round, replies)

    def summary(self) -> None:
        """Log the settings of the schedule and of the wrapped strategy."""
        config = self._plan_config
        _log.info("\t├──> %s, %s:", type(self).__name__, config.policy)
        _log.info("\t│\t├── Slots of %g s on %d sub-channels", *_uplink(config))
        _log.info("\t│\t└── Run directory: %s", self._run_dir or "none")
        self._strategy.summary()

    def _about(self, num_rounds: int) -> About | None:
        if self._run_dir is None:
            return None
        return About(
            path=self._run_dir,
            plan_config=self._plan_config,
            run_config=self._run_config,
            strategy=type(self._strategy).__name__,
            max_rounds=num_rounds,
        )

    def _judging(self, session: Session, evaluate_fn: Evaluate | None) -> Evaluate:
        """The app's own evaluation, after which a round is complete."""

        def judge(server_round: int, arrays: ArrayRecord) -> MetricRecord | None:
            if server_round == 0:
                return evaluate_fn(0, arrays) if evaluate_fn and session.is_new else None
            metrics = None if evaluate_fn is None else evaluate_fn(session.round, arrays)
            session.complete(arrays, metrics, self._accuracy_key)
            return metrics

        return judge

    @property
    def _running(self) -> Session:
        if self._session is None:
            raise PipeflError("ClusteredScheduling is run by its own start(), not by another's")
        return self._session


def _renumbered(result: Result, done: int, arrays: ArrayRecord) -> Result:
    """A result whose rounds are those of the run directory."""
    for name in ("train_metrics_clientapp", "evaluate_metrics_clientapp"):
        setattr(result, name, {n + done: m for n, m in getattr(result, name).items()})
    judged = result.evaluate_metrics_serverapp
    result.evaluate_metrics_serverapp = {n + done if n else 0: m for n, m in judged.items()}
    if not result.arrays:
        result.arrays = arrays
    return result


def _uplink(config: PlanConfig) -> tuple[float, int]:
    return config.slot_width_s, config.num_channels
