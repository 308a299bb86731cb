"""Links of the pages as they stand in the repository, and the site's table of contents."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from mkdocs.config import load_config

import pipefl
from doc_pages import DOCS, PAGES, ROOT, name_of, prose_of

# [text](target) and ![text](target), also where the text holds brackets of its own
LINK = re.compile(r"\]\((?!https?:|mailto:)(?P<target>[^()\s#]*)(?:#(?P<anchor>[^()\s]*))?\)")


def anchors_of(page: Path) -> set[str]:
    """The anchors of a page's headings, as code hosts and the site make them."""
    headings = re.findall(r"^#+ (.*)$", prose_of(page), re.MULTILINE)
    words = (re.sub(r"[^\w\s-]", "", heading.lower()) for heading in headings)
    return {each.strip().replace(" ", "-") for each in words}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_to_files_and_headings_that_are_there(page: Path) -> None:
    for link in LINK.finditer(prose_of(page)):
        target = (page.parent / link["target"]).resolve() if link["target"] else page
        assert target.exists(), f"{name_of(page)} links to {link['target']}"
        assert target.is_relative_to(ROOT)
        if link["anchor"] and target.suffix == ".md":
            assert link["anchor"] in anchors_of(target), f"{name_of(page)}: #{link['anchor']}"


def leaves(nav: object) -> Iterator[str]:
    """The pages of a table of contents."""
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, dict):
        for part in nav.values():
            yield from leaves(part)
    elif isinstance(nav, list):
        for part in nav:
            yield from leaves(part)


def test_every_page_is_in_the_table_of_contents_once() -> None:
    config = load_config(str(ROOT / "mkdocs.yml"))
    outside: dict[str, str] = config["extra"]["outside"]
    own = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    listed = list(leaves(config["nav"]))
    assert sorted(listed) == sorted([*own, *outside]), "see `nav` in mkdocs.yml"
    assert all((ROOT / path).is_file() for path in outside.values())


def test_every_public_name_is_in_the_reference() -> None:
    text = "".join(page.read_text("utf-8") for page in (DOCS / "api").glob("*.md"))
    shown = re.findall(r"^::: pipefl\.(\w+)$", text, re.MULTILINE)
    assert sorted(shown) == sorted(pipefl.__all__)
