"""Pages as files: each is there as a whole or not at all."""

from pathlib import Path

from pipefl.errors import InputFileError
from pipefl.report.markdown import figure_files, page_markdown
from pipefl.report.page import page_html
from pipefl.report.parts import Page
from pipefl.report.printing import printed


def write_html(page: Page, path: Path) -> Path:
    """One file that opens offline."""
    return write_bytes(path, page_html(page).encode())


def write_pdf(page: Page, path: Path) -> Path:
    """The same page, printed by a browser."""
    return write_bytes(path, printed(page_html(page)))


def write_markdown(page: Page, path: Path) -> Path:
    """A text, and its figures as SVG in a folder beside it: `report.md`, `report-figures/`."""
    folder = path.with_name(f"{path.stem}-figures")
    _make(folder)
    for name, text in figure_files(page).items():
        write_bytes(folder / name, text.encode())
    return write_bytes(path, page_markdown(page, folder.name).encode())


def write_bytes(path: Path, content: bytes) -> Path:
    """Write beside and rename; on a full disk what was there before stays, and nothing else."""
    beside = path.with_name(f".{path.name}.part")
    try:
        try:
            beside.write_bytes(content)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise InputFileError(f"{path} cannot be written: {error.strerror}") from None
    return path


def _make(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputFileError(f"{folder} cannot be made: {error.strerror}") from None
