from dataclasses import dataclass
from math import inf

import pytest

from pipefl.sweeps.paper_table import TableCell, paper_table
from pipefl.sweeps.spread import Spread


@dataclass(frozen=True)
class Cell:
    name: str
    rounds_spread: Spread | None
    is_settled: bool = True


def cells(**rounds: tuple[float, ...]) -> list[Cell]:
    return [Cell(name.replace("_", "-"), Spread.of(each)) for name, each in rounds.items()]


@pytest.mark.paper("tab:mnist-cnn")
def test_our_numbers_stand_beside_the_papers() -> None:
    found = cells(k1_n1=(280.0, 300.0, 260.0), k4_n1=(140.0, 150.0, 130.0), u16=(100.0,))
    (conventional,), (clustered,) = paper_table(found, "mnist-cnn")
    assert conventional == TableCell(1, 1, Spread(280, 260, 300, 3), 0.0, 273, 0.0, True)
    assert clustered.rounds == Spread(140, 130, 150, 3)
    assert clustered.gain == pytest.approx(0.5)
    assert clustered.paper_rounds == 131
    assert clustered.paper_gain == pytest.approx(1 - 131 / 273)


@pytest.mark.parametrize(
    ("rounds", "differs"),
    [
        ((131.0, 131.0), False),
        ((141.0, 151.0, 150.0), True),  # 19 from the median of 150, with a range of 10
        ((121.0, 140.0, 130.0), False),
        ((100.0,), None),  # one seed has no range
        ((inf, inf), True),
        ((), None),
    ],
)
def test_a_cell_differs_by_more_than_the_seeds_do(
    rounds: tuple[float, ...], differs: bool | None
) -> None:
    ((cell,),) = paper_table(cells(k4_n1=rounds), "mnist-cnn")
    assert cell.differs is differs


def test_without_a_paper_there_is_nothing_beside_them() -> None:
    ((cell,),) = paper_table(cells(k1_n2=(10.0, 20.0)))
    assert (cell.paper_rounds, cell.paper_gain, cell.differs, cell.gain) == (None, None, None, 0.0)


def test_nothing_is_gained_on_what_is_not_known() -> None:
    rows = paper_table(cells(k1_n1=(inf,), k2_n1=(10.0,), k3_n1=()), "mnist-mlp")
    assert [row[0].gain for row in rows] == [None, None, None]


def test_of_two_seeds_the_lower_one_is_the_median() -> None:
    assert Spread.of([5.0, 3.0]) == Spread(3.0, 3.0, 5.0, 2)
    infinite = Spread.of([5.0, inf, inf])
    assert infinite is not None
    assert (infinite.is_finite, infinite.range) == (False, inf)
