"""Which of the names on a chart can be written without running into each other."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

_LETTER_WIDTH = 7.4  # pixels, of digits in the theme's font at 12 points
_LINE_HEIGHT = 15.0

Align = Literal["left", "right"]


@dataclass(frozen=True)
class Label:
    """A text that begins (left) or ends (right) at a place in pixels, y upwards."""

    text: str
    x: float
    y: float
    align: Align

    @property
    def left(self) -> float:
        """Where the text begins."""
        return self.x if self.align == "left" else self.x - self.width

    @property
    def width(self) -> float:
        """About how wide the text is."""
        return _LETTER_WIDTH * len(self.text)

    def meets(self, other: "Label") -> bool:
        """Whether the two texts would run into each other."""
        is_beside = self.left + self.width < other.left or other.left + other.width < self.left
        return not is_beside and abs(self.y - other.y) < _LINE_HEIGHT


def apart(labels: Iterable[Label]) -> list[bool]:
    """Whether each label stays: where two meet, the first of them. O(n · those that stay).

    >>> row = [Label("(1, 10)", 0.0, 0.0, "left"), Label("(2, 20)", 30.0, 0.0, "left")]
    >>> apart([*row, Label("(3, 30)", 60.0, 0.0, "left")])
    [True, False, True]
    """
    kept: list[Label] = []
    stays = []
    for label in labels:
        stays.append(not any(label.meets(other) for other in kept))
        if stays[-1]:
            kept.append(label)
    return stays
