"""The examples of examples/python run, and find what they look for."""
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import re
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "python"


def run(name, *arguments):
    """What an example prints."""
    done = subprocess.run([sys.executable, FOLDER / name, *arguments], capture_output=True, text=True, check=False,
                          timeout=120, env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_pagerank(tmp_path):
    assert "the ranks add up to 1.000000" in run("pagerank.py")
    (tmp_path / "star.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n4 4 3\n2 1\n3 1\n4 1\n")
    printed = run("pagerank.py", tmp_path / "star.mtx")
    # All ranks add up to 1, and the outer nodes have what is spread: 0.15, and what the node in the middle holds.
    x = float(re.search(r"node 0: (\S+)", printed)[1])
    y = float(re.search(r"node 1: (\S+)", printed)[1])
    assert abs(x + 3 * y - 1) < 1e-5 and abs(y - (0.15 + 0.85 * x) / 4) < 1e-5


def test_cp_als():
    printed = run("cp_als.py", "--sweeps", "30")
    assert float(re.search(r"rank 4: (\S+) of the norm is left", printed)[1]) < 1e-3, printed


def test_cells_on_dask():
    pytest.importorskip("dask.array", reason="dask is not installed: 'apt install python3-dask'")
    assert "ok: 300 cells in 3 blocks" in run("../dask/cells.py", "300", "50", "3")


@pytest.mark.parametrize("example, networks", [("gcn.py", 2), ("gat.py", 3)])
def test_networks(example, networks):
    pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")
    printed = run(example, "--epochs", "30")
    accuracies = [float(number) for number in re.findall(r"accuracy (\S+),", printed)]
    assert len(accuracies) == networks and min(accuracies) > 0.8, printed
    assert max(accuracies) - min(accuracies) < 0.03
    assert float(re.search(r"differ by (\S+) at most", printed)[1]) < 1e-5
