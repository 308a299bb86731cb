"""Settings of config files that become fields of frozen dataclasses."""

from dataclasses import dataclass
from typing import Literal

import pytest

from pipefl.errors import ArgumentError
from pipefl.settings import Setting, nearest, with_settings


@dataclass(frozen=True)
class Kettle:
    """One field of every kind that there is."""

    litres: float = 1.5
    cups: int = 6
    whistles: bool = True
    colour: str = "red"
    material: Literal["steel", "glass"] = "steel"
    marks: tuple[int, ...] = (1,)
    minutes: float | None = None
    name: str = "kettle"


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("litres", 2, 2.0),
        ("cups", 7, 7),
        ("whistles", False, False),
        ("colour", "blue", "blue"),
        ("material", "glass", "glass"),
        ("marks", [1, 2, 3], (1, 2, 3)),
        ("minutes", 3, 3.0),
    ],
)
def test_a_value_becomes_what_its_field_wants(name: str, value: Setting, expected: object) -> None:
    found = getattr(with_settings(Kettle(), {name: value}, section="kettle"), name)
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("litres", "much", r"kettle\.litres is 'much'; it must be a number"),
        ("litres", True, r"kettle\.litres is True; it must be a number"),
        ("cups", 2.0, r"kettle\.cups is 2\.0; it must be a whole number"),
        ("cups", True, r"kettle\.cups is True; it must be a whole number"),
        ("whistles", 1, r"kettle\.whistles is 1; it must be true or false"),
        ("colour", 3, r"kettle\.colour is 3; it must be a text"),
        ("material", "wood", r"kettle\.material is 'wood'; it must be one of steel, glass"),
        ("marks", 4, r"kettle\.marks is 4; it must be a list of numbers"),
        ("minutes", "3", r"kettle\.minutes is '3'; it must be a number"),
        ("liters", 2, "kettle is 'liters'; did you mean litres\\? the settings there are: litres,"),
        ("name", "pot", "kettle is 'name'; the settings there are: litres"),
    ],
)
def test_what_does_not_fit_is_named(name: str, value: Setting, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        with_settings(Kettle(), {name: value}, section="kettle")


def test_the_owner_is_not_changed() -> None:
    kettle = Kettle()
    with_settings(kettle, {"cups": 2}, section="kettle")
    assert kettle == Kettle()
    assert with_settings(kettle, {}, section="kettle") == kettle


def test_only_near_names_are_hinted_at() -> None:
    assert nearest("clustred", ["clustered", "uniform"]) == "did you mean clustered? "
    assert nearest("xyz", ["clustered", "uniform"]) == ""
