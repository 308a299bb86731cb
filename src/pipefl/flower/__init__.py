"""The schedule in a real federation: a Flower strategy for the server, a mod for the clients.

Names are loaded at first use: what a client needs comes without the planner's packages.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipefl.flower.plan_config import PlanConfig
    from pipefl.flower.profiling import answer_profile
    from pipefl.flower.scheduling import ClusteredScheduling
    from pipefl.flower.slot_mod import uplink_slot

__all__ = ["ClusteredScheduling", "PlanConfig", "answer_profile", "uplink_slot"]

_HOME = {
    "ClusteredScheduling": "pipefl.flower.scheduling",
    "PlanConfig": "pipefl.flower.plan_config",
    "answer_profile": "pipefl.flower.profiling",
    "uplink_slot": "pipefl.flower.slot_mod",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'pipefl.flower' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
