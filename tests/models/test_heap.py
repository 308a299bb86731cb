import subprocess
import sys

PROGRAM = """
import resource, sys
import numpy as np
from pipefl.models.heap import keep_freed_memory
if sys.argv[1] == "keep":
    assert keep_freed_memory()
faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    np.ones(5 << 20)  # 40 MB, which glibc always maps anew
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults)
"""


def test_memory_that_is_kept_is_not_fetched_again() -> None:
    def page_faults(how: str) -> int:
        command = [sys.executable, "-c", PROGRAM, how]
        return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    assert page_faults("keep") * 5 < page_faults("return")
