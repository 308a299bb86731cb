"""The progress of downloads: bars on a terminal, a plain log elsewhere."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)


class DownloadProgress:
    """What `pipefl.data.fetch` calls with lines to say and with bytes that have arrived."""

    def __init__(self) -> None:
        self._console = Console(highlight=False, markup=False)
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def say(self, line: str) -> None:
        """Print a line, above the bars."""
        self._console.print(line, soft_wrap=True)

    def watch(self, file_name: str, num_bytes: int, total_bytes: int | None) -> None:
        """Move a file's bar."""
        if file_name not in self._tasks:
            self._tasks[file_name] = self._progress.add_task(file_name)
        task = self._tasks[file_name]
        going = num_bytes != total_bytes
        self._progress.update(task, completed=num_bytes, total=total_bytes, visible=going)
