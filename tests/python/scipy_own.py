"""SciPy's own tests with spc.scipy enabled, under one interpreter: scipy_own.sh calls this. Arguments go to pytest."""
# SPDX-License-Identifier: Apache-2.0

import os
import sys

import pytest
import scipy

import spc.scipy
from spc.scipy import kernels

COMMAND = ["--pyargs", "scipy.sparse", "-q", "-p", "no:cacheprovider", "--tb=no", "--show-capture=no",
           "-W", "ignore::DeprecationWarning", "-W", "ignore::PendingDeprecationWarning"]


class Outcomes:
    """Which tests failed, and how many there were. A plugin of pytest's."""

    def __init__(self, names=None):
        self.names, self.failed, self.passed = names, set(), 0

    def pytest_collection_modifyitems(self, items):
        if self.names is not None:
            items[:] = [item for item in items if item.nodeid in self.names]

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.add(report.nodeid)
        elif report.when == "call" and report.passed:
            self.passed += 1


def run_counted(arguments):
    """The outcomes while spc.scipy is enabled, and how many calls kernels took."""
    calls, run = [0], kernels.run

    def counted(*operands, **sizes):
        result = run(*operands, **sizes)
        calls[0] += result is not None
        return result

    kernels.run, kernels.has_threads = counted, lambda: True
    for operation in spc.scipy.THRESHOLDS:
        spc.scipy.THRESHOLDS[operation] = 0
    outcomes = Outcomes()
    with spc.scipy.enabled():
        pytest.main([*COMMAND, *arguments], plugins=[outcomes])
    return outcomes, calls[0]


def main():
    os.environ.setdefault("SPC_NUM_THREADS", "2")
    outcomes, calls = run_counted(sys.argv[1:])
    differing = set()
    if outcomes.failed:
        alone = Outcomes(outcomes.failed)
        pytest.main([*COMMAND, *sys.argv[1:]], plugins=[alone])
        differing = outcomes.failed - alone.failed
    print(f"SciPy {scipy.__version__}: {outcomes.passed} tests passed with {calls} calls of kernels, "
          f"{len(outcomes.failed)} failed, of which SciPy alone passes {len(differing)}", *sorted(differing), sep="\n  ")
    return 1 if differing or not outcomes.passed or not calls else 0


if __name__ == "__main__":
    sys.exit(main())
