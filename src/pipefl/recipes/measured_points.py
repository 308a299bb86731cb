"""The best settings that our own sweeps have found, which come with the package."""

from collections.abc import Mapping

from pipefl.policies.measured_rounds import MEASURED_TABLES, measured_rounds


def best_points(table: str) -> Mapping[str, Mapping[str, float]]:
    """The best point of each cell of a table that has been measured; empty if none has.

    Table III's own data may never have been here; what stands in for it then serves.
    """
    for name in (table, "table3-writers") if table.startswith("table3") else (table,):
        if name in MEASURED_TABLES:
            return measured_rounds(name).points
    return {}
