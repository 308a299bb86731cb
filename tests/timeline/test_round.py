"""A round worked out by hand.

Six clients compute 1, 2, … 6 s, an upload takes 1.5 s and there are two clusters, so the
slots lie at 4.5 s and 6 s and each cluster has three clients. Clients 0 and 2 of the
first cluster and 4 and 5 of the second share two sub-channels; the server takes 0.5 s.
"""

import polars as pl

import pipefl
from pipefl.timeline import Round, simulate_round

PLAN = pipefl.plan_clusters([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 1.5, num_clusters=2)


def _round(cohort: list[int], num_channels: int = 2) -> Round:
    return simulate_round(
        cohort, PLAN.compute_time_s, 1.5, num_channels, plan=PLAN, server_time_s=0.5
    )


ROUND = _round([0, 2, 4, 5])


def test_the_plan_is_the_one_worked_out_by_hand() -> None:
    assert PLAN.slot_time_s.tolist() == [4.5, 6.0]
    assert PLAN.cluster_of.tolist() == [0, 0, 0, 1, 1, 1]


def test_every_client_computes_waits_and_uploads_when_worked_out_by_hand() -> None:
    stretches = [
        # client, cluster, channel, kind, start, end
        (0, 0, 0, "compute", 0.0, 1.0),
        (0, 0, 0, "wait", 1.0, 4.5),
        (0, 0, 0, "upload", 4.5, 6.0),
        (2, 0, 1, "compute", 0.0, 3.0),
        (2, 0, 1, "wait", 3.0, 4.5),
        (2, 0, 1, "upload", 4.5, 6.0),
        (4, 1, 0, "compute", 0.0, 5.0),
        (4, 1, 0, "wait", 5.0, 6.0),
        (4, 1, 0, "upload", 6.0, 7.5),
        (5, 1, 1, "compute", 0.0, 6.0),
        (5, 1, 1, "upload", 6.0, 7.5),
    ]
    columns = ["client", "cluster", "channel", "kind", "start_s", "end_s"]
    expected = pl.DataFrame(stretches, schema=columns, orient="row")
    assert ROUND.intervals.columns == columns
    assert ROUND.intervals.sort("client", "start_s").rows() == expected.rows()


def test_a_round_ends_when_the_server_has_aggregated_the_last_upload() -> None:
    assert ROUND.duration_s == 8.0
    assert PLAN.round_duration_s(server_time_s=0.5) == 8.0


def test_utilisation_is_the_share_of_all_channels_time_that_carries_uploads() -> None:
    assert ROUND.utilisation == 4 * 1.5 / (2 * 8.0)


def test_a_half_filled_round_uses_half_as_much() -> None:
    half = _round([0, 4])
    assert half.duration_s == 8.0
    assert half.utilisation == ROUND.utilisation / 2


def test_a_round_lasts_until_its_last_slot_even_if_nobody_uses_it() -> None:
    assert _round([1, 0]).duration_s == 8.0


def test_clients_take_the_channels_in_the_order_of_the_cohort() -> None:
    mixed = _round([5, 2, 4, 0])
    assert mixed.client.tolist() == [5, 2, 4, 0]
    assert mixed.channel.tolist() == [0, 0, 1, 1]


def test_a_round_of_nobody_takes_no_time_and_uses_nothing() -> None:
    nobody = simulate_round([], PLAN.compute_time_s, 1.5, discipline="fifo")
    assert (nobody.duration_s, nobody.utilisation) == (0.0, 0.0)
