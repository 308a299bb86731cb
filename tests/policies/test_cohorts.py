from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pipefl
from pipefl.policies.cohorts import clustered_cohorts, uniform_cohorts
from pipefl.randomness import generator
from strategies import Case, cases


@given(cases(), st.integers(1, 9), st.integers(0, 2**32))
def test_a_clustered_round_has_n_different_clients_of_every_cluster_in_order(
    case: Case, num_channels: int, seed: int
) -> None:
    plan = case.plan
    cohorts = clustered_cohorts(plan, num_channels, 5, np.random.default_rng(seed))
    for cohort in cohorts:
        assert np.unique(cohort).size == cohort.size
        clusters = plan.cluster_of[cohort]
        assert clusters.tolist() == sorted(clusters)
        taken = np.bincount(clusters, minlength=plan.num_clusters)
        assert taken.tolist() == np.minimum(plan.size, num_channels).tolist()


def test_every_uniform_subset_is_equally_likely() -> None:
    cohorts = uniform_cohorts(6, 3, 60_000, generator(0, "subsets"))
    seen = Counter(tuple(sorted(cohort)) for cohort in cohorts.tolist())
    assert len(seen) == 20
    expected = 60_000 / 20
    assert sum((count - expected) ** 2 / expected for count in seen.values()) < 43.8  # p = 0.001


def test_every_client_of_a_cluster_is_equally_likely() -> None:
    plan = pipefl.plan_clusters(np.linspace(1.0, 7.0, 40), 1.5)
    cohorts = clustered_cohorts(plan, 3, 40_000, generator(1, "clusters"))
    expected = (3 * 40_000 / plan.size)[plan.cluster_of]
    counts = np.bincount(cohorts.ravel(), minlength=40)
    assert counts == pytest.approx(expected, rel=0.05)


def test_more_clients_than_there_are_cannot_be_drawn() -> None:
    with pytest.raises(pipefl.PipeflError, match="cohort_size is 4; the population has 3 clients"):
        uniform_cohorts(3, 4, 1, np.random.default_rng(0))
