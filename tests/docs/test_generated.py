import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from pipefl.models.catalogue import MODELS
from pipefl.runs.config import RunConfig
from pipefl.train.algorithms.catalogue import ALGORITHMS
from pipefl.train.executors.by_name import EXECUTORS

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def contents() -> Iterator[dict[str, str]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        yield runpy.run_path(str(DOCS / "draw.py"))["contents"]()


def test_what_lies_in_the_docs_is_what_the_code_draws(contents: dict[str, str]) -> None:
    for name, text in contents.items():
        assert (DOCS / name).read_text(encoding="utf-8") == text, f"run `make figures`: {name}"


def test_every_label_has_a_home_and_a_test(contents: dict[str, str]) -> None:
    rows = re.findall(r"^\| `(.*?)` \| .*? \| (.*?) \| (.*?) \|$", contents["equations.md"], re.M)
    assert len(rows) > 40
    assert [label for label, code, tests in rows if "–" in (code, tests)] == []


def test_settings_name_all_that_they_can_be() -> None:
    kinds = {"model": MODELS, "algorithm": ALGORITHMS, "executor": EXECUTORS}
    for setting, choices in kinds.items():
        told = RunConfig.model_fields[setting].description or ""
        assert [name for name in choices if f"`{name}`" not in told] == [], setting


def test_every_setting_has_a_row_that_says_what_it_means(contents: dict[str, str]) -> None:
    rows = dict(re.findall(r"^\| `([\w.]+)` \| .* \| (.+) \|$", contents["settings.md"], re.M))
    for name, field in RunConfig.model_fields.items():
        section = field.annotation
        if isinstance(section, type) and issubclass(section, BaseModel):
            assert all(rows[f"{name}.{inner}"] for inner in section.model_fields)
        else:
            assert len(rows[name]) > 1


def test_dark_figures_are_there_for_all(contents: dict[str, str]) -> None:
    figures = [name for name in contents if name.endswith(".svg")]
    light = [name for name in figures if "-dark" not in name]
    assert sorted(figures) == sorted([*light, *(f"{name[:-4]}-dark.svg" for name in light)])
    for name in light:
        assert "#FFFFFF" in contents[name]
        assert "#14171B" in contents[f"{name[:-4]}-dark.svg"]
