"""The models of examples/models: as kernels, beside PyTorch and the same layers as text, and as objects that a C++ program calls."""
# SPDX-License-Identifier: Apache-2.0

import inspect
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import spc
from spc.compiler import toolchain

torch = pytest.importorskip("torch")
import spc.torch  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples" / "models"
sys.path.insert(0, str(EXAMPLES))
import export as exporting  # noqa: E402
import models  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Sparse CSR", "ignore:Sparse invariant", "ignore:.*in beta")
NAMES = ["gcn", "gin", "gat", "block24", "blocks", "attention", "convolution", "experts"]
FORMATS = {"gat": ["adj=csr", "both=dense"], "gcn": ["adj=csr"], "gin": ["adj=csr"], "attention": ["mask=csr"],
           "block24": ["up_weight=nm-2-4", "down_weight=nm-2-4"], "blocks": ["up_weight=bsr", "down_weight=bsr"]}


@pytest.fixture(scope="module")
def karate():
    return models.everything(exporting.graph())


def of_random_graph(arguments):
    """Arguments of other sizes: a random graph with a vertex that has no neighbours, and features of as many vertices."""
    made = sp.random(50, 50, 0.1, "csr", np.float32, random_state=5)
    adj = torch.from_numpy(made.toarray()).to_sparse_csr()
    torch.manual_seed(2)
    return (torch.randn(50, arguments[0].shape[1]), *[adj if one.layout is torch.sparse_csr else one for one in arguments[1:]])


