from pathlib import Path

import numpy as np
import pytest

from pipefl.errors import InputFileError, PipeflError
from pipefl.policies.fedbuff import FedBuff
from pipefl.policies.rolling import Rolling
from pipefl.runs.config import DeviceConfig, RunConfig
from pipefl.runs.scene import scene_of, schedule_of

SIZES = np.array([10, 20, 40, 70])
NAMES = np.array(["a", "b", "c", "d"], dtype=object)


def config(**changes: object) -> RunConfig:
    fields = {"num_clusters": 2, "target_accuracy": 0.9, **changes}
    return RunConfig.model_validate(fields)


@pytest.mark.paper("eq:choosing_K")
def test_the_upload_time_makes_the_paper_s_choice_of_k_come_true() -> None:
    scene = scene_of(config(), SIZES, NAMES)
    np.testing.assert_allclose(scene.compute_time_s, [1, 2, 4, 7])
    assert scene.upload_time_s.tolist() == pytest.approx([3.0] * 4)  # (7 − 1) / 2
    assert scene.plan is not None
    assert scene.plan.num_clusters == 2


def test_conventional_scheduling_can_be_put_on_the_uplink_of_more_clusters() -> None:
    scene = scene_of(config(num_clusters=1, upload_clusters=3), SIZES, NAMES)
    assert scene.upload_time_s[0] == pytest.approx(2.0)
    assert scene.plan is not None
    assert scene.plan.num_clusters == 1


def test_an_upload_time_is_taken_as_given() -> None:
    assert scene_of(config(upload_time_s=0.5), SIZES, NAMES).upload_time_s[0] == 0.5


def test_equal_clients_need_an_upload_time() -> None:
    with pytest.raises(PipeflError, match="all clients compute for the same time"):
        scene_of(config(), np.array([10, 10]), NAMES[:2])


def test_times_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    path.write_text("compute_time_s\n1\n2\n3\n9\n")
    devices = DeviceConfig(times_file=str(path))
    assert scene_of(config(devices=devices), SIZES, NAMES).compute_time_s.tolist() == [1, 2, 3, 9]
    with pytest.raises(InputFileError, match="4 compute times for the 3 clients of the data"):
        scene_of(config(devices=devices), SIZES[:3], NAMES[:3])


def test_a_cell_gives_every_client_a_channel() -> None:
    scene = scene_of(config(devices=DeviceConfig(cell_radius_m=500.0)), SIZES, NAMES)
    assert scene.channel is not None
    assert (scene.channel.rates_bits_per_s(0) >= 0).all()


def test_the_server_s_rate_is_the_factor_of_schedules_without_rounds() -> None:
    one = config(policy="rolling", server_learning_rate=0.3, policy_options={"in_flight": 2})
    rolling = schedule_of(one, scene_of(one, SIZES, NAMES))
    assert isinstance(rolling, Rolling)
    assert rolling.learning_rate == 0.3
    two = config(policy="fedbuff", server_learning_rate=0.3, policy_options={"concurrency": 2})
    fedbuff = schedule_of(two, scene_of(two, SIZES, NAMES))
    assert isinstance(fedbuff, FedBuff)
    assert fedbuff.server_learning_rate == 0.3


def test_a_factor_is_given_once() -> None:
    options = {"in_flight": 2, "damping": 0.1}
    given = config(policy="rolling", server_learning_rate=0.3, policy_options=options)
    with pytest.raises(PipeflError, match=r"policy_options\.damping is 0\.1; it is the same as"):
        schedule_of(given, scene_of(given, SIZES, NAMES))
