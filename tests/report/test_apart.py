from hypothesis import given
from hypothesis import strategies as st

from pipefl.report.apart import Label, apart

labels = st.builds(
    Label,
    text=st.text("(1, 0)", min_size=1, max_size=12),
    x=st.floats(0, 480),
    y=st.floats(0, 360),
    align=st.sampled_from(["left", "right"]),
)


@given(st.lists(labels, max_size=25))
def test_labels_that_stay_meet_nobody_and_those_that_go_would_meet_one_before(
    asked: list[Label],
) -> None:
    stays = apart(asked)
    kept = [label for label, stay in zip(asked, stays, strict=True) if stay]
    assert not any(a.meets(b) for i, a in enumerate(kept) for b in kept[:i])
    for i, label in enumerate(asked):
        before = [other for other, stay in zip(asked[:i], stays, strict=False) if stay]
        assert stays[i] != any(label.meets(other) for other in before)


def test_a_text_that_ends_at_a_place_is_beside_one_that_begins_there() -> None:
    ends, begins = Label("12", 100.0, 0.0, "right"), Label("12", 101.0, 0.0, "left")
    assert not ends.meets(begins)
    assert ends.meets(Label("12", 99.0, 14.0, "left"))
    assert not ends.meets(Label("12", 99.0, 16.0, "left"))
