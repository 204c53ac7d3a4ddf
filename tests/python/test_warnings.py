"""What the compiler warns of, Python warns of where a kernel is called, whatever the types and the way to the kernel."""
# SPDX-License-Identifier: Apache-2.0

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import spc

TYPES = ["int8", "int16", "int32", "uint8", "uint16", "float16", "float32", "float64"]
SPREAD = "A(i,j) = x(i)"  # of which the compiler says that j indexes nothing


def warned(function):
    """The one warning of a call, which has to be of this file."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        function()
    ours = [warning for warning in said if issubclass(warning.category, spc.SpcWarning)]
    assert len(ours) == 1 and ours[0].filename == __file__, [str(warning) for warning in ours]
    return str(ours[0].message)


@pytest.mark.parametrize("dtype", TYPES)
def test_ways_to_a_kernel(dtype):
    x = np.ones(3, dtype)
    for copying in (False, True):
        for call in (lambda spread: spread(x, sizes={"j": 2}), lambda spread: spread(x=x, sizes={"j": 2}),
                     lambda spread: spread.bind(x, sizes={"j": 2})):
            spread = spc.kernel(SPREAD, copy=copying)  # each kernel says it once, from the cache as well
            assert "'j' indexes nothing" in warned(lambda: call(spread))
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                call(spread)


def test_plans_and_einsum():
    import scipy.sparse as sp
    a = sp.random(6, 6, 0.5, "csr", random_state=1)
    product = spc.kernel("C(i,l) = A(i,j) * B(j,l)", A="csr", B="csr", C="csc")
    assert "C" in warned(lambda: product.plan(a, a))
    out = np.empty((6, 6))
    assert "is dense, though only sparse operands" in warned(lambda: spc.einsum("ij,jk->ik", a, a, out=out))


@pytest.mark.parametrize("dtype", ["int8", "int16", "float16", "bfloat16", "float32"])
def test_operators(dtype):
    torch = pytest.importorskip("torch")
    import spc.torch  # takes a second
    x = torch.ones(3, dtype=getattr(torch, dtype))
    assert "indexes nothing" in warned(lambda: spc.torch.op(SPREAD)(x, sizes={"j": 2}))
    batch = torch.ones(2, 3, dtype=getattr(torch, dtype))
    assert "indexes nothing" in warned(lambda: spc.torch.op(SPREAD)(batch, sizes={"j": 2}))


def test_shown_by_default():
    """In processes that set no filters, whether the kernel is compiled or cached."""
    code = ("import numpy as np, spc\nspread = spc.kernel('A(i,j) = x(i) * 1')\n"
            "for _ in range(3):\n    spread(np.ones(3, np.int8), sizes={'j': 2})")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONWARNINGS"}
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60,
                              env=environment)
        assert done.stderr.count("'j' indexes nothing") == 1 and "<string>:4: SpcWarning" in done.stderr
