"""PipeFL: pipelined federated learning, planned, simulated and run for real."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipefl.devices.files import read_population
    from pipefl.errors import PipeflError
    from pipefl.plan import (
        ClusterPlan,
        choose_num_clusters,
        explain,
        max_clusters,
        pareto_front,
        plan_clusters,
        plan_robust,
        recommend,
        sweep,
        times_from_moments,
        times_from_samples,
    )
    from pipefl.policies.optimise import optimise_schedule
    from pipefl.policies.plan_rolling import plan_rolling
    from pipefl.recipes.run import run
    from pipefl.runs.config import RunConfig
    from pipefl.timeline import simulate_round, simulate_rounds

__version__ = "0.1.0"

__all__ = [
    "ClusterPlan",
    "PipeflError",
    "RunConfig",
    "choose_num_clusters",
    "explain",
    "max_clusters",
    "optimise_schedule",
    "pareto_front",
    "plan_clusters",
    "plan_robust",
    "plan_rolling",
    "read_population",
    "recommend",
    "run",
    "simulate_round",
    "simulate_rounds",
    "sweep",
    "times_from_moments",
    "times_from_samples",
]

# Public names are imported at first use, so that `import pipefl` costs next to nothing.
_HOME = {
    "PipeflError": "pipefl.errors",
    "optimise_schedule": "pipefl.policies.optimise",
    "plan_rolling": "pipefl.policies.plan_rolling",
    "read_population": "pipefl.devices.files",
    "run": "pipefl.recipes.run",
    "RunConfig": "pipefl.runs.config",
    "simulate_round": "pipefl.timeline",
    "simulate_rounds": "pipefl.timeline",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'pipefl' has no attribute {name!r}")
    try:
        value = getattr(import_module(_HOME.get(name, "pipefl.plan")), name)
    except ModuleNotFoundError as error:
        from pipefl.extras import missing_extra

        raise missing_extra(f"pipefl.{name}", error) or error from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
