import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
import pytest

from pipefl.errors import InputFileError
from pipefl.report.hull_chart import hull_chart
from pipefl.report.saving import save_chart, svg

CHART = (
    alt.Chart(pl.DataFrame({"x": [1, 2], "y": [3, 4]}))
    .mark_point()
    .encode(x="x:Q", y="y:Q")
    .properties(title="seconds ≤ θ")
)


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n"),
        ("a.svg", b"<svg "),
        ("a.pdf", b"%PDF-"),
        ("a.json", b"{"),
        ("A.PNG", b"\x89PNG\r\n\x1a\n"),
        ("two words.SVG", b"<svg "),
    ],
)
def test_a_chart_is_saved_as_what_its_ending_says(
    tmp_path: Path, name: str, beginning: bytes
) -> None:
    saved = save_chart(CHART, tmp_path / name)
    assert saved == tmp_path / name
    assert saved.read_bytes().startswith(beginning)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_path_may_be_text(tmp_path: Path) -> None:
    assert save_chart(CHART, str(tmp_path / "a.svg")) == tmp_path / "a.svg"


def test_a_specification_draws_the_same_chart_again(tmp_path: Path) -> None:
    spec = json.loads(save_chart(CHART, tmp_path / "a.json").read_text(encoding="utf-8"))
    assert svg(alt.Chart.from_dict(spec)) == svg(CHART)


def _clipped(most: float) -> Any:
    scale = alt.Scale(domain=[0, most])
    frame = pl.DataFrame({"x": [1, 2], "y": [3, 4]})
    return alt.Chart(frame).mark_bar(clip=True).encode(x=alt.X("x:Q", scale=scale), y="y:Q")


def test_a_picture_does_not_depend_on_those_drawn_before_it() -> None:
    first = svg(_clipped(1))
    svg(_clipped(2))
    assert svg(_clipped(1)) == first


def test_pictures_on_one_page_do_not_share_names() -> None:
    names = [set(re.findall(r'id="(clip.*?)"', svg(_clipped(most)))) for most in (1, 2)]
    assert names[0]
    assert names[1]
    assert not names[0] & names[1]
    assert set(re.findall(r"url\(#(clip.*?)\)", svg(_clipped(1)))) == names[0]


def test_a_machine_without_fonts_draws_the_same(tmp_path: Path) -> None:
    """Text is placed by the widths of fonts, so these must be our own."""
    if not Path("/usr/share/fonts").is_dir() or shutil.which("unshare") is None:
        pytest.skip("there are no fonts to be hidden, or no unshare to hide them with")
    script = tmp_path / "draw.py"
    script.write_text(
        "from pipefl.report.hull_chart import hull_chart\n"
        "from pipefl.report.saving import svg\n"
        "print(svg(hull_chart([10, 46, 80, 100], 'A hull')))\n"
    )
    hidden = 'mount -t tmpfs none /usr/share/fonts && exec "$0" "$1"'
    command = ["unshare", "--mount", "sh", "-c", hidden, sys.executable, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "unshare" in done.stderr or "mount" in done.stderr:
        pytest.skip(f"fonts cannot be hidden here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    assert done.stdout == svg(hull_chart([10, 46, 80, 100], "A hull")) + "\n"


def test_text_keeps_its_signs_in_a_picture(tmp_path: Path) -> None:
    picture = save_chart(CHART, tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "seconds ≤ θ" in picture


def test_a_png_has_two_pixels_a_point(tmp_path: Path) -> None:
    picture = save_chart(CHART, tmp_path / "a.png").read_bytes()
    width, height = (int.from_bytes(picture[at : at + 4]) for at in (16, 20))
    points = svg(CHART).split(maxsplit=20)
    assert f'width="{width / 2:g}"' in points
    assert f'height="{height / 2:g}"' in points


@pytest.mark.parametrize("name", ["a.gif", "a", "a.svg.gz", "svg"])
def test_another_ending_is_refused_and_nothing_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputFileError) as caught:
        save_chart(CHART, tmp_path / name)
    expected = f"{tmp_path / name}: charts are saved as .png, .svg, .pdf, .json"
    assert str(caught.value) == expected
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    target = tmp_path / "nowhere" / "a.svg"
    with pytest.raises(InputFileError) as caught:
        save_chart(CHART, target)
    assert str(caught.value) == f"{target}: there is no folder {target.parent}"
