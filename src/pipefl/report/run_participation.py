"""Who took part in a run how often, who did not deliver, and whose updates were refused."""

from collections import Counter
from functools import partial

import numpy as np

from pipefl.plan import ClusterPlan
from pipefl.policies.scene import Scene
from pipefl.policies.summary import Summary
from pipefl.report.numbers import number, share
from pipefl.report.parts import Figure, Part, Section, Table
from pipefl.report.run_view import RunView
from pipefl.report.summary_charts import participation_chart
from pipefl.runs.recorded import RecordedRun
from pipefl.wording import counted

_MOST_ROWS = 200
_MOST_REASONS = 8


def participation_section(view: RunView) -> Section | None:
    """How evenly clients took part, over all of them and by cluster."""
    if view.summary is None or view.planned is None:
        return None
    plan, scene = view.planned
    figure = Figure(
        "participation",
        "Histogram of the updates that clients delivered.",
        partial(participation_chart, view.summary),
    )
    parts: list[Part] = [_fairness(view, view.summary), *_not_planned(view), figure]
    parts.append(_by_cluster(view.in_plan, plan, scene, view.summary))
    return Section("Participation and fairness", parts)


def losses_section(view: RunView) -> Section | None:
    """Clients that missed their slot or were out of reach, and updates that were refused."""
    run = view.run
    if not run.records:
        return None
    missed = sum(len(record.missed) for record in run.records)
    refused = sum(len(record.refused) for record in run.records)
    delivered = sum(len(record.client) for record in run.records)
    if not missed and not refused:
        text = f"None: all {counted(delivered, 'scheduled client')} delivered, and every update "
        return Section("Missed and refused", [text + "could be used."])
    parts: list[Part] = [
        f"{counted(missed, 'scheduled client')} of {missed + delivered:,} delivered nothing in "
        f"their {view.step_name} ({share(missed / max(1, missed + delivered), 2)}), and "
        f"{counted(refused, 'update')} of {delivered:,} could not be used.",
    ]
    if missed and run.config.missed == "carry":
        parts.append(
            "With missed = carry a client uploads in a later round, and counts as missing in each "
            "round until it does."
        )
    if missed:
        parts.append(_most_often_missed(run, missed))
    if refused:
        parts.append(_reasons(run, view.step_name))
    return Section("Missed and refused", parts)


def _fairness(view: RunView, summary: Summary) -> str:
    fair = summary.fairness
    who = f"{counted(summary.num_served, 'update')} of {summary.participation.size:,} clients"
    least = f"the one that did least delivered {share(fair.worst_off, 0)} of the mean"
    if fair.never:
        least = f"{share(fair.never)} of the clients never took part"
    text = f"{who}: {least}. Jain's index is {fair.jain:.3f}, where 1 is all alike."
    if view.run.config.weighting != "paper":
        return text
    return (
        f"{text} {share(fair.bias)} of the average's weight lay with other clients than their "
        "shares of the samples would have it; in few rounds much of that is chance."
    )


def _not_planned(view: RunView) -> list[str]:
    """Whom a federation's last plan has no place for."""
    clients = view.run.clients
    left_out = 0 if clients is None else len(clients.client_id) - len(clients.planned)
    if not left_out:
        return []
    return [f"{counted(left_out, 'more client')} did not come into the last plan, and not in here."]


def _by_cluster(run: RecordedRun, plan: ClusterPlan, scene: Scene, summary: Summary) -> Table:
    """A row a cluster: what it is, and what it did."""
    size = plan.size
    updates = np.bincount(plan.cluster_of, summary.participation, plan.num_clusters)
    samples = np.bincount(plan.cluster_of, scene.samples, plan.num_clusters)
    missed_by = np.zeros(plan.num_clients)
    for record in run.records:
        np.add.at(missed_by, record.missed, 1)
    missed = np.bincount(plan.cluster_of, missed_by, plan.num_clusters)
    all_updates, all_samples = max(1.0, updates.sum()), samples.sum()
    shown = min(plan.num_clusters, _MOST_ROWS)
    rows = [
        [
            f"{k + 1}",
            f"{size[k]:,}",
            share(samples[k] / all_samples),
            f"{updates[k]:,.0f}",
            share(updates[k] / all_updates),
            number(updates[k] / size[k]) if size[k] else "–",
            f"{missed[k]:,.0f}",
        ]
        for k in range(shown)
    ]
    columns = (
        "cluster", "clients", "share of samples", "updates", "share of updates",
        "updates a client", "missed",
    )  # fmt: skip
    left_out = plan.num_clusters - shown
    notes = [f"{left_out:,} more clusters are not shown."] if left_out else []
    return Table(columns, rows, caption="By cluster, from the fastest to the slowest", notes=notes)


def _most_often_missed(run: RecordedRun, missed: int) -> Table:
    often = Counter(client for record in run.records for client in record.missed)
    rows = [
        [_name(run, client), f"{times:,}", share(times / missed)]
        for client, times in often.most_common(_MOST_REASONS)
    ]
    left_out = len(often) - len(rows)
    notes = [f"{counted(left_out, 'more client')} missed as often or less."] if left_out else []
    return Table(
        ["client", "missed", "of all missed"], rows, "Clients that missed most often", notes
    )


def _reasons(run: RecordedRun, step_name: str) -> Table:
    """Why updates were refused, the most frequent reasons first."""
    reasons: dict[str, list[tuple[int, str]]] = {}
    for record in run.records:
        for client, reason in record.refused.items():
            reasons.setdefault(reason, []).append((record.round, client))
    ranked = sorted(reasons.items(), key=lambda item: -len(item[1]))
    rows = [
        [reason, f"{len(cases):,}", f"{_name(run, int(cases[0][1]))}, {step_name} {cases[0][0]:,}"]
        for reason, cases in ranked[:_MOST_REASONS]
    ]
    left_out = len(ranked) - len(rows)
    notes = [f"{counted(left_out, 'more reason')} not shown."] if left_out else []
    return Table(
        ["reason", "updates", "for the first time"], rows, "Why updates were refused", notes
    )


def _name(run: RecordedRun, client: int) -> str:
    """A client's number, with its name in the data where that is another."""
    names = () if run.clients is None else run.clients.client_id
    if client < len(names) and names[client] != str(client):
        return f"{client} ({names[client]})"
    return str(client)
