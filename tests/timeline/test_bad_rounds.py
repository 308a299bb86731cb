import pytest

import pipefl
from pipefl.timeline import simulate_round

PLAN_OF_TWO = pipefl.plan_clusters([1.0, 2.0], 1.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cohort": [0, 3]}, "cohort is 3; the population has clients 0 to 2"),
        ({"cohort": [-1]}, "cohort is -1"),
        ({"cohort": [0, 1, 2, 0]}, "every client can be scheduled once"),
        ({"cohort": [0.5]}, "it must be a list of client indices"),
        ({"carried": [7]}, "carried is 7"),
        ({"compute_time_s": [1.0, -2.0, 3.0]}, r"compute_time_s\[1\] is -2.0"),
        ({"carried": [2, 1]}, "a client that is carried over cannot be in the cohort as well"),
        ({"upload_time_s": 0.0}, "^upload_time_s is 0.0; it must be a finite number of seconds"),
        ({"upload_time_s": [1.0, 2.0]}, "one for each of the 3 clients"),
        ({"num_channels": 0}, "num_channels is 0; it must be a whole number of at least 1"),
        ({"server_time_s": -1.0}, "server_time_s is -1.0"),
        ({"discipline": "lifo"}, "discipline is 'lifo'; it must be one of slots"),
        ({"missed": "forget"}, "missed is 'forget'; it must be one of drop"),
        ({"plan": PLAN_OF_TWO}, "plan.num_clients is 2; it must be 3, as compute_time_s has"),
        ({"discipline": "slots"}, "discipline 'slots' needs a plan"),
        ({"discipline": "eager-slots"}, "discipline 'eager-slots' needs a plan"),
    ],
)
def test_bad_input_is_named_in_one_line(arguments: dict[str, object], message: str) -> None:
    given = {
        "cohort": [0, 1],
        "compute_time_s": [1.0, 2.0, 3.0],
        "upload_time_s": 1.0,
        "discipline": "fifo",
        **arguments,
    }
    with pytest.raises(pipefl.PipeflError, match=message) as caught:
        simulate_round(**given)  # type: ignore[arg-type]  # some are wrong on purpose
    assert "\n" not in str(caught.value)
