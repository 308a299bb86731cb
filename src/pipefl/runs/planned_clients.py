"""The clients of a federation that its last plan is for."""

from collections.abc import Mapping
from dataclasses import replace

from pipefl.runs.recorded import RecordedRun
from pipefl.runs.records import RoundRecord


def as_planned(run: RecordedRun) -> RecordedRun:
    """The run with its clients numbered as plan.json has them; others are left out of it.

    Simulated runs plan for all of their clients, and stay as they are. In a federation
    clients come, go, and may be too slow to be planned for: the records number everybody who
    was ever there, and plan.json only those whom the last plan has.
    """
    clients = run.clients
    if clients is None or clients.planned == tuple(range(len(clients.client_id))):
        return run
    places = {client: place for place, client in enumerate(clients.planned)}
    planned = list(clients.planned)
    return replace(
        run,
        records=tuple(_of_those(record, places) for record in run.records),
        clients=replace(
            clients,
            client_id=tuple(clients.client_id[client] for client in planned),
            num_samples=clients.num_samples[planned],
            planned=tuple(range(len(planned))),
        ),
    )


def _of_those(record: RoundRecord, places: Mapping[int, int]) -> RoundRecord:
    """A record of those clients alone, by their places."""
    rows = [row for row, client in enumerate(record.client) if client in places]
    return replace(
        record,
        client=[places[record.client[row]] for row in rows],
        version=[record.version[row] for row in rows],
        client_loss=[record.client_loss[row] for row in rows],
        channel=[record.channel[row] for row in rows],
        upload_start_s=[record.upload_start_s[row] for row in rows],
        upload_end_s=[record.upload_end_s[row] for row in rows],
        missed=[places[client] for client in record.missed if client in places],
        refused={
            str(places[int(client)]): reason
            for client, reason in record.refused.items()
            if int(client) in places
        },
    )
