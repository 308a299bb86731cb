import os
from platform import python_version

from pipefl.runs.machine import machine


def test_the_machine_is_described_in_words() -> None:
    found = machine()
    assert found["cores"] == str(os.cpu_count())
    assert found["python"].endswith(python_version())
    assert found["memory"].endswith(" GiB")
    assert all(text and "\n" not in text for text in found.values())
