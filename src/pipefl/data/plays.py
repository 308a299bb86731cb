"""Federated Shakespeare from the plays themselves, as Project Gutenberg has them."""

import lzma
import re
import tarfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from pipefl.data.snippets import Roles
from pipefl.data.speeches import speeches
from pipefl.errors import InputFileError

_ENDING = "_gut.txt"
_BLOCK = 512  # bytes


def play_roles(paths: Sequence[Path]) -> Roles:
    """A role is PLAY_ROLE, its snippets what it says at a time, in the order of the play.

    Of each role the first 90 % of the snippets, rounded down, are to train with and the rest
    to test with, so that a role needs two; those that have one are left out. TensorFlow
    Federated's own files, made from another edition, have 715 roles and 18,424 snippets.
    """
    (archive,) = paths
    plays = read_texts(archive)
    said = roles_of(plays)
    if not said:
        raise InputFileError(f"{archive}: no text in it is a play with acts and speakers")
    kept = {role: snippets for role, snippets in said.items() if len(snippets) > 1}
    num_train = {role: len(snippets) * 9 // 10 for role, snippets in kept.items()}
    test = [text for role, snippets in kept.items() for text in snippets[num_train[role] :]]
    alone = len(said) - len(kept)
    return Roles(
        source=f"federated Shakespeare, built from Project Gutenberg's plays ({archive.name})",
        train={role: snippets[: num_train[role]] for role, snippets in kept.items()},
        test=test,
        notes={
            "roles": f"{len(kept):,}, without {alone:,} that speak only once",
            "snippets": f"{sum(num_train.values()):,} to train with, {len(test):,} to test with",
        },
    )


def roles_of(plays: dict[str, str]) -> dict[str, list[bytes]]:
    r"""What every role of these plays says, speech after speech; poems have no roles.

    >>> roles_of({"hamlet": "ACT I.\n\nBer.\nWho's there?\n\nFran.\nNay, answer me."})
    {'HAMLET_BER': [b"Who's there?"], 'HAMLET_FRAN': [b'Nay, answer me.']}
    """
    said: dict[str, list[bytes]] = {}
    for play, text in plays.items():
        for role, speech in speeches(text):
            client = re.sub(r"\W+", "_", f"{play} {role}").strip("_").upper()
            said.setdefault(client, []).append(speech.encode("latin-1"))
    return said


def read_texts(archive: Path) -> dict[str, str]:
    """The texts `*_gut.txt` of a tar file, packed or not, by name, in the order of the names.

    They are in Latin-1. A file that breaks off anywhere is refused. O(bytes).
    """
    try:
        with tarfile.open(archive) as tar:
            texts = dict(_texts(tar, tar))
            # A tar file ends with two empty blocks, of which one has been read; what comes
            # after them is read too, so that the sum at the end of a packed file is checked.
            whole = tar.fileobj.read(-1)[:_BLOCK] == bytes(_BLOCK)
    except (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError) as error:
        text = f"it cannot be read as a tar file of plays, or is truncated: {error}"
        raise InputFileError(f"{archive}: {text}") from None
    if not whole:
        raise InputFileError(f"{archive}: the tar file is truncated: its end is missing")
    if not texts:
        raise InputFileError(f"{archive}: it holds no texts of plays; expected were *{_ENDING}")
    return dict(sorted(texts.items()))


def _texts(tar: tarfile.TarFile, members: Iterable[tarfile.TarInfo]) -> Iterable[tuple[str, str]]:
    for member in members:
        name = PurePosixPath(member.name).name
        file = tar.extractfile(member) if name.endswith(_ENDING) and member.isfile() else None
        if file is not None:
            yield name.removesuffix(_ENDING), file.read().decode("latin-1")
