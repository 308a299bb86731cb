"""What something was run on and with."""

from collections.abc import Mapping

from pipefl.report.parts import Fact, Facts, Section


def provenance_section(machine: Mapping[str, str], versions: Mapping[str, str]) -> Section:
    """The machine and the packages, as they were noted at the beginning."""
    noted = [
        Facts([Fact(name, value) for name, value in table.items()], title)
        for title, table in (("Machine", machine), ("Versions", versions))
        if table
    ]
    return Section("Machine and versions", noted or ["Neither was noted."])
