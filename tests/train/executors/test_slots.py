"""Slots of shared memory: nobody's slot is anybody else's."""

import gc
import os
from collections.abc import Iterator
from contextlib import closing

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pipefl.train.executors.slots import Lender, Slots


@pytest.fixture
def lender() -> Iterator[Lender]:
    with closing(Lender(rows=2, columns=5)) as made:
        yield made


@given(st.lists(st.integers(0, 40), max_size=60))
def test_a_slot_is_lent_to_one_at_a_time(choices: list[int]) -> None:
    """Each number gives one of the slots that are out back, if there is one, or takes one."""
    with closing(Lender(rows=1, columns=3)) as lender:
        out: dict[int, int] = {}
        for number, choice in enumerate(choices):
            if choice < len(out):
                slot = list(out)[choice]
                assert lender.slots.tensor(slot, 1).tolist() == [[out.pop(slot)] * 3]
                lender.give_back(slot)
            else:
                slot = lender.take()
                assert slot not in out
                out[slot] = number
                lender.slots.tensor(slot, 1).fill_(number)
        for slot, number in out.items():
            assert lender.slots.tensor(slot, 1).tolist() == [[number] * 3]


def test_others_see_what_is_written(lender: Lender) -> None:
    theirs = Slots(os.dup(lender.slots.number), rows=2, columns=5)
    for number in range(9):
        slot = lender.take()
        lender.slots.tensor(slot, 2).copy_(torch.arange(10.0).view(2, 5) + number)
        assert theirs.tensor(slot, 1).tolist() == [[float(number + i) for i in range(5)]]
    os.close(theirs.number)


def test_what_is_lent_comes_back_when_nobody_holds_it(lender: Lender) -> None:
    slot = lender.take()
    tensor = lender.lent(slot, rows=1)
    part = tensor[0, 2:4]
    del tensor
    gc.collect()
    assert lender.take() != slot
    del part
    gc.collect()
    assert lender.take() == slot


def test_slots_begin_where_pages_do(lender: Lender) -> None:
    """So that sums are taken in the order that they have in any other process."""
    for slot in (lender.take() for _ in range(5)):
        assert lender.slots.tensor(slot, 2).data_ptr() % 4096 == 0
