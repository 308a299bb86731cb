"""What the site adds to the pages: where links out of docs/ lead, dark figures, equations.

The pages are plain Markdown that reads well where the code is hosted. There a link such as
`../src/pipefl/plan/slots.py` opens the file. On the site it opens a page with that file's
lines, and some files (see `extra.outside` in mkdocs.yml) are pages of their own.
"""

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename

from equations import with_mathml, with_places, with_subscripts

ROOT = Path(__file__).parents[2]
SOURCES = "source/"

_LINK = re.compile(r"(?P<text>\[[^\[\]]*\])\((?P<target>[^()\s:#]+)(?P<anchor>#[^()\s]*)?\)")
_FIGURE = re.compile(r"^!\[(?P<text>[^\]]*)\]\((?P<path>images/[\w-]+)\.svg\)$", re.MULTILINE)
_LABEL = re.compile(r"^\| `([\w:-]+)` \|", re.MULTILINE)
_TEST_NAME = re.compile(r"<code>test_\w+</code>")
_FRONT = "---\nsearch:\n  exclude: true\nhide: [navigation]\n---\n"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside docs/, and one for every file that any page links to."""
    for uri, path in _outside(config).items():
        text = (ROOT / path).read_text(encoding="utf-8")
        files.append(File.generated(config, uri, content=text))
    linked = {path for each in files.documentation_pages() for path in _linked_files(each, config)}
    for path in sorted(linked):
        files.append(_source_page(path, config))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """A page's text with links that work on the site, figures for dark screens, equations."""
    if page.file.src_uri.startswith(SOURCES):
        return markdown
    here = page.file.src_uri
    text = _LINK.sub(lambda match: _on_the_site(match, here, config), markdown)
    text = _FIGURE.sub(lambda match: _figures(match, files), text)
    if here == "equations.md":
        text = _table_of_labels(text)
    if "\n## " not in text:
        page.meta.setdefault("hide", []).append("toc")
    return with_places(text)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The page's HTML with its equations and symbols."""
    if page.file.src_uri == "equations.md":  # names of tests are whole sentences
        html = _TEST_NAME.sub(lambda match: match[0].replace("_", "_<wbr>"), html)
    return with_subscripts(with_mathml(html))


def _outside(config: MkDocsConfig) -> dict[str, str]:
    """Pages of the site and the files below the root that they are."""
    pages: dict[str, str] = config.extra["outside"]
    return pages


def _linked_files(page: File, config: MkDocsConfig) -> set[str]:
    """Files outside docs/ that a page links to and that are no pages of their own."""
    targets = {_path(match["target"], page.src_uri, config) for match in _links(page)}
    own = {*_outside(config).values(), "README.md"}
    return {
        each
        for each in targets
        if not each.startswith("docs/") and each not in own and (ROOT / each).is_file()
    }


def _links(page: File) -> list[re.Match[str]]:
    return list(_LINK.finditer(page.content_string))


def _path(target: str, uri: str, config: MkDocsConfig) -> str:
    """Where a link leads, as a path below the root."""
    home = _outside(config).get(uri, f"docs/{uri}")
    return posixpath.normpath(posixpath.join(posixpath.dirname(home), target))


def _on_the_site(match: re.Match[str], uri: str, config: MkDocsConfig) -> str:
    """The same link, to the page of the site that holds what it leads to."""
    path, anchor = _path(match["target"], uri, config), match["anchor"] or ""
    if path == "README.md":
        page = "index.md"
    elif path.startswith("docs/"):
        page = path.removeprefix("docs/")
    elif path in _outside(config).values():
        page = next(page for page, home in _outside(config).items() if home == path)
    elif (ROOT / path).is_file():
        page, anchor = _source_uri(path), anchor or _line_of(match["text"], path)
    else:
        return match[0]
    return f"{match['text']}({posixpath.relpath(page, posixpath.dirname(uri) or '.')}{anchor})"


def _source_uri(path: str) -> str:
    return f"{SOURCES}{path}.md"


def _source_page(path: str, config: MkDocsConfig) -> File:
    """A page that shows a file, each line with an anchor."""
    lines = (ROOT / path).read_text(encoding="utf-8")
    lexer = get_lexer_for_filename(path) if "." in path else TextLexer()
    form = HtmlFormatter(linenos="inline", lineanchors="line", anchorlinenos=True)
    text = f"{_FRONT}# `{path}`\n\n{highlight(lines, lexer, form)}"
    return File.generated(
        config, _source_uri(path), content=text, inclusion=InclusionLevel.NOT_IN_NAV
    )


def _line_of(text: str, path: str) -> str:
    """The anchor of the line that defines the name in a link's text, if it is a name there."""
    defines = re.compile(rf"\s*(async )?(def|class) {re.escape(text.strip('[]`'))}\b")
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    found = (number for number, line in enumerate(lines, 1) if defines.match(line))
    number = next(found, None)
    return "" if number is None else f"#line-{number}"


def _table_of_labels(text: str) -> str:
    """The table of equations, each row with an anchor for docstrings to link to."""
    introduction, table = text.split("\n\n| ", maxsplit=1)
    rows = _LABEL.sub(r"| [](){#\1}`\1` |", f"| {table}")
    return f'{introduction}\n\n<div class="equations" markdown>\n\n{rows}\n</div>\n'


def _figures(match: re.Match[str], files: Files) -> str:
    """A figure for light and one for dark screens, where both have been drawn."""
    dark = f"{match['path']}-dark.svg"
    if files.get_file_from_path(dark) is None:
        return match[0]
    light = f"![{match['text']}]({match['path']}.svg#only-light)"
    return f"{light}\n![{match['text']}]({dark}#only-dark)"
