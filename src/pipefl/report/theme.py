"""One look for every chart, on light and on dark pages."""

from typing import Any, Literal

import altair as alt

Mode = Literal["light", "dark"]

# Okabe and Ito's palette: distinct to colour-blind readers, and in grey.
COMPUTE, UPLOAD, SERVER = "#56B4E9", "#D55E00", "#009E73"
EMPHASIS, QUIET = "#0072B2", "#8A8F98"

TOTAL_WIDTH = 856  # of a chart over the whole width of a page, its labels included
HALF_WIDTH = 418  # of one of two side by side

_FONT = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"
_INK = {"light": "#1B1F24", "dark": "#E6E8EB"}
_FAINT = {"light": "#E3E6EA", "dark": "#33383F"}
_IDLE = {"light": "#C9CCD1", "dark": "#4B525B"}
_PAPER = {"light": "#FFFFFF", "dark": "#14171B"}


def themed(chart: alt.TopLevelMixin, mode: Mode = "light") -> Any:
    """The chart with this package's fonts, sizes and colours; it renders alike everywhere."""
    text = {"font": _FONT, "color": _INK[mode]}
    labels = {
        "labelFont": _FONT,
        "titleFont": _FONT,
        "labelColor": _INK[mode],
        "titleColor": _INK[mode],
        "labelFontSize": 12,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
    }
    return chart.configure(
        background=_PAPER[mode],
        padding=12,
        font=_FONT,
        axis={
            **labels,
            "gridColor": _FAINT[mode],
            "domainColor": _INK[mode],
            "tickColor": _INK[mode],
            "titlePadding": 8,
            "labelFlush": False,
        },
        legend={**labels, "symbolSize": 120, "orient": "top", "offset": 24, "title": None},
        header={**labels, "labelFontSize": 13},
        title={**text, "fontSize": 15, "fontWeight": 600, "anchor": "start", "offset": 12,
               "subtitleFont": _FONT, "subtitleColor": _INK[mode], "subtitleFontSize": 12},
        text={**text, "fontSize": 12},
        view={"stroke": None},
    )  # fmt: skip


def ink(mode: Mode) -> str:
    """The colour of text and thin lines."""
    return _INK[mode]


def paper(mode: Mode) -> str:
    """The colour behind everything."""
    return _PAPER[mode]


def idle(mode: Mode) -> str:
    """The colour of time in which nothing happens."""
    return _IDLE[mode]


def series_colours(mode: Mode) -> tuple[str, ...]:
    """One a curve, in this order; more curves than that belong on two charts."""
    return _SERIES[mode]


def cluster_colours(num_clusters: int, mode: Mode = "light") -> list[str]:
    """One colour a cluster from viridis, which rises evenly in lightness.

    The end of the scale that would fade into the page is left out.

    >>> cluster_colours(3)
    ['#440154', '#287c8e', '#90d743']
    """
    visible = _VIRIDIS[:11] if mode == "light" else _VIRIDIS[3:]
    steps = max(1, num_clusters - 1)
    return [visible[round(k * (len(visible) - 1) / steps)] for k in range(num_clusters)]


# The same palette twice, lighter for thin lines on dark pages.
_SERIES = {
    "light": (EMPHASIS, UPLOAD, SERVER, "#CC79A7", "#E69F00", COMPUTE, QUIET, "#B8A900"),
    "dark": (
        "#4FA3E0",
        "#F0833A",
        "#22C093",
        "#E29AC4",
        "#F2B93B",
        "#8BD0F5",
        "#A9AFB8",
        "#D6C93A",
    ),
}

_VIRIDIS = (
    "#440154", "#481f70", "#443983", "#3b528b", "#31688e", "#287c8e", "#21918c",
    "#20a486", "#35b779", "#5ec962", "#90d743", "#b5de2b", "#dde318",
)  # fmt: skip
