import numpy as np

import pipefl
from pipefl.devices.distributions import draw_population
from pipefl.devices.example import EXAMPLE_UPLOAD_TIME_S, example_population


def test_the_example_is_the_papers_population_drawn_once() -> None:
    example, drawn = example_population(), draw_population("samples:10:70:0.1", 1500, seed=0)
    assert example.num_clients == 1500
    assert np.array_equal(example.compute_time_s, drawn.compute_time_s.round(1))
    assert example.num_samples is not None
    assert drawn.num_samples is not None
    assert np.array_equal(example.num_samples, drawn.num_samples)


def test_its_clients_have_ids_of_their_own() -> None:
    ids = example_population().client_id
    assert ids is not None
    assert len(set(ids)) == 1500


def test_its_own_upload_time_makes_four_equal_clusters() -> None:
    plan = pipefl.plan_clusters(example_population().compute_time_s, EXAMPLE_UPLOAD_TIME_S)
    assert plan.size.tolist() == [375, 375, 375, 375]


def test_its_source_is_told_in_words() -> None:
    assert "1,500 phones" in example_population().source
