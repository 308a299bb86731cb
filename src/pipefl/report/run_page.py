"""A run's folder as a page: what was run, what came of it, and how it went."""

from pipefl.report.parts import Page, Part, Section
from pipefl.report.plan_parts import clusters_table, plan_figures
from pipefl.report.provenance import provenance_section
from pipefl.report.run_federation import federation_section
from pipefl.report.run_learning import learning_section
from pipefl.report.run_outcome import lead, outcome_tiles, state_in_words
from pipefl.report.run_participation import losses_section, participation_section
from pipefl.report.run_settings import Reference, settings_section, summary_facts
from pipefl.report.run_timeline import timeline_section
from pipefl.report.run_view import RunView


def run_page(view: RunView, reference: Reference | None = None) -> Page:
    """The page of a run, finished or not; its settings are held against the reference's."""
    sections = [
        Section("What was run", [summary_facts(view)]),
        learning_section(view),
        timeline_section(view),
        federation_section(view),
        participation_section(view),
        losses_section(view),
        _plan_section(view),
        settings_section(view, reference),
        provenance_section(view.run.machine, view.run.versions),
    ]
    return Page(
        kind="PipeFL run",
        title=view.run.config.name,
        lead=lead(view),
        opening=[*state_in_words(view), outcome_tiles(view)],
        sections=[section for section in sections if section is not None],
    )


def _plan_section(view: RunView) -> Section | None:
    if view.planned is None:
        return None
    plan, scene = view.planned
    parts: list[Part] = []
    if "clustered" not in view.run.schedule:
        parts.append(
            "This schedule draws its clients without regard to clusters; here is how the same "
            "clients and uplink would be clustered."
        )
    names = ("histogram", "hull", "efficiency") if plan.num_clusters > 1 else ("histogram",)
    figures = plan_figures(plan, scene.num_channels, scene.server_time_s, names)
    return Section("Clusters", [*parts, *figures, clusters_table(plan)])
