"""Whatever is wrong with the options: one line on stderr that says what, and exit code 2."""

import re

import pytest

from commands import complaint_of, output_of

FORM = "it must be a whole number of at least 1"
POSITIVE = "it must be a finite number of seconds above 0"
NOT_NEGATIVE = "it must be a finite number of seconds, 0 or more"
UP_TO_A_MILLION = "it must be a whole number from 1 to 1,000,000"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("-u 0", f"--upload-time is 0.0; {POSITIVE}"),
        ("-u -1", f"--upload-time is -1.0; {POSITIVE}"),
        ("-u nan", f"--upload-time is nan; {POSITIVE}"),
        ("-u inf", f"--upload-time is inf; {POSITIVE}"),
        ("-u 1e999", f"--upload-time is inf; {POSITIVE}"),
        ("--slack -0.5", f"--slack is -0.5; {NOT_NEGATIVE}"),
        ("--slack nan", f"--slack is nan; {NOT_NEGATIVE}"),
        ("--slack inf", f"--slack is inf; {NOT_NEGATIVE}"),
        ("--server-time -1", f"--server-time is -1.0; {NOT_NEGATIVE}"),
        ("--server-time nan", f"--server-time is nan; {NOT_NEGATIVE}"),
        ("--server-time inf", f"--server-time is inf; {NOT_NEGATIVE}"),
        ("-n 0", f"--channels is 0; {FORM}"),
        ("-n -2", f"--channels is -2; {FORM}"),
        ("-k 0", f"--clusters is 0; {UP_TO_A_MILLION}"),
        ("-k -3", f"--clusters is -3; {UP_TO_A_MILLION}"),
        ("-k 1000001", f"--clusters is 1000001; {UP_TO_A_MILLION}"),
        ("-k 2.5", "--clusters is '2.5'; it must be a whole number of clusters, or auto"),
        ("-k 1e3", "--clusters is '1e3'; it must be a whole number of clusters, or auto"),
        ("-k many", "--clusters is 'many'; it must be a whole number of clusters, or auto"),
        ("-k nan", "--clusters is 'nan'; it must be a whole number of clusters, or auto"),
        ("--method simplex", "--method is 'simplex'; it must be one of isotonic, hull, hypotheses"),
    ],
)
def test_a_value_that_cannot_be_used_is_named_with_what_would_do(
    options: str, expected: str
) -> None:
    assert complaint_of("plan", "--demo", *options.split()) == expected


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ("-u fast", ["--upload-time", "'fast' is not a valid"]),
        ("-n 1.5", ["--channels", "integer"]),
        ("-n four", ["--channels", "integer"]),
        ("--slack some", ["--slack", "'some' is not a valid"]),
        ("--seed x", ["--seed", "integer"]),
        ("-u", ["-u", "requires an argument"]),
        ("--slak 1", ["No such option", "--slak", "--slack"]),
        ("--bogus", ["No such option", "--bogus"]),
        ("again", ["unexpected", "again"]),
        ("-n 99999999999999999999", ["--channels", "at most 9,223,372,036,854,775,807"]),
        ("-u 1e-9", ["--upload-time is 1e-09", "clusters, more than 1,000,000", "longer upload"]),
        ("-u 1e-310", ["--upload-time is 1e-310", "more than 1,000,000", "longer upload"]),
    ],
)
def test_an_option_that_cannot_be_read_is_named(options: str, parts: list[str]) -> None:
    message = complaint_of("plan", "even:1:2", "-u", 1, *options.split())
    assert [part for part in parts if part not in message] == []


@pytest.mark.parametrize("verb", ["pln", "plot", "run-everything"])
def test_an_unknown_verb_is_named(verb: str) -> None:
    assert f"No such command '{verb}'" in complaint_of(verb)


def test_a_misspelt_verb_is_told_the_nearest() -> None:
    assert "plan" in complaint_of("pln").split("Did you mean")[1]


@pytest.mark.parametrize("verb", ["plan", "sweep", "recommend", "explain"])
def test_every_verb_says_what_is_missing(verb: str) -> None:
    assert complaint_of(verb, "-u", 1).startswith("TIMES is missing: give a .csv or .parquet file")
    message = complaint_of(verb, "uniform:1:2")
    assert message == "--upload-time is missing: give the seconds that one upload takes"


