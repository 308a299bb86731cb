"""Options that several verbs share: the uplink, the clusters, what is written."""

from pathlib import Path
from typing import Annotated

import typer

UploadTime = Annotated[
    float | None,
    typer.Option("--upload-time", "-u", help="Seconds of one upload.", show_default=False),
]
Channels = Annotated[int, typer.Option("--channels", "-n", help="Uplink sub-channels N.")]
ClustersOption = Annotated[
    str, typer.Option("--clusters", "-k", help="Clusters K, or auto for the paper's choice.")
]
Slack = Annotated[float, typer.Option(help="Extra seconds granted to every round (Δ).")]
ServerTime = Annotated[float, typer.Option(help="Seconds to aggregate and to broadcast the model.")]
Html = Annotated[
    Path | None, typer.Option(show_default=False, help="Write a report that opens offline.")
]
Save = Annotated[
    Path | None, typer.Option(show_default=False, help="Save a chart: .png, .svg or .pdf.")
]
