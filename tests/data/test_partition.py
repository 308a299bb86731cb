import re

import numpy as np
import pytest

from pipefl.data.dealing import deal_evenly, deal_sizes
from pipefl.data.label_skew import deal_dirichlet, deal_shards
from pipefl.data.partition import SCHEMES, draw_partition
from pipefl.errors import ArgumentError

LABELS = np.arange(120, dtype=np.uint8) % 10


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sizes:3:9", deal_sizes(120, 12, 3, 9, 5)),
        ("iid", deal_evenly(120, 12, 5)),
        ("dirichlet:0.5", deal_dirichlet(LABELS, 12, 0.5, 5)),
        ("dirichlet:2", deal_dirichlet(LABELS, 12, 2.0, 5)),
        ("shards:2", deal_shards(LABELS, 12, 2, 5)),
    ],
)
def test_a_name_with_its_numbers_is_the_scheme(text: str, expected: object) -> None:
    dealt = draw_partition(text, LABELS, num_clients=12, seed=5)
    np.testing.assert_equal(vars(dealt), vars(expected))
    assert text.partition(":")[0] in SCHEMES


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("size:1:2", "partition is 'size:1:2'; did you mean sizes? the partitions are sizes:LOW"),
        (
            "",
            "partition is ''; the partitions are sizes:LOW:HIGH, iid, dirichlet:ALPHA, shards:PER",
        ),
        ("iid:3", "partition is 'iid:3'; it must have the form iid"),
        ("sizes:3", "partition is 'sizes:3'; it must have the form sizes:LOW:HIGH"),
        ("sizes:9:3", "partition is 'sizes:9:3'; the larger number must come second"),
        ("sizes:0:3", "LOW of 'sizes:0:3' is 0; it must be a whole number from 1 to 120"),
        ("sizes:3:121", "HIGH of 'sizes:3:121' is 121; it must be a whole number from 1 to 120"),
        ("sizes:3:4.5", "HIGH of 'sizes:3:4.5' is '4.5'; it must be a whole number"),
        ("dirichlet:0", "ALPHA of 'dirichlet:0' is 0.0; it must be a finite number of units above"),
        ("dirichlet:nan", "ALPHA of 'dirichlet:nan' is nan; it must be a finite"),
        ("dirichlet:x", "ALPHA of 'dirichlet:x' is 'x'; it must be a finite number"),
        ("shards:0", "PER_CLIENT of 'shards:0' is 0; it must be a whole number of at least 1"),
    ],
)
def test_what_is_wrong_is_named(text: str, complaint: str) -> None:
    with pytest.raises(ArgumentError, match=f"^{re.escape(complaint)}"):
        draw_partition(text, LABELS, num_clients=12)


def test_a_number_of_clients_is_checked() -> None:
    with pytest.raises(ArgumentError, match="num_clients is 0"):
        draw_partition("iid", LABELS, num_clients=0)
