"""The schedule around Flower's own strategies."""

from pathlib import Path

import numpy as np
import pytest
from flwr.clientapp.mod import LocalDpMod, adaptiveclipping_mod, fixedclipping_mod
from flwr.clientapp.typing import Mod
from flwr.serverapp.strategy import (
    Bulyan,
    DifferentialPrivacyClientSideAdaptiveClipping,
    DifferentialPrivacyClientSideFixedClipping,
    DifferentialPrivacyServerSideAdaptiveClipping,
    DifferentialPrivacyServerSideFixedClipping,
    FedAdagrad,
    FedAdam,
    FedAvgM,
    FedMedian,
    FedProx,
    FedTrimmedAvg,
    FedYogi,
    Krum,
    MultiKrum,
    QFedAvg,
    Strategy,
)

import in_process
import small_federations as small
from pipefl.errors import PipeflError
from pipefl.flower import uplink_slot

_SIX = small.quick(num_channels=2)  # two of each of the three clusters

STRATEGIES: dict[str, Strategy] = {
    "FedAdam": FedAdam(**small.TAKING),
    "FedAdagrad": FedAdagrad(**small.TAKING),
    "FedYogi": FedYogi(**small.TAKING),
    "FedAvgM": FedAvgM(**small.TAKING, server_momentum=0.9),
    "FedProx": FedProx(**small.TAKING, proximal_mu=0.1),
    "FedMedian": FedMedian(**small.TAKING),
    "FedTrimmedAvg": FedTrimmedAvg(**small.TAKING),
    "Krum": Krum(**small.TAKING, num_malicious_nodes=1),
    "MultiKrum": MultiKrum(**small.TAKING, num_malicious_nodes=1, num_nodes_to_select=3),
    "Bulyan": Bulyan(**small.TAKING, num_malicious_nodes=0),
    "QFedAvg": QFedAvg(**small.TAKING, client_learning_rate=0.1, train_loss_key="train_loss"),
}

PRIVATE: dict[str, tuple[Strategy, tuple[Mod, ...]]] = {
    "clipped by the server": (
        DifferentialPrivacyServerSideFixedClipping(small.averaging(), 0.1, 0.5, 6),
        (uplink_slot,),
    ),
    "clipped adaptively by the server": (
        DifferentialPrivacyServerSideAdaptiveClipping(small.averaging(), 0.1, 6),
        (uplink_slot,),
    ),
    "clipped by the clients": (
        DifferentialPrivacyClientSideFixedClipping(small.averaging(), 0.1, 0.5, 6),
        (uplink_slot, fixedclipping_mod),
    ),
    "clipped adaptively by the clients": (
        DifferentialPrivacyClientSideAdaptiveClipping(small.averaging(), 0.1, 6),
        (uplink_slot, adaptiveclipping_mod),
    ),
    "with local noise": (small.averaging(), (uplink_slot, LocalDpMod(0.5, 0.1, 1.0, 1e-5))),
}


@pytest.mark.parametrize("name", STRATEGIES)
def test_any_strategy_steps_with_the_cohort_of_every_round(name: str, tmp_path: Path) -> None:
    grid = in_process.federation(small.COMPUTE_S)
    result = small.federate(
        grid, rounds=2, config=_SIX, strategy=STRATEGIES[name], run_dir=tmp_path / "run"
    )
    assert small.outcomes_of(tmp_path / "run") == [dict.fromkeys(range(6), "delivered")] * 2
    moved = in_process.arrays(result.arrays)["weight"]
    assert np.isfinite(moved).all()
    assert (moved > 0).all()


@pytest.mark.parametrize("name", PRIVATE)
def test_differential_privacy_composes_on_either_side(name: str, tmp_path: Path) -> None:
    strategy, mods = PRIVATE[name]
    grid = in_process.InProcessGrid()
    for partition_id, compute_s in enumerate(small.COMPUTE_S):
        grid.join(in_process.honest(partition_id, compute_s, mods=mods))
    result = small.federate(grid, config=_SIX, strategy=strategy, run_dir=tmp_path / "run")
    assert small.outcomes_of(tmp_path / "run") == [dict.fromkeys(range(6), "delivered")]
    weight = in_process.arrays(result.arrays)["weight"]
    assert np.isfinite(weight).all()
    assert np.unique(weight).size == weight.size  # noise on each


def test_noise_for_more_clients_than_a_round_has_is_refused() -> None:
    strategy = DifferentialPrivacyServerSideFixedClipping(small.averaging(), 0.1, 0.5, 7)
    with pytest.raises(PipeflError, match="num_sampled_clients is 7, and a round of this plan has"):
        small.federate(in_process.federation(small.COMPUTE_S), config=_SIX, strategy=strategy)


def test_a_step_that_the_strategy_refuses_leaves_the_model_as_it_is(tmp_path: Path) -> None:
    grid = in_process.federation(small.COMPUTE_S)
    strategy = small.averaging(weighted_by_key="no such metric")
    result = small.federate(grid, strategy=strategy, run_dir=tmp_path / "run")
    assert (in_process.arrays(result.arrays)["weight"] == 0).all()
    assert "FedAvg made no step: Missing required key" in small.events_of(tmp_path / "run")


def test_a_federation_that_gets_nowhere_ends_with_an_error(tmp_path: Path) -> None:
    grid = in_process.federation(small.COMPUTE_S)
    strategy = small.averaging(weighted_by_key="no such metric")
    with pytest.raises(PipeflError, match="3 rounds in a row left the model as it was"):
        small.federate(grid, rounds=9, strategy=strategy, run_dir=tmp_path / "run")
    assert len(small.rounds_of(tmp_path / "run")) == 3
