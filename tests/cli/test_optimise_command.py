import json

import pytest

from commands import complaint_of, output_of

DEMO = ("optimise", "--demo", "--band-upload-time", "1", "--max-channels", "4")


def test_the_choice_for_a_table_of_the_paper_says_what_was_traded() -> None:
    out = output_of(*DEMO, "--table", "mnist-cnn")
    for part in ("K = ", "N = ", "Δ = ", "rounds", "wait-all"):
        assert part in out


def test_candidates_come_as_json_the_fastest_first() -> None:
    rows = json.loads(output_of(*DEMO, "--points", "1:273,2:180,4:131,8:110,32:97", "--json"))
    seconds = [row["seconds"] for row in rows if row["seconds"] is not None]
    assert len(seconds) > 4
    assert seconds == sorted(seconds)


def test_a_faster_band_takes_fewer_seconds() -> None:
    fastest = [
        json.loads(
            output_of(
                "optimise", "--demo", "--band-upload-time", u, "--table", "mnist-cnn", "--json"
            )
        )[0]["seconds"]
        for u in ("2", "0.5")
    ]
    assert fastest[1] < fastest[0]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--demo --table mnist-cnn", "--band-upload-time is missing"),
        (
            "--demo --band-upload-time 1",
            "give one of --table, the paper's rounds, --measured, ours",
        ),
        ("--demo --band-upload-time 1 --table a --points 1:2", "give one of --table"),
        ("--demo --band-upload-time 1 --measured table9", "measured table is 'table9'"),
        ("--demo --band-upload-time 0 --table mnist-cnn", "--band-upload-time is 0.0"),
        ("--demo --band-upload-time 1 --points 1:2:3", "--points is '1:2:3'; it must be clients"),
        (
            "--demo --band-upload-time 1 --points 1:2",
            "--points: clients_per_round is [1.0]; po",
        ),
        ("--demo --band-upload-time 1 --points 1:2,2:3", "--points: rounds is [2.0, 3.0]; the cur"),
        ("--demo --band-upload-time 1 --points one:2", "--points is 'one:2'; it must be clients"),
        ("--demo --band-upload-time 1 --table mnist-cnn --max-channels 0", "--max-channels is 0"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(options: str, expected: str) -> None:
    assert complaint_of("optimise", *options.split()).startswith(expected)


def test_an_unknown_table_names_the_nearest() -> None:
    message = complaint_of("optimise", "--demo", "--band-upload-time", "1", "--table", "mnist-cn")
    assert message.startswith("--table is 'mnist-cn'; did you mean mnist-cnn?")
