import re
from typing import Any

import numpy as np
import pytest
from google.protobuf import (  # type: ignore[import-untyped]  # it ships no types
    descriptor_pb2,
    descriptor_pool,
    message_factory,
)
from hypothesis import given
from hypothesis import strategies as st

from pipefl.data.tf_example import FeatureValues, parse_example

Lists = dict[str, tuple[str, list[Any]]]

_FIELD = descriptor_pb2.FieldDescriptorProto
_KINDS = {
    "bytes": (_FIELD.TYPE_BYTES, st.binary(max_size=20)),
    "float": (_FIELD.TYPE_FLOAT, st.floats(width=32)),
    "int64": (_FIELD.TYPE_INT64, st.integers(-(2**63), 2**63 - 1)),
}


def example_class(packed: bool) -> Any:
    """The message as the protobuf library knows it, from a description of its fields."""
    file = descriptor_pb2.FileDescriptorProto(
        name=f"example_{packed}.proto", package=f"p{packed}", syntax="proto3"
    )
    for kind, (number_type, _) in _KINDS.items():
        field = file.message_type.add(name=f"{kind}List").field.add()
        field.name, field.number, field.type = "value", 1, number_type
        field.label = _FIELD.LABEL_REPEATED
        if kind != "bytes":
            field.options.packed = packed
    feature = file.message_type.add(name="Feature")
    feature.oneof_decl.add(name="kind")
    for number, kind in enumerate(_KINDS, start=1):
        field = feature.field.add(name=f"{kind}_list", number=number, label=1, oneof_index=0)
        field.type, field.type_name = _FIELD.TYPE_MESSAGE, f".p{packed}.{kind}List"
    features = file.message_type.add(name="Features")
    entry = features.nested_type.add(name="FeatureEntry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, label=1, type=_FIELD.TYPE_STRING)
    value = entry.field.add(name="value", number=2, label=1, type=_FIELD.TYPE_MESSAGE)
    value.type_name = f".p{packed}.Feature"
    field = features.field.add(name="feature", number=1, label=_FIELD.LABEL_REPEATED)
    field.type, field.type_name = _FIELD.TYPE_MESSAGE, f".p{packed}.Features.FeatureEntry"
    example = file.message_type.add(name="Example")
    field = example.field.add(name="features", number=1, label=1, type=_FIELD.TYPE_MESSAGE)
    field.type_name = f".p{packed}.Features"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"p{packed}.Example"))


_CLASSES = {packed: example_class(packed) for packed in (True, False)}


def serialized(lists: Lists, packed: bool) -> bytes:
    """What the protobuf library writes of some named lists."""
    example = _CLASSES[packed]()
    for name, (kind, values) in lists.items():
        target = getattr(example.features.feature[name], f"{kind}_list")
        target.SetInParent()
        target.value.extend(values)
    return bytes(example.SerializeToString())


def same(found: FeatureValues, kind: str, expected: list[Any]) -> bool:
    if kind == "bytes":
        return found == expected
    array = np.asarray(expected, dtype={"float": np.float32, "int64": np.int64}[kind])
    assert isinstance(found, np.ndarray)
    return found.dtype == array.dtype and np.array_equal(found, array, equal_nan=kind == "float")


def lists_of(kind: str) -> st.SearchStrategy[tuple[str, list[Any]]]:
    return st.tuples(st.just(kind), st.lists(_KINDS[kind][1], max_size=20))


any_lists = st.dictionaries(
    st.text(max_size=8), st.one_of([lists_of(kind) for kind in _KINDS]), max_size=4
)


@given(any_lists, st.booleans())
def test_it_reads_what_the_protobuf_library_writes(lists: Lists, packed: bool) -> None:
    found = parse_example(serialized(lists, packed))
    assert found.keys() == lists.keys()
    for name, (kind, values) in lists.items():
        assert same(found[name], kind, values)


@given(any_lists, st.booleans(), st.data())
def test_whatever_it_accepts_the_protobuf_library_reads_alike(
    lists: Lists, packed: bool, data: st.DataObject
) -> None:
    """One byte of an example is changed, or its end is cut off."""
    blob = bytearray(serialized(lists, packed) or b"\n\x00")
    at = data.draw(st.integers(0, len(blob) - 1))
    if data.draw(st.booleans()):
        blob[at] = data.draw(st.integers(0, 255))
    else:
        del blob[at:]
    try:
        found = parse_example(bytes(blob))
    except ValueError:
        return
    example = _CLASSES[packed].FromString(bytes(blob))
    assert found.keys() == example.features.feature.keys()
    for name, feature in example.features.feature.items():
        kind = feature.WhichOneof("kind")
        values = list(getattr(feature, kind).value)
        assert same(found[name], kind.removesuffix("_list"), values)


def entry(name: bytes, feature: bytes) -> bytes:
    """An example of one feature, by hand: every length is below 128."""
    inside = b"\n" + bytes([len(name)]) + name + b"\x12" + bytes([len(feature)]) + feature
    return features_of(b"\n" + bytes([len(inside)]) + inside)


def features_of(inside: bytes) -> bytes:
    return b"\n" + bytes([len(inside)]) + inside


def test_numbers_worked_by_hand() -> None:
    # 300 = 0b10_0101100: the low seven bits with the mark that more follow, then 2.
    assert parse_example(entry(b"n", b"\x1a\x04\n\x02\xac\x02")) == {"n": np.array([300])}
    minus_one = b"\xff" * 9 + b"\x01"
    assert parse_example(entry(b"n", b"\x1a\x0b\x08" + minus_one)) == {"n": np.array([-1])}
    assert parse_example(entry(b"x", b"\x12\x05\x0d\x00\x00\xc0\x3f")) == {"x": np.array([1.5])}
    assert parse_example(entry(b"s", b"\n\x06\n\x01a\n\x01b")) == {"s": [b"a", b"b"]}
    assert parse_example(b"") == {}


@pytest.mark.parametrize(
    ("blob", "complaint"),
    [
        (b"hello", "an Example has no field 13 of wire type 0"),
        (b"\n\x05\n", "an Example ends after 3 bytes, 7 were announced"),
        (b"\n\xff", "an Example: no whole number at byte 1"),
        (b"\n" + b"\xff" * 9 + b"\x02", "an Example: no whole number at byte 1"),
        (features_of(b"\n\x00"), "a feature needs one name and one list"),
        (features_of(b"\n\x06\n\x01a\n\x01b"), "a feature needs one name and one list"),
        (entry(b"\xff", b"\x1a\x00"), "a feature's name is not UTF-8"),
        (entry(b"n", b""), "feature 'n' holds 0 lists instead of one"),
        (entry(b"n", b"\x1a\x00\x12\x00"), "feature 'n' holds 2 lists instead of one"),
        (entry(b"n", b"\x22\x00"), "feature 'n' has no field 4 of wire type 2"),
        (entry(b"n", b"\x1a\x05\x0d\x00\x00\xc0\x3f"), "feature 'n' has no field 1 of wire type 5"),
        (entry(b"x", b"\x12\x05\n\x03abc"), "feature 'x': 3 bytes are no list of floats"),
        (entry(b"x", b"\x12\x08\n\x03abc\n\x01d"), "feature 'x': 3 bytes are no list of floats"),
        (entry(b"n", b"\x1a\x03\n\x01\xff"), "feature 'n': no whole number at byte 0"),
        (
            features_of(entry(b"n", b"\x1a\x00")[2:] * 2),
            "feature 'n' stands there twice",
        ),
    ],
)
def test_what_is_wrong_is_named(blob: bytes, complaint: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(complaint)}$"):
        parse_example(blob)
