"""Build the font of the documentation's equations: `python tools/build_math_font.py FILE`.

FILE is STIXTwoMath-Regular.ttf, version 2.11, as the pip package ziamath 0.13 holds it. The result
lies beside `docs/assets/site.css`. It needs `pip install fonttools brotli`, and has the signs of
equations only, without hinting and alternative shapes: 47 kB instead of 1.5 MB.
"""

import subprocess
import sys
from pathlib import Path

TARGET = Path(__file__).parents[1] / "docs" / "assets" / "stix-two-math.woff2"
SIGNS = (
    "20-7E,A0,AC,AF,B1-B3,B7,B9,D7,F7",  # Latin letters, figures, elementary signs
    "131,237,2C6,2DC,302-305,307,308,30C,338,20D7,203E",  # accents, and what they stand on
    "391-3C9,3D1,3D5,3F0,3F1,3F5",  # Greek letters
    "2013,2014,2016,2020,2026,2032-2034,2061-2064",  # dashes, dots, primes, invisible operators
    "210B,2110,2112,2113,2115,211B,211D,212C,2130,2131,2133",  # script and double-struck letters
    "2190-2195,21D0-21D4,27FA",  # arrows
    "2200-222A,2234,2248,2254,2260,2261,2264,2265,226A,226B,2282-228B,2295-2299,22A4,22A5",
    "22C0-22C6,22EE-22F1,2308-230B,27E8,27E9",  # large operators, brackets
    "1D400-1D467,1D49C-1D4CF,1D6A8-1D71B",  # bold, italic and script alphabets
)


def main() -> None:
    """Write the font and say how large it is."""
    command = [
        *(sys.executable, "-m", "fontTools.subset", sys.argv[1], f"--unicodes={','.join(SIGNS)}"),
        *("--flavor=woff2", "--layout-features=", "--no-hinting", "--notdef-outline"),
        f"--output-file={TARGET}",
    ]
    subprocess.run(command, check=True)  # noqa: S603  # arguments of ours and of whoever calls
    print(f"{TARGET}: {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
