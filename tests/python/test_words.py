"""What the compiler says of options, Python says of arguments."""
# SPDX-License-Identifier: Apache-2.0

import pathlib
import re

import numpy as np
import pytest
from support import matrix

import spc
from spc.compiler import toolchain
from spc.compiler.words import in_python

SAID = {
    "help: bind it, for instance --format A=csr": 'help: bind it, for instance A="csr"',
    "help: it may be --format C=csf:2,0,1, or --format C=dense": 'help: it may be C="csf:2,0,1", or C="dense"',
    "help: a format that stores less, with --format y=..., may help": 'help: a format that stores less, with y="...", may help',
    "help: as in --type f32 and --type A=f32": 'help: as in types={"": "f32"} and types={"A": "f32"}',
    "help: write --index A=i64": 'help: write indices={"A": "i64"}',
    "help: --fp=distribute allows that; where": 'help: options=["--fp=distribute"] allows that; where',
    "help: leave out --checked, or": 'help: leave out options=["--checked"], or',
    "help: give another with --name, for instance --name=my_kernel": 'help: give another with name=, for instance name="my_kernel"',
    "help: give one with --name=NAME, or a line": 'help: give one with name="NAME", or a line',
    "error: unknown option '--std' [unknown-option]": "error: unknown option '--std' [unknown-option]",
    "    1 | y(i) = x(i) --format A=csr": "    1 | y(i) = x(i) --format A=csr",
    "<--format>:1:1: error: no tensor 'T' [x]\n    1 | T=csf\n      | ^~~~~\nhelp: there": "error: no tensor 'T' [x]\nhelp: there",
}


@pytest.mark.parametrize("said", SAID)
def test_words(said):
    assert in_python(said) == SAID[said]


def test_errors():
    with pytest.raises(spc.CompileError, match=r"^error: the kernel has no tensor 'T' \[unknown-binding\]\nhelp: its tensors"):
        spc.kernel("y(i) = A(i,j) * x(j)", T="csf")
    with pytest.raises(spc.CompileError, match=r"^A\.json:1:\d+: error: unknown key 'width'"):
        spc.kernel("y(i) = A(i,j) * x(j)", A={"width": 3})


@pytest.mark.parametrize("value", ["first", {"a": 3}, "csf:9"])
def test_values_of_names_that_no_tensor_has(value):
    with pytest.raises(spc.CompileError, match=r"^error: the kernel has no tensor 'foo' \[unknown-binding\]\nhelp: its tensors"):
        spc.kernel("y(i) = A(i,j) * x(j)", foo=value)


def test_warnings():
    with pytest.warns(spc.SpcWarning, match='to say what is meant: C="csr", for instance, or C="dense"'):
        spc.kernel("C(i,l) = A(i,j) * B(j,l)")(matrix(4, 4), matrix(4, 4), out=np.empty((4, 4)))


@pytest.mark.parametrize("name, meant", [("typs", "types"), ("type", "types"), ("format", "formats"), ("option", "options"),
                                         ("index", "indices"), ("validation", "validate"), ("tune", "tuned")])
def test_misspelt_arguments(name, meant):
    with pytest.raises(spc.ArgumentTypeError, match=f"the kernel has no tensor '{name}': did you mean {meant}=?"):
        spc.kernel("y(i) = A(i,j) * x(j)", **{name: "csr"})


def test_misspelt_arguments_that_are_no_formats():
    with pytest.raises(spc.ArgumentTypeError, match="no tensor 'optoins': did you mean options=?"):
        spc.kernel("y(i) = A(i,j) * x(j)", optoins=["-O0"])
    with pytest.raises(spc.ArgumentTypeError, match="a schedule is a key of a tensor's format"):
        spc.kernel("y(i) = A(i,j) * x(j)", schedule={"tile": 4})


def test_tensors_that_are_called_as_arguments_nearly_are():
    names = spc.kernel("y(i) = type(i,j) * x(j)", type="csr")
    assert np.allclose(names(matrix(4, 4), np.ones(4)), matrix(4, 4) @ np.ones(4))


@pytest.mark.parametrize("option, instead", [("--type=T=f32", "types="), ("--index=i64", "indices="), ("--name=k", "name="),
                                             ("--format=A=csr", 'A="csr"')])
def test_options_that_are_arguments(option, instead):
    with pytest.raises(ValueError, match=f"is the package's own to give: {instead}"):
        spc.kernel("y(i) = A(i,j) * x(j)", options=[option])


def test_the_version():
    text = (pathlib.Path(__file__).resolve().parent.parent.parent / "CMakeLists.txt").read_text(encoding="utf-8")
    assert spc.__version__ == re.search(r"project\(\s*\w+\s+VERSION\s+([\d.]+)", text)[1]
    assert toolchain.version().split()[1] == spc.__version__
