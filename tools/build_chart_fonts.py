"""Build the fonts of the charts: `python tools/build_chart_fonts.py FOLDER`.

FOLDER has DejaVuSans.ttf and DejaVuSans-Bold.ttf, version 2.37, as Debian's package
fonts-dejavu-core holds them. The results lie in `src/pipefl/report/fonts/`. It needs
`pip install fonttools`, and leaves out what no chart has: 62 kB instead of 1.5 MB.
"""

import subprocess
import sys
from pathlib import Path

TARGET = Path(__file__).parents[1] / "src" / "pipefl" / "report" / "fonts"
SIGNS = (
    "20-7E,A0-FF",  # Latin letters with accents, figures, elementary signs
    "391-3A9,3B1-3C9",  # Greek letters
    "2010-2015,2018-201E,2020-2022,2026,2030,2032,2033",  # dashes, quotes, dots, primes
    "2070,2074-208E,2090-209C,1D62-1D6A,2C7C",  # superscripts and subscripts
    "2190-2193,21D2,2202,2206,2208,220F,2211,2212,221A,221E,2229,222A,2248,2260,2264,2265",
)


def main() -> None:
    """Write both fonts and say how large they are."""
    for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"):
        source, target = Path(sys.argv[1]) / name, TARGET / name
        command = [
            *(
                sys.executable,
                "-m",
                "fontTools.subset",
                str(source),
                f"--unicodes={','.join(SIGNS)}",
            ),
            *("--layout-features=kern", "--no-hinting", "--notdef-outline"),
            f"--output-file={target}",
        ]
        subprocess.run(command, check=True)  # noqa: S603  # arguments of ours and of whoever calls
        print(f"{target}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