@pytest.mark.parametrize("verb", ["plan", "sweep", "recommend", "explain"])
def test_every_verb_wants_one_population(verb: str) -> None:
    message = complaint_of(verb, "uniform:1:2", "--demo", "-u", 1)
    assert message.startswith("both TIMES (uniform:1:2) and --demo are given")


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ("unifrom:10:70", "did you mean uniform?"),
        ("gauss:1:2", "the distributions are uniform, even, lognormal, exponential, samples"),
        ("uniform:10", "it must have the form uniform:LOW:HIGH"),
        ("uniform:10:x", "HIGH of 'uniform:10:x' is 'x'"),
        ("uniform:nan:10", "LOW of 'uniform:nan:10' is nan"),
        ("uniform:70:10", "the larger number must come second"),
        ("lognormal:30:1000", "every one must be finite and above 0 seconds"),
        ("nowhere.csv", "nowhere.csv: there is no such file"),
        ("nowhere.parquet", "nowhere.parquet: there is no such file"),
        ("notes.txt", "it ends in '.txt'; times are read from .csv and .parquet files"),
        ("notes", "its name has no ending"),
        ("", "its name has no ending"),
    ],
)
@pytest.mark.parametrize("verb", ["plan", "sweep", "recommend", "explain"])
def test_times_that_are_neither_a_file_nor_a_distribution_are_refused(
    verb: str, times: str, expected: str
) -> None:
    assert expected in complaint_of(verb, times, "-u", 1)


@pytest.mark.parametrize("option", ["--num-clients 0", "--num-clients -1", "--seed -1"])
def test_the_number_of_clients_and_the_seed_are_checked(option: str) -> None:
    name, value = option.split()
    message = complaint_of("plan", "uniform:1:2", "-u", 1, *option.split())
    assert message.startswith(f"{name} is {value}; it must be a whole number")


@pytest.mark.parametrize("times", ["--demo", "clients.csv"])
def test_a_number_of_clients_is_for_those_that_are_drawn(times: str) -> None:
    message = complaint_of("plan", times, "-u", 1, "--num-clients", 10)
    assert message == "--num-clients is for a distribution; a file's clients are all planned"


def test_a_chart_that_cannot_be_drawn_is_named_by_its_option() -> None:
    message = complaint_of("plan", "--demo", "-n", 20, "--save", "round.png")
    assert message.startswith("--chart is 'round'; it has a row a client")


def test_more_clients_than_memory_holds_is_one_line_too() -> None:
    message = complaint_of("plan", "uniform:1:2", "-u", 1, "--num-clients", 10**14)
    assert "Unable to allocate" in message


@pytest.mark.parametrize(
    ("times", "upload_time_s", "clusters"),
    [
        ("samples:10:70:0.1", 1.5, 6),
        ("uniform:10:70", 3.7, 40),
        ("lognormal:30:0.5", 0.123, 5000),
        ("exponential:1:3", 0.7, 100),
        ("even:0.1:0.7", 0.1, 8),
    ],
)
def test_more_clusters_than_fit_are_told_the_bound_and_a_slack_that_allows_them(
    times: str, upload_time_s: float, clusters: int
) -> None:
    settings = ("plan", times, "--num-clients", 300, "-u", upload_time_s)
    message = complaint_of(*settings, "-k", clusters)
    told = re.search(
        r"at most ([\d,]+) clusters fit \(eq:techincal_K\); --slack (\S+) would allow ([\d,]+)",
        message,
    )
    assert told is not None
    bound = int(told[1].replace(",", ""))
    assert int(told[3].replace(",", "")) == clusters
    output_of(*settings, "-k", clusters, "--slack", told[2])
    output_of(*settings, "-k", bound)
    assert f"at most {bound:,} clusters fit" in complaint_of(*settings, "-k", bound + 1)
    less = float(told[2]) * (1 - 1e-4)
    assert "clusters fit" in complaint_of(*settings, "-k", clusters, "--slack", less)


def test_hypotheses_are_tested_for_up_to_24_clusters() -> None:
    settings = ("plan", "even:1:31", "-u", 1, "--num-clients", 60, "--method", "hypotheses")
    output_of(*settings, "-k", 24)
    message = complaint_of(*settings, "-k", 25)
    assert message.startswith("--clusters is 25; testing hypotheses is for at most 24")
    assert "method 'isotonic' or 'hull' has no such limit" in message
