"""Random programs of index equations: windows, shifts, gathers, scatters, conditions on indices (ties.py); where, argmin,
top, accumulation, concatenation and the like (constructs.py); other reductions and semirings, fills, and statements that read
what earlier ones compute (semirings.py); all of these with each other (forms.py, combinations.py). Each is evaluated here,
point by point, compiled and run, and compared with what `spc run --check` makes of its text.

    random_programs.py SPC FIRST COUNT [--counts]    exits with 1 where a result is wrong
"""
# SPDX-License-Identifier: Apache-2.0

import collections
import os
import re
import sys
import tempfile

try:
    import numpy  # noqa: F401
except ModuleNotFoundError: # the system's interpreter may have it
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

from combinations import Combined
from constructs import Construct
from semirings import Semirings
from ties import Ties

KINDS = [Construct, Combined, Ties, Semirings, Combined]


def main():
    spc, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    drawn, outcomes, refusals = collections.Counter(), collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            program = KINDS[seed % len(KINDS)](seed, drawn)
            wrong = program.run(os.path.abspath(spc), folder)
            if wrong is None:
                refusals[re.sub(r"'[^']*'", "'..'", program.refusal)] += 1
            outcomes["refused" if wrong is None else "wrong" if wrong else "right"] += 1
            if wrong:
                print(f"seed {seed}: {wrong}\n{program.source()}\n{program.formats} {program.sizes} k={program.k}\n")
    print(", ".join(f"{number} {what}" for what, number in outcomes.items()))
    if "--counts" in sys.argv:
        print("\n".join(f"{number:6} {what}" for what, number in [*sorted(drawn.items()), *refusals.items()]))
    return 1 if outcomes["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