def same(made, wanted):
    torch.testing.assert_close(made, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_models_are_as_pytorch(karate, name):
    model, arguments, formats = karate[name]
    made = spc.torch.compile(model, arguments, formats=formats, options=["-O0"])
    same(made(*arguments), exporting.expected(model, arguments))
    others = of_random_graph(arguments)
    # Coordinates: torch has no softmax of a row without entries in its other layouts.
    same(made(*others), exporting.expected(model, others))
    assert made.front == ("torch.export" if hasattr(torch, "export") else "torch.fx")


@pytest.mark.parametrize("name", sorted(one.stem for one in EXAMPLES.glob("*.mlir")))
def test_modules_are_as_pytorch(karate, name):
    model, arguments, _ = karate[name]
    made = spc.torch.op((EXAMPLES / f"{name}.mlir").read_text(), options=["-O0"])
    parameters = {path.replace(".", "_"): value for path, value in model.named_parameters()}
    for given in (arguments, of_random_graph(arguments) if name != "convolution" else arguments):
        named = dict(zip(inspect.signature(model.forward).parameters, given))
        same(made(**{one: {**parameters, **named}[one] for one in made.inputs}), exporting.expected(model, given))


def loops(plan):
    """The loops of a plan, in which names say nothing but what is the same."""
    known, lines = {}, []
    for line in plan.partition("\n\n")[2].split("\n"):
        over, own = re.match(r"  for (.*?): ", line), {}
        for index in over[1].split(", ") if over else ():
            own.setdefault(re.match(r"[\w$]+", index)[0], f"index{len(own)}")
        lines.append(re.sub(r"[A-Za-z_$][\w$@']*", lambda word: own.get(word[0]) or known.setdefault(word[0], f"n{len(known)}"), line))
    return lines


@pytest.mark.parametrize("name", NAMES)
def test_plans_are_those_of_the_layers_as_text(karate, name, tmp_path):
    model, arguments, formats = karate[name]
    spc.torch.export(model, tmp_path / "model.plan", arguments, formats=formats, options=["--emit=plan"])
    text = EXAMPLES / f"{'block' if name.startswith('block') else name}.tex"
    said = [part for one in FORMATS.get(name, ()) for part in ("--format", one)]
    toolchain.run(["compile", "-q", str(text), *said, "--emit=plan", "-o", str(tmp_path / "text.plan")])
    assert loops((tmp_path / "model.plan").read_text()) == loops((tmp_path / "text.plan").read_text())


def test_a_program_calls_the_objects(tmp_path):
    exporting.main(tmp_path, ["-O0"])
    objects = [str(one) for one in sorted(tmp_path.glob("*.o"))]
    assert len(objects) == len(NAMES)
    subprocess.run(["c++", "-std=c++20", f"-I{tmp_path}", f"-I{ROOT / 'include'}", str(EXAMPLES / "app.cpp"), *objects,
                    "-o", str(tmp_path / "app")], check=True)
    done = subprocess.run([tmp_path / "app", tmp_path], check=True, capture_output=True, text=True)
    assert len(re.findall("as PyTorch$", done.stdout, re.MULTILINE)) == len(NAMES)


def test_parameters_are_operands_by_their_names(tmp_path):
    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.up = torch.nn.Linear(3, 2)

        def forward(self, x, unused):
            return torch.relu(self.up(x))
    text = spc.torch.export(Layer(), tmp_path / "layer.o", (torch.rand(4, 3), torch.rand(2)), options=["-O0"])
    assert text.startswith("kernel layer(x, up_weight, up_bias) -> (out)\n")
    assert re.search(r"^ \*   up_weight +in, 2 x 3; dense", (tmp_path / "layer.h").read_text(), re.MULTILINE)
    text = spc.torch.export(Layer(), tmp_path / "layer.o", (torch.rand(4, 3), torch.rand(2)), constants=True, options=["-O0"])
    assert text.startswith("kernel layer(x) -> (out)\n")


def export_command(*arguments, folder):
    return subprocess.run([sys.executable, "-m", "spc.torch", "export", *arguments], cwd=folder, capture_output=True, text=True,
                          check=False)


@pytest.mark.skipif(hasattr(torch, "export"), reason="this PyTorch reads exported programs")
def test_old_versions_say_that_they_read_no_programs(tmp_path):
    done = export_command("model.pt2", folder=tmp_path)
    assert done.returncode == 1 and "reads no exported programs" in done.stderr


@pytest.mark.skipif(not hasattr(torch, "export"), reason="of PyTorch 2")
def test_files_of_exported_programs(tmp_path, karate):
    model, (x, adj), _ = karate["gcn"]
    auto = torch.export.Dim.AUTO
    program = torch.export.export(model, (x, adj.to_dense()), dynamic_shapes=({0: auto}, {0: auto, 1: auto}))
    torch.export.save(program, tmp_path / "gcn.pt2")
    done = export_command("gcn.pt2", "-o", "small.o", "--format", "adj=csr", "--name=small", "-O0", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    header = (tmp_path / "small.h").read_text()
    assert re.search(r"adj +in, x_0 x x_0; \(i: dense, j: compressed\)", header) and "layers_0_weight" in header
    done = export_command("gcn.pt2", "--format=adj=csr", "--constants", "--emit=kernel", "-o", "-", folder=tmp_path)
    assert done.returncode == 0 and "kernel gcn(x, adj) -> out" in done.stdout.replace("(out)", "out"), done.stdout + done.stderr
    torch.export.save(program.run_decompositions(), tmp_path / "core.pt2")
    done = export_command("core.pt2", "--format=adj=csr", "--emit=plan", "-o", "core.plan", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    wanted = export_command("gcn.pt2", "--format=adj=csr", "--emit=plan", "-o", "gcn.plan", folder=tmp_path)
    assert wanted.returncode == 0
    assert export_command("gcn.pt2", "--format=adj=csr", "--nonsense", folder=tmp_path).returncode == 2
    for name, said in (("none.pt2", "no such file"), ("small.h", "no program that torch.export.save has written")):
        done = export_command(name, folder=tmp_path)
        assert done.returncode == 1 and said in done.stderr


def test_the_page_shows_what_the_files_have():
    page = (ROOT / "docs" / "models.md").read_text()
    shown = re.findall(r"^```(python)?\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    texts = {"python": (EXAMPLES / "models.py").read_text(), "": "".join(one.read_text() for one in EXAMPLES.glob("*.tex"))}
    assert len(shown) > 8
    for language, text in shown:
        assert text in texts[language], text
