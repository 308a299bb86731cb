import numpy as np
import pytest

import pipefl
from charts import Spec, layers_of, rows
from pipefl.report.round_chart import round_chart
from pipefl.timeline import Round, simulate_round
from pipefl.timeline.typical import typical_cohort

PLAN = pipefl.plan_clusters(np.linspace(1.0, 7.0, 60), 1.5)

Bar = tuple[str, str, float, float]


def typical_round(num_channels: int, server_time_s: float) -> Round:
    """A round of the plan in its slots."""
    return simulate_round(
        typical_cohort(PLAN, num_channels),
        PLAN.compute_time_s,
        PLAN.upload_time_s,
        num_channels,
        plan=PLAN,
        server_time_s=server_time_s,
    )


def drawn(num_channels: int, server_time_s: float) -> tuple[Spec, list[list[Bar]]]:
    """The chart of a typical round, and the bars of its two panels."""
    round_ = typical_round(num_channels, server_time_s)
    spec: Spec = round_chart(round_, PLAN.slot_time_s.tolist(), "A round").to_dict()
    panels = [
        [(row["row"], row["kind"], row["start_s"], row["end_s"]) for row in rows(spec, layer)]
        for layer in layers_of(spec, "bar")
    ]
    return spec, panels


@pytest.mark.parametrize("num_channels", [1, 3])
@pytest.mark.parametrize("server_time_s", [0.0, 0.5])
def test_every_interval_has_a_bar_in_its_clients_row(
    num_channels: int, server_time_s: float
) -> None:
    _, (clients, _) = drawn(num_channels, server_time_s)
    round_ = typical_round(num_channels, server_time_s)
    intervals = [
        (f"cluster {cluster + 1} · client {client}", kind, start_s, end_s)
        for client, cluster, _, kind, start_s, end_s in round_.intervals.iter_rows()
    ]
    assert sorted(clients) == sorted(intervals)


def test_the_lower_panel_shows_each_upload_on_its_sub_channel() -> None:
    _, (clients, channels) = drawn(3, 0.0)
    uploads = sorted(bar[1:] for bar in clients if bar[1] == "upload")
    assert sorted(bar[1:] for bar in channels) == uploads
    assert {bar[0] for bar in channels} == {f"sub-channel {n}" for n in (1, 2, 3)}


def test_the_server_has_a_row_where_it_takes_time() -> None:
    spec, (_, channels) = drawn(2, 0.5)
    assert [bar for bar in channels if bar[1] == "server"] == [("server", "server", 8.5, 9.0)]
    assert "server" in spec["vconcat"][0]["layer"][0]["encoding"]["color"]["scale"]["domain"]
    spec, (_, channels) = drawn(2, 0.0)
    assert all(bar[1] == "upload" for bar in channels)
    assert "server" not in spec["vconcat"][0]["layer"][0]["encoding"]["color"]["scale"]["domain"]


@pytest.mark.parametrize(("server_time_s", "end_s"), [(0.0, 8.5), (0.5, 9.0)])
def test_the_axis_of_time_spans_the_round(server_time_s: float, end_s: float) -> None:
    spec, _ = drawn(2, server_time_s)
    for layer in layers_of(spec, "bar"):
        assert layer["encoding"]["x"]["scale"]["domain"] == [0, end_s]


def test_clients_stand_in_the_order_of_their_clusters() -> None:
    spec, _ = drawn(2, 0.0)
    order = layers_of(spec, "bar")[0]["encoding"]["y"]["sort"]
    clusters = [int(name.split()[1]) for name in order]
    assert clusters == sorted(clusters) == [1, 1, 2, 2, 3, 3, 4, 4]


def test_a_sub_channel_that_nobody_uses_keeps_its_row() -> None:
    plan = pipefl.plan_clusters([1.0, 4.0], 2.0)
    round_ = simulate_round([0], plan.compute_time_s, 2.0, num_channels=3, plan=plan)
    spec = round_chart(round_, plan.slot_time_s.tolist()).to_dict()
    rows_below = layers_of(spec, "bar")[1]["encoding"]["y"]
    assert rows_below["sort"] == ["sub-channel 1", "sub-channel 2", "sub-channel 3"]


def test_a_round_without_a_plan_has_no_slots_and_no_clusters_in_its_names() -> None:
    round_ = simulate_round([3, 1], [1.0, 2.0, 3.0, 4.0], 1.0, discipline="fifo")
    spec = round_chart(round_).to_dict()
    assert layers_of(spec, "rule") == []
    assert layers_of(spec, "bar")[0]["encoding"]["y"]["sort"] == ["client 1", "client 3"]
