from pathlib import Path

import pytest

from pipefl.devices.distributions import FAMILIES, draw_population, refuse_unless_file
from pipefl.errors import ArgumentError


def complaint(text: str, num_clients: int = 5, seed: int = 0) -> str:
    with pytest.raises(ArgumentError) as caught:
        draw_population(text, num_clients, seed)
    return str(caught.value)


@pytest.mark.parametrize(
    ("misspelt", "meant"),
    [
        ("unifrom", "uniform"),
        ("Uniform", "uniform"),
        ("log-normal", "lognormal"),
        ("exponent", "exponential"),
        ("evn", "even"),
        ("sample", "samples"),
    ],
)
def test_a_misspelt_distribution_is_told_the_nearest(misspelt: str, meant: str) -> None:
    message = complaint(f"{misspelt}:1:2")
    assert message.startswith(f"distribution is '{misspelt}:1:2'; ")
    assert f"did you mean {meant}?" in message
    assert message.endswith(f"the distributions are {', '.join(FAMILIES)}")


def test_a_name_like_no_other_is_told_all_of_them() -> None:
    message = complaint("zzz:1:2")
    assert "did you mean" not in message
    assert message.endswith(f"the distributions are {', '.join(FAMILIES)}")


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("uniform", "uniform:LOW:HIGH"),
        ("uniform:1", "uniform:LOW:HIGH"),
        ("even:1:2:3", "even:LOW:HIGH"),
        ("lognormal:1", "lognormal:MEDIAN:SIGMA"),
        ("exponential:1", "exponential:SHORTEST:MEAN"),
        ("samples:1:2", "samples:LOW:HIGH:SECONDS"),
    ],
)
def test_too_few_or_too_many_numbers_are_shown_the_form(text: str, form: str) -> None:
    assert complaint(text) == f"distribution is {text!r}; it must have the form {form}"


@pytest.mark.parametrize("number", ["0", "-1", "nan", "inf", "-inf", "ten", "", "1e400"])
@pytest.mark.parametrize(
    ("pattern", "parameter"),
    [
        ("uniform:{}:70", "LOW"),
        ("even:10:{}", "HIGH"),
        ("lognormal:30:{}", "SIGMA"),
        ("exponential:{}:9", "SHORTEST"),
        ("samples:10:70:{}", "SECONDS"),
    ],
)
def test_a_number_that_is_not_finite_and_above_0_is_named(
    pattern: str, parameter: str, number: str
) -> None:
    text = pattern.format(number)
    message = complaint(text)
    assert message.startswith(f"{parameter} of {text!r} is ")
    assert message.endswith("above 0")


@pytest.mark.parametrize(
    "text", ["uniform:70:10", "even:70:10", "exponential:70:10", "samples:70:10:0.1"]
)
def test_numbers_in_the_wrong_order_are_refused(text: str) -> None:
    message = complaint(text)
    assert "(70.0, 10.0)" in message
    assert "the larger number must come second" in message


@pytest.mark.parametrize("text", ["samples:1.5:3:1", "samples:1:3.5:1", "samples:1:1e30:1"])
def test_sample_counts_are_whole_and_storable(text: str) -> None:
    assert "must be whole and below 2^63" in complaint(text)


@pytest.mark.parametrize("num_clients", [0, -5])
def test_a_population_has_at_least_one_client(num_clients: int) -> None:
    expected = f"num_clients is {num_clients}; it must be a whole number of at least 1"
    assert complaint("even:1:2", num_clients) == expected


def test_a_seed_is_not_negative() -> None:
    assert complaint("even:1:2", seed=-1) == "seed is -1; it must be a whole number of at least 0"


def test_a_text_with_colons_is_refused_only_where_no_such_file_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError, match="did you mean uniform"):
        refuse_unless_file("unifrom:10:70")
    Path("monday:times.csv").write_text("1\n")
    refuse_unless_file("monday:times.csv")
    refuse_unless_file("times.csv")
