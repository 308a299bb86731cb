"""Charts and pages, in one look on light and on dark screens; they read what others worked out.

Every chart is an altair chart: it shows in a notebook, and `save_chart` writes it as PNG, SVG or
PDF. Pages are one HTML file each, which runs no script and loads nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipefl.report.efficiency_chart import efficiency_chart
    from pipefl.report.histogram_chart import histogram_chart
    from pipefl.report.hull_chart import hull_chart
    from pipefl.report.plan_charts import plan_chart
    from pipefl.report.plan_page import plan_page
    from pipefl.report.round_chart import round_chart
    from pipefl.report.saving import save_chart
    from pipefl.report.schedule_chart import schedule_chart
    from pipefl.report.summary_charts import (
        comparison_chart,
        duration_chart,
        participation_chart,
        utilisation_chart,
    )
    from pipefl.report.theorem_chart import theorem_chart
    from pipefl.report.timeline_page import comparison_page, timeline_page

__all__ = [
    "comparison_chart",
    "comparison_page",
    "duration_chart",
    "efficiency_chart",
    "histogram_chart",
    "hull_chart",
    "participation_chart",
    "plan_chart",
    "plan_page",
    "round_chart",
    "save_chart",
    "schedule_chart",
    "theorem_chart",
    "timeline_page",
    "utilisation_chart",
]

# Imported at first use, since altair is slow to begin and not all that is in here draws.
_HOME = {
    "comparison_chart": "pipefl.report.summary_charts",
    "comparison_page": "pipefl.report.timeline_page",
    "duration_chart": "pipefl.report.summary_charts",
    "efficiency_chart": "pipefl.report.efficiency_chart",
    "histogram_chart": "pipefl.report.histogram_chart",
    "hull_chart": "pipefl.report.hull_chart",
    "participation_chart": "pipefl.report.summary_charts",
    "plan_chart": "pipefl.report.plan_charts",
    "plan_page": "pipefl.report.plan_page",
    "round_chart": "pipefl.report.round_chart",
    "save_chart": "pipefl.report.saving",
    "schedule_chart": "pipefl.report.schedule_chart",
    "theorem_chart": "pipefl.report.theorem_chart",
    "timeline_page": "pipefl.report.timeline_page",
    "utilisation_chart": "pipefl.report.summary_charts",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'pipefl.report' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
