import re
from pathlib import Path

import h5py  # type: ignore[import-untyped]  # it comes without types
import numpy as np
import pytest

from pipefl.data.tff_hdf5 import hdf5_clients
from pipefl.errors import InputFileError, MissingFileError
from tff_files import write_snippets_hdf5


def test_clients_come_by_name_with_the_features_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "digits.h5"
    pixels = np.arange(2 * 28 * 28, dtype=np.float32).reshape(2, 28, 28)
    with h5py.File(path, "w", track_order=True) as file:
        for name in ("f2", "f1"):
            group = file.create_group(f"examples/{name}")
            group["pixels"] = pixels if name == "f2" else pixels[:1]
            group["label"] = np.array([7, 3] if name == "f2" else [5], np.int32)
            group["unwanted"] = np.zeros(9)
    clients = list(hdf5_clients(path, ["pixels", "label"]))
    assert [name for name, _ in clients] == ["f1", "f2"]
    assert clients[1][1].keys() == {"pixels", "label"}
    np.testing.assert_array_equal(clients[1][1]["pixels"], pixels)
    np.testing.assert_array_equal(clients[0][1]["label"], [5])


def test_texts_come_as_bytes(tmp_path: Path) -> None:
    path = tmp_path / "snippets.h5"
    write_snippets_hdf5(path, {"HAM": [b"To be,\nor not", b""]})
    [(_, arrays)] = hdf5_clients(path, ["snippets"])
    assert arrays["snippets"].tolist() == [b"To be,\nor not", b""]


def test_a_truncated_file_and_a_foreign_one_are_named(tmp_path: Path) -> None:
    path = tmp_path / "snippets.h5"
    write_snippets_hdf5(path, {"HAM": [b"words " * 1000]})
    path.write_bytes(path.read_bytes()[:-1000])
    for content in (path.read_bytes(), b"", b"PK\x03\x04 something else"):
        path.write_bytes(content)
        with pytest.raises(InputFileError, match=f"{re.escape(str(path))}: .*as HDF5") as caught:
            list(hdf5_clients(path, ["snippets"]))
        assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="nowhere.h5: there is no such file"):
        list(hdf5_clients(tmp_path / "nowhere.h5", ["snippets"]))


def test_another_layout_is_named(tmp_path: Path) -> None:
    path = tmp_path / "other.h5"
    with h5py.File(path, "w") as file:
        file["data"] = np.zeros(3)
    with pytest.raises(InputFileError, match=r"no group 'examples'; expected was examples/<cl"):
        list(hdf5_clients(path, ["label"]))
    with h5py.File(path, "w") as file:
        file.create_group("examples")
    with pytest.raises(InputFileError, match="holds no clients"):
        list(hdf5_clients(path, ["label"]))
    with h5py.File(path, "w") as file:
        file["examples/f1/pixels"] = np.zeros((2, 28, 28))
    with pytest.raises(InputFileError, match="client 'f1' has no array 'label'; it has pixels"):
        list(hdf5_clients(path, ["pixels", "label"]))
    with h5py.File(path, "a") as file:
        file["examples/f1/label"] = np.zeros(3)
    with pytest.raises(InputFileError, match="client 'f1' has arrays of several lengths"):
        list(hdf5_clients(path, ["pixels", "label"]))
