"""An HTML page taken apart, and what every page of ours must be."""

import re
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Outline(HTMLParser):
    """The tags, attributes and texts of a page; complains of tags that do not match."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.open: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts[self.open[-1]][-1] += data

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of every tag of that name."""
        return [of_tag for name, of_tag in self.tags if name == tag]


def refuse_scripts_and_requests(page: str) -> None:
    """A page runs nothing and fetches nothing."""
    outline = Outline(page)
    tags = {tag for tag, _ in outline.tags}
    assert not tags & {"script", "iframe", "object", "embed", "img", "base"}
    fetched = {
        value
        for _, of_tag in outline.tags
        for name, value in of_tag.items()
        if name in {"src", "href", "xlink:href", "srcset", "action", "data"}
    }
    assert {value for value in fetched if not str(value).startswith("#")} <= {"data:,"}
    assert not any(name.startswith("on") for _, of_tag in outline.tags for name in of_tag)
    assert "@import" not in page
    assert all(target.startswith("#") for target in re.findall(r"url\(['\"]?(.)", page))
    links = set(re.findall(r"https?://[^\s\"'<]+", page))
    assert links <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def refuse_repeated_ids(page: str) -> None:
    """No id stands twice, and whatever an element refers to is there."""
    ids = [str(of_tag["id"]) for _, of_tag in Outline(page).tags if "id" in of_tag]
    assert len(ids) == len(set(ids))
    wanted = set(re.findall(r"url\(#([^)]+)\)", page)) | set(re.findall(r'href="#([^"]+)"', page))
    assert wanted <= set(ids)
