"""What composes with SecAgg+, which in this release of Flower has strategies of its own kind."""

import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from flwr.app import Context, RecordDict
from flwr.client import Client, NumPyClient
from flwr.client.mod import secaggplus_mod
from flwr.clientapp import ClientApp
from flwr.common import ndarrays_to_parameters
from flwr.server import LegacyContext, ServerConfig
from flwr.server.strategy import FedAvg
from flwr.server.workflow import DefaultWorkflow, SecAggPlusWorkflow

from in_process import InProcessGrid, Node
from pipefl.flower import uplink_slot


class _Adds(NumPyClient):
    """Replies with its own number in every weight."""

    def __init__(self, number: int) -> None:
        self._number = number

    def fit(self, parameters, config):  # type: ignore[no-untyped-def]  # as Flower has it
        return [np.full_like(each, self._number) for each in parameters], 10, {}


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_the_mod_lets_the_stages_of_secure_aggregation_pass() -> None:
    grid = InProcessGrid()
    for partition_id in range(4):

        def client_fn(context: Context) -> Client:
            return _Adds(int(str(context.node_config["partition-id"]))).to_client()

        app = ClientApp(client_fn, mods=[uplink_slot, secaggplus_mod])
        grid.join(Node(app, partition_id))
    strategy = FedAvg(
        initial_parameters=ndarrays_to_parameters([np.zeros(5, np.float32)]),
        fraction_evaluate=0.0,
        min_fit_clients=4,
        min_available_clients=4,
    )
    context = LegacyContext(
        Context(1, 1, {}, RecordDict(), {}), config=ServerConfig(num_rounds=1), strategy=strategy
    )
    workflow = DefaultWorkflow(fit_workflow=SecAggPlusWorkflow(3, 2, timeout=10.0))
    workflow(grid, context)
    (mean,) = context.state.array_records["parameters"].to_numpy_ndarrays()
    np.testing.assert_allclose(mean, 1.5, atol=5e-4)  # quantised, with a random rounding


def test_its_workflow_takes_no_strategy_of_messages() -> None:
    """So ClusteredScheduling cannot be run by it; docs/flower.md says so."""
    workflow = SecAggPlusWorkflow(3, 2)
    with pytest.raises(TypeError, match="Expect a LegacyContext"):
        workflow(InProcessGrid(), Context(1, 1, {}, RecordDict(), {}))
