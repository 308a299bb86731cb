"""What the site makes of docstrings and equations."""

from collections.abc import Iterator

import pytest

from doc_pages import DOCS


@pytest.fixture(autouse=True)
def _with_the_sites_modules() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS / "building"))
        yield


def markdown(text: str) -> str:
    from docstrings import as_markdown

    return as_markdown(text)


def test_labels_of_the_paper_link_to_their_rows_and_others_stay() -> None:
    text = "Paper: eq:pi, as in lem:Nothing; see sec:pfl."
    assert markdown(text) == "Paper: [`eq:pi`][eq:pi], as in lem:Nothing; see [`sec:pfl`][sec:pfl]."


def test_examples_are_blocks_of_code() -> None:
    text = "Say so.\n\n>>> 1 + 1\n2\n\nThen:\n\n>>> print()\n<BLANKLINE>"
    assert markdown(text) == (
        "Say so.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nThen:\n\n```pycon\n>>> print()\n<BLANKLINE>\n```"
    )


def test_tables_have_cells_and_lines_that_go_on() -> None:
    text = (
        "=====  ========\nfield  meaning\n=====  ========\n"
        "`a`    first |x|\n       and on\n`b`    second\n=====  ========"
    )
    assert markdown(text).splitlines() == [
        "| field | meaning |",
        "| --- | --- |",
        r"| `a` | first \|x\| and on |",
        "| `b` | second |",
    ]


def test_equations_keep_their_place_until_the_page_is_done() -> None:
    from equations import with_mathml

    text = ".. math:: a < b, \\qquad\n    c_k = \\frac{1}{2}\n\nwhere :math:`c_k \\ge *0*`."
    block, _, sentence = markdown(text).partition("\n\n")
    assert block == '<div data-latex="a &lt; b, \\qquad c_k = \\frac{1}{2}"></div>'
    page = with_mathml(block + sentence)
    assert page.count("<math") == 2
    assert "<mfrac><mn>1</mn><mn>2</mn></mfrac>" in page
    assert "data-latex" not in page


def test_a_mistake_in_an_equation_stops_the_build() -> None:
    from equations import place_of, with_mathml

    with pytest.raises(ValueError, match=r"the equation '\\\\fraq\{1\}\{2\}': .*Unknown command"):
        with_mathml(place_of(r"\fraq{1}{2}", block=True))


def test_powers_of_large_brackets_are_powers_of_what_they_hold() -> None:
    from equations import place_of, with_mathml

    page = with_mathml(place_of(r"\Big( a + \big( b \big) \Big)^2", block=True))
    assert "<msup><mrow><mo" in page
    assert page.count("<msup>") == 1


def test_symbols_of_the_text_have_subscripts_and_code_has_not() -> None:
    from equations import with_subscripts

    text = "<p>n_m of <code>n_m</code>, upload_time_s, a_{k−1}, 𝒯_2</p><pre>x_1</pre>"
    assert with_subscripts(text) == (
        "<p>n<sub>m</sub> of <code>n_m</code>, upload_time_s, a<sub>k−1</sub>, 𝒯<sub>2</sub></p>"
        "<pre>x_1</pre>"
    )
