"""What policies know of the clients' losses."""

import math

import numpy as np

from pipefl.train.reported_losses import ReportedLosses

NO_PARTICIPATION = np.zeros(4, np.int64)


def test_losses_are_those_last_reported_and_a_guess_before() -> None:
    losses = ReportedLosses(num_clients=4, num_classes=10)
    losses.hear([2, 0], [0.5, 3.0])
    losses.hear([2], [0.25])
    heard = losses.losses(NO_PARTICIPATION)
    assert heard.tolist() == [3.0, math.log(10), 0.25, math.log(10)]
    heard[:] = 0.0
    assert losses.losses(NO_PARTICIPATION)[0] == 3.0


def test_what_is_no_number_is_not_noted() -> None:
    losses = ReportedLosses(num_clients=4, num_classes=10)
    losses.hear([0, 1, 2, 3], [1.0, 2.0, 3.0, 4.0])
    losses.hear([0, 1, 2], [math.nan, math.inf, None])
    assert losses.losses(NO_PARTICIPATION).tolist() == [1.0, 2.0, 3.0, 4.0]
