"""Who is in which cluster, and when does each cluster transmit: section III of the paper.

`plan_clusters` is the front door. Behind it every equation, lemma, theorem, example and
algorithm of the section is a function of its own, named in `docs/equations.md`.
"""

from pipefl.plan.bounds import choose_num_clusters, max_clusters
from pipefl.plan.cluster_plan import ClusterPlan
from pipefl.plan.clustering import plan_clusters
from pipefl.plan.conventional import Gain, gain_over_conventional
from pipefl.plan.explanation import Explanation, explain
from pipefl.plan.hypotheses import HypothesisTest, judge_hypothesis, possible_hypotheses
from pipefl.plan.kkt import KktResiduals, kkt_residuals, multipliers
from pipefl.plan.pareto import pareto_front
from pipefl.plan.recommendation import Recommendation, recommend
from pipefl.plan.relaxed import RelaxedSolution, objective
from pipefl.plan.requirements import PlanCheck, check_plan
from pipefl.plan.robust import RobustPlan, plan_robust
from pipefl.plan.solvers import Method, solve_relaxed
from pipefl.plan.theorems import inactive_by_theorem1, inactive_by_theorem2
from pipefl.plan.tradeoffs import sweep
from pipefl.plan.uncertain import UncertainTimes, times_from_moments, times_from_samples

__all__ = [
    "ClusterPlan",
    "Explanation",
    "Gain",
    "HypothesisTest",
    "KktResiduals",
    "Method",
    "PlanCheck",
    "Recommendation",
    "RelaxedSolution",
    "RobustPlan",
    "UncertainTimes",
    "check_plan",
    "choose_num_clusters",
    "explain",
    "gain_over_conventional",
    "inactive_by_theorem1",
    "inactive_by_theorem2",
    "judge_hypothesis",
    "kkt_residuals",
    "max_clusters",
    "multipliers",
    "objective",
    "pareto_front",
    "plan_clusters",
    "plan_robust",
    "possible_hypotheses",
    "recommend",
    "solve_relaxed",
    "sweep",
    "times_from_moments",
    "times_from_samples",
]
