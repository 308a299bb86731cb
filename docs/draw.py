"""Draw the documentation's pictures, write its table of equations and its page of results.

`python docs/draw.py` writes them into docs/; `contents` gives them to the test that
fails when what lies there is not what the code draws.
"""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import pipefl
from measured_rounds import FILE as MEASURED_FILE
from measured_rounds import measured_rounds_json
from paper_labels import LABELS, NUMBERS
from pipefl.devices.example import EXAMPLE_UPLOAD_TIME_S, example_population
from pipefl.plan import ClusterPlan
from pipefl.policies.scene import Scene
from pipefl.policies.schedules import schedule_by_name
from pipefl.report.hull_chart import hull_chart
from pipefl.report.plan_charts import plan_chart
from pipefl.report.round_chart import round_chart
from pipefl.report.saving import svg
from pipefl.report.schedule_chart import schedule_chart
from pipefl.report.theme import Mode
from pipefl.report.theorem_chart import theorem_chart
from pipefl.sweeps.measured import MeasuredSweep
from pipefl.timeline import simulate_round
from pipefl.timeline.typical import typical_cohort
from results_page import page as results_page
from results_page import pictures as results_pictures
from results_page import results
from settings_page import settings_page

DOCS = Path(__file__).parent
ROOT = DOCS.parent
RESULTS = ROOT / "results"

LabelsOf = Callable[[ast.FunctionDef | ast.ClassDef], Iterator[str]]

_LABEL = re.compile(r"\b(?:eq|lem|theorem|example|alg|sec|fig|tab):[\w-]+|\beq\. \(\d+\)")
_PAPER_NOTE = re.compile(r"Paper: (.*?)(?:\n\s*\n|\Z)", re.DOTALL)


def contents() -> dict[str, str]:
    """Every generated file of the documentation: its name below docs/ and its text."""
    sweeps = results(RESULTS)
    notes = (RESULTS / "notes.md").read_text(encoding="utf-8")
    dark = _pictures("dark", sweeps).items()
    return {
        **_pictures("light", sweeps),
        **{name.replace(".svg", "-dark.svg"): text for name, text in dark},
        MEASURED_FILE: measured_rounds_json(sweeps),
        "equations.md": equations(),
        "results.md": results_page(sweeps, notes),
        "settings.md": settings_page(),
    }


def _pictures(mode: Mode, sweeps: Sequence[MeasuredSweep]) -> dict[str, str]:
    plan = _example_plan(3)
    cohort = simulate_round(
        typical_cohort(plan, 2),
        plan.compute_time_s,
        plan.upload_time_s,
        num_channels=2,
        plan=plan,
        server_time_s=0.5,
    )
    title = "One round: three clusters take turns on two sub-channels"
    drawn = {
        "round": round_chart(cohort, plan.slot_time_s.tolist(), title, mode),
        "theorem2": theorem_chart(mode=mode),
        "hull": hull_chart([10, 46, 80, 100], "Example 1: the lower convex hull", mode),
        "histogram": plan_chart("histogram", _example_plan(5), mode=mode),
        "efficiency": plan_chart("efficiency", _example_plan(4), num_channels=32, mode=mode),
    }
    drawn |= {name: _uplink(name, mode) for name in ("conventional", "clustered", "rolling")}
    drawn |= dict(results_pictures(sweeps, mode))
    return {f"images/{name}.svg": svg(chart) for name, chart in drawn.items()}


def _uplink(name: str, mode: Mode) -> Any:
    """Three pipelined rounds' time of the sub-channels, under one schedule."""
    plan = _example_plan(4)
    upload_time_s = np.full(plan.num_clients, plan.upload_time_s)
    scene = Scene(plan.compute_time_s, upload_time_s, num_channels=2, plan=plan)
    steps = schedule_by_name("uniform" if name == "conventional" else name, scene).steps(scene)
    titles = {
        "conventional": "Conventional rounds: all wait for the slowest",
        "clustered": "Four clusters in slots",
        "rolling": "No rounds: whoever is done is replaced",
    }
    return schedule_chart(steps, 2, 3 * plan.round_duration_s(), titles[name], mode)


def _example_plan(num_clusters: int) -> ClusterPlan:
    times_s = example_population().compute_time_s
    return pipefl.plan_clusters(times_s, EXAMPLE_UPLOAD_TIME_S, num_clusters=num_clusters)


def equations() -> str:
    """A table of the paper's labels with the functions that implement and test them."""
    code = _homes(sorted((ROOT / "src").rglob("*.py")), _labels_of_docstring)
    tests = _homes(sorted((ROOT / "tests").rglob("test_*.py")), _labels_of_marks)
    unknown = (code.keys() | tests.keys()) - LABELS.keys()
    if unknown:
        raise ValueError(f"labels that the paper does not have: {', '.join(sorted(unknown))}")
    head = [
        "# The paper's equations in the code",
        "",
        "Labels are those of the paper's source, in its order, with the numbers of the printed",
        "equations before what they are. Parts of a numbered equation, such as (33a) to (33d), are",
        "where it is; (36) to (39) and (41) to (44) are steps of the two theorems' proofs.",
        "`make figures` writes this page from the docstrings and from the `paper` marks of the",
        "tests.",
        "",
        "| paper | what it is | code | tests |",
        "|---|---|---|---|",
    ]
    rows = (
        f"| `{label}` | {_number(label)}{meaning} "
        f"| {_listed(code, label)} | {_listed(tests, label)} |"
        for label, meaning in LABELS.items()
    )
    return "\n".join([*head, *rows]) + "\n"


def _number(label: str) -> str:
    return f"({NUMBERS[label]}) " if label in NUMBERS else ""


def _homes(files: list[Path], labels_of: LabelsOf) -> dict[str, list[str]]:
    homes: dict[str, list[str]] = {}
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                link = f"[`{node.name}`](../{file.relative_to(ROOT).as_posix()})"
                for label in dict.fromkeys(labels_of(node)):
                    homes.setdefault(label, []).append(link)
    return homes


def _labels_of_docstring(node: ast.FunctionDef | ast.ClassDef) -> Iterator[str]:
    for note in _PAPER_NOTE.findall(ast.get_docstring(node) or ""):
        yield from _LABEL.findall(note)


def _labels_of_marks(node: ast.FunctionDef | ast.ClassDef) -> Iterator[str]:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.paper":
            yield from _LABEL.findall(ast.unparse(decorator.args[0]))


def _listed(homes: dict[str, list[str]], label: str) -> str:
    return "<br>".join(homes.get(label, ["–"]))


def main() -> None:
    """Write every generated file."""
    for name, text in contents().items():
        path = DOCS / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"Wrote {path.resolve().relative_to(ROOT)}")


if __name__ == "__main__":
    main()
