from pipefl.data.catalogue import DATASETS
from pipefl.data.licences import LICENCES


def test_every_dataset_has_its_licence() -> None:
    assert list(LICENCES) == list(DATASETS)
