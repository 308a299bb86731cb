"""The datasets of text by name."""

from pipefl.data.entry import DatasetEntry
from pipefl.data.shakespeare import shakespeare
from pipefl.data.text_sources import SHAKESPEARE

TEXTS: dict[str, DatasetEntry] = {
    "shakespeare": DatasetEntry(
        "shakespeare",
        "what the roles of Shakespeare's plays say, character by character",
        "text",
        (SHAKESPEARE,),
        shakespeare,
    ),
}
