import subprocess
import sys


def test_importing_it_loads_neither_scipy_nor_other_parts_of_pipefl() -> None:
    script = "import sys, pipefl.wireless; print(*sys.modules)"
    command = [sys.executable, "-c", script]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert not {"scipy", "polars", "torch"} & set(loaded)
    others = {name.split(".")[1] for name in loaded if name.startswith("pipefl.")}
    assert others <= {"wireless", "arrays", "checks", "errors", "randomness"}
