"""`tf.train.Example`, the record of TensorFlow's data files, without TensorFlow."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

FeatureValues = list[bytes] | NDArray[np.float32] | NDArray[np.int64]

# The wire types of protocol buffers that an Example uses.
_VARINT, _LENGTH, _FOUR_BYTES = 0, 2, 5
_KIND_OF_FIELD = {1: "bytes", 2: "float", 3: "int64"}

# The fields that a message has, with their wire types.
_EXAMPLE = _FEATURES = {1: {_LENGTH}}
_ENTRY = {1: {_LENGTH}, 2: {_LENGTH}}
_FEATURE = {number: {_LENGTH} for number in _KIND_OF_FIELD}
_LISTS = {
    "bytes": {1: {_LENGTH}},
    "float": {1: {_LENGTH, _FOUR_BYTES}},
    "int64": {1: {_LENGTH, _VARINT}},
}


def parse_example(blob: bytes) -> dict[str, FeatureValues]:
    r"""The named lists of a serialized example; what is not one is a `ValueError`.

    The nesting, with the field numbers that the bytes hold instead of names::

        Example  1: Features  1: entry  1: name
                                        2: Feature  1: BytesList  1: value, value, …
                                                    2: FloatList  1: value, value, …
                                                    3: Int64List  1: value, value, …

    A field is its number and wire type in a varint, then a varint (type 0), a length and as
    many bytes (2), or four bytes (5). Numbers of a list come one field each, or packed into
    the bytes of one field. This is stricter than protocol buffers ask for: fields that an
    Example does not have, names that come twice and features without a list are refused
    instead of skipped, since they mean that the bytes are something else. O(bytes).

    >>> parse_example(b"\n\x10\n\x0e\n\x05label\x12\x05\x1a\x03\n\x01\x07")
    {'label': array([7])}
    """
    features: dict[str, FeatureValues] = {}
    for _, inside in _fields(blob, "an Example", _EXAMPLE):
        for _, entry in _fields(inside, "Features", _FEATURES):
            name, values = _entry(entry)
            if name in features:
                raise ValueError(f"feature {name!r} stands there twice")
            features[name] = values
    return features


def _entry(blob: bytes) -> tuple[str, FeatureValues]:
    """A name and its list."""
    parts = sorted(_fields(blob, "a feature", _ENTRY))
    if [number for number, _ in parts] != [1, 2]:
        raise ValueError("a feature needs one name and one list")
    (_, name_bytes), (_, feature) = parts
    try:
        name = name_bytes.decode()
    except UnicodeDecodeError:
        raise ValueError("a feature's name is not UTF-8") from None
    lists = list(_fields(feature, f"feature {name!r}", _FEATURE))
    if len(lists) != 1:
        raise ValueError(f"feature {name!r} holds {len(lists)} lists instead of one")
    number, content = lists[0]
    return name, _values(content, _KIND_OF_FIELD[number], name)


def _values(blob: bytes, kind: str, name: str) -> FeatureValues:
    """What a list holds, packed or not."""
    values = [value for _, value in _fields(blob, f"feature {name!r}", _LISTS[kind])]
    if kind == "bytes":
        return values
    if kind == "float":
        for odd in (value for value in values if len(value) % 4):
            raise ValueError(f"feature {name!r}: {len(odd)} bytes are no list of floats")
        return np.frombuffer(b"".join(values), dtype="<f4").astype(np.float32)
    numbers = [n for value in values for n in _whole_numbers(value, f"feature {name!r}")]
    return np.array(numbers, dtype=np.int64)


def _whole_numbers(packed: bytes, inside: str) -> Iterator[int]:
    position = 0
    while position < len(packed):
        value, position = _varint(packed, position, inside)
        yield value - 2**64 if value >= 2**63 else value  # two's complement


def _fields(blob: bytes, inside: str, known: dict[int, set[int]]) -> Iterator[tuple[int, bytes]]:
    """The numbers of a message's fields and what is in them, a varint as its bytes."""
    position = 0
    while position < len(blob):
        key, start = _varint(blob, position, inside)
        number, wire = key >> 3, key & 7
        if wire not in known.get(number, ()):
            raise ValueError(f"{inside} has no field {number} of wire type {wire}")
        if wire == _VARINT:
            _, position = _varint(blob, start, inside)
        elif wire == _FOUR_BYTES:
            position = start + 4
        else:
            length, start = _varint(blob, start, inside)
            position = start + length
        if position > len(blob):
            raise ValueError(f"{inside} ends after {len(blob)} bytes, {position} were announced")
        yield number, blob[start:position]


def _varint(blob: bytes, position: int, inside: str) -> tuple[int, int]:
    """A whole number below 2^64 in groups of 7 bits, lowest first, and where it ends."""
    value = shift = 0
    for at in range(position, min(position + 10, len(blob))):
        value |= (blob[at] & 0x7F) << shift
        shift += 7
        if blob[at] < 0x80:
            if value >= 2**64:
                break
            return value, at + 1
    raise ValueError(f"{inside}: no whole number at byte {position}")
