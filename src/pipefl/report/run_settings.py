"""Every setting of a run, those marked that are not as its recipe, or the default, has them."""

from collections.abc import Mapping
from dataclasses import dataclass

from pipefl.report.numbers import in_percent, number
from pipefl.report.parts import Fact, Facts, Part, Section
from pipefl.report.run_federation import federation_facts
from pipefl.report.run_view import RunView
from pipefl.runs.config import RunConfig
from pipefl.runs.flat import default_settings, flat_settings, shown
from pipefl.wording import counted

_GROUPS: Mapping[str, tuple[str, ...]] = {
    "Data": ("dataset", "data."),
    "Model": ("model", "model_options", "precision", "device"),
    "Local work": (
        "algorithm", "algorithm_options", "learning_rate", "batch_size", "local_epochs",
        "largest_update",
    ),
    "Schedule": (
        "policy", "policy_options", "discipline", "missed", "num_clusters", "num_channels",
        "upload_time_s", "upload_clusters", "slack_s", "server_time_s", "devices.",
    ),
    "Server": ("weighting", "server_"),
    "Evaluation and end": (
        "max_rounds", "target_accuracy", "stop_at_target", "evaluation", "evaluate_every",
    ),
}  # fmt: skip
_REST = "Run and execution"


@dataclass(frozen=True)
class Reference:
    """The configuration that a run's settings are held against, and what it is called."""

    name: str
    config: RunConfig


def summary_facts(view: RunView) -> Facts:
    """What was run, as one would tell it."""
    run, config = view.run, view.run.config
    facts = []
    if run.clients is not None:
        counts = run.clients.num_samples
        facts += [
            Fact("data", run.clients.source),
            Fact(
                "clients (M)",
                f"{counts.size:,}, each with {counts.min():,} to {counts.max():,} samples",
            ),
            Fact("test samples", f"{run.clients.num_test_samples:,}"),
            Fact("model", f"{config.model}, {counted(run.clients.num_parameters, 'parameter')}"),
        ]
    epochs = counted(config.local_epochs, "epoch")
    facts += [
        Fact("local work", f"{config.algorithm}, {epochs} in batches of {config.batch_size:,}"),
        Fact("learning rate", number(config.learning_rate)),
        Fact("schedule", run.schedule),
        Fact("sub-channels (N)", f"{config.num_channels:,}"),
    ]
    if run.plan is not None:
        times_s = run.plan.compute_time_s
        facts += [
            Fact("compute times", f"{number(times_s.min())} to {number(times_s.max())} s"),
            Fact("one upload (τ_com)", f"{number(run.plan.upload_time_s)} s"),
            Fact("clusters (K)", f"{run.plan.num_clusters:,}"),
        ]
    target = config.target_accuracy
    if target is not None:
        facts.append(Fact("target", f"{in_percent(target)} test accuracy"))
    return Facts(facts)


def settings_section(view: RunView, reference: Reference | None) -> Section:
    """All settings by subject."""
    settings = flat_settings(view.run.config)
    usual = default_settings() if reference is None else flat_settings(reference.config)
    name = "default" if reference is None else reference.name
    groups: dict[str, list[Fact]] = {title: [] for title in (*_GROUPS, _REST)}
    for setting, value in settings.items():
        differs = setting != "name" and value != usual.get(setting)
        note = f"{name} {shown(usual.get(setting))}" if differs else _chosen(setting, value, view)
        groups[_group(setting)].append(Fact(setting, shown(value), note, marked=differs))
    what = "the defaults" if reference is None else f"the recipe {reference.name}"
    parts: list[Part] = [f"Marked is what differs from {what}."]
    parts += [Facts(facts, title) for title, facts in groups.items()]
    if view.run.is_federation:
        parts.append(federation_facts(view))
    return Section("Settings", parts)


def _group(setting: str) -> str:
    for title, members in _GROUPS.items():
        for member in members:
            if setting == member or (member[-1] in "._" and setting.startswith(member)):
                return title
    return _REST


def _chosen(setting: str, value: object, view: RunView) -> str:
    """What a setting that was left open came out as."""
    plan = view.run.plan
    if value is not None or plan is None:
        return ""
    if setting == "upload_time_s":
        return f"{number(plan.upload_time_s)} s came of it"
    if setting == "num_clusters":
        return f"{plan.num_clusters:,} came of it"
    if setting == "discipline" and view.has_rounds:
        return f"{view.run.schedule.partition('/')[2]} is the policy's own"
    return ""
