"""Imports within python/spc run one way, and only who asks for PyTorch imports it."""

import ast
import re
import unittest

from spc_case import ROOT

PACKAGE = ROOT / "python" / "spc"

# Each room of the package and the rooms that it may import from; what these reach is allowed as well. A room is a folder;
# "spc" is what lies in none, but for "errors": the modules that import nothing of the package.
ARROWS = {
    "errors": [],
    "storage": ["errors"],
    "compiler": ["storage"],
    "sources": ["compiler"],
    "call": ["sources"],
    "spc": ["call"],
    "scipy": ["spc"],
    "torch": ["spc"],
    "mpi": ["torch"],
    "pyg": ["torch"],
}
ERRORS = {"spc.errors", "spc.version"}
# Libraries that `import spc` leaves alone.
LATER = {"torch", "torch_geometric", "scipy", "sparse", "h5py", "dask", "mpi4py"}
TORCH_PRIVATE = "spc.sources.torch_private"
# What other classes and libraries keep private, and nothing else says.
PRIVATE = {("spc.call.threads", "_lock"), ("spc.compiler.cache", "_getframe"), ("spc.pyg.replaced", "_set_jittable_templates")}


def modules():
    """The text of each module of the package, by its name."""
    found = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = ("spc", *file.relative_to(PACKAGE).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file.read_text()
    return found


def room(module):
    """The room of a module, as ARROWS has it."""
    parts = module.split(".")
    if module in ERRORS:
        return "errors"
    return parts[1] if len(parts) > 1 and (PACKAGE / parts[1]).is_dir() else "spc"


def reachable(name):
    found = {name}
    for next_room in ARROWS[name]:
        found |= reachable(next_room)
    return found


def imports(module, tree, known, at_once=False):
    """What a module imports, be it in a function or for types alone: names of modules of the package, and of others as they
    stand there. With `at_once`, only what is imported along with it."""
    folder = module if module == "spc" or any(name.startswith(f"{module}.") for name in known) else module.rpartition(".")[0]
    inner = {id(node) for function in ast.walk(tree) if isinstance(function, (ast.FunctionDef, ast.Lambda))
             for node in ast.walk(function)}
    for node in ast.walk(tree):
        if at_once and id(node) in inner:
            continue
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = folder.split(".")[:len(folder.split(".")) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            for name in node.names:
                yield f"{source}.{name.name}" if f"{source}.{name.name}" in known else source


def wrong_way(module, target):
    """Whether an import of a module of the package runs against the arrows."""
    return target.split(".")[0] == "spc" and room(target) not in reachable(room(module))


def circles(edges):
    """The modules from which imports lead back to them."""
    rest = {module: set(targets) for module, targets in edges.items()}
    while free := {module for module, targets in rest.items() if not targets & set(rest)}:
        rest = {module: targets for module, targets in rest.items() if module not in free}
    return sorted(rest)


def private_names(module, tree):
    """Names with an underscore of what is not the class's own, with their lines; `other` is of the same class."""
    own = {"self", "cls", "other"}
    return [f"{module}:{node.lineno}: {node.attr}" for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and re.match(r"_(?!_)", node.attr) and module != TORCH_PRIVATE and
            not (isinstance(node.value, ast.Name) and node.value.id in own) and (module, node.attr) not in PRIVATE]


class Imports(unittest.TestCase):
    def setUp(self):
        self.trees = {module: ast.parse(text, feature_version=(3, 9)) for module, text in modules().items()}

    def edges(self, **options):
        return {module: set(imports(module, tree, self.trees, **options)) for module, tree in self.trees.items()}

    def test_the_rule_catches_what_it_should(self):
        self.assertTrue(wrong_way("spc.storage.view", "spc.sources"))
        self.assertTrue(wrong_way("spc.call.results", "spc.torch.matrix"))
        self.assertTrue(wrong_way("spc.errors", "spc.storage.view"))
        self.assertTrue(wrong_way("spc.sources.torch", "spc.kernel"))
        self.assertFalse(wrong_way("spc.torch.matrix", "spc.call.results"))
        self.assertFalse(wrong_way("spc.call.results", "numpy"))
        known = {"spc", "spc.a", "spc.a.b", "spc.a.c", "spc.d"}
        tree = ast.parse("from . import c\nfrom ..d import x\ndef f():\n    from .. import y\n    import torch")
        self.assertEqual(set(imports("spc.a.b", tree, known)), {"spc.a.c", "spc.d", "spc", "torch"})
        self.assertEqual(set(imports("spc.a.b", tree, known, at_once=True)), {"spc.a.c", "spc.d"})
        self.assertEqual(set(imports("spc.a", ast.parse("from .b import x"), known)), {"spc.a.b"})
        self.assertEqual(circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"e"}}), ["a", "b", "c"])
        self.assertEqual(circles({"a": {"b", "numpy"}, "b": {"c"}, "c": set()}), [])
        self.assertEqual(private_names("m", ast.parse("self._a\ncls._b\nx.__len__\nx._c")), ["m:4: _c"])

    def test_every_folder_is_known(self):
        folders = {path.parent.name for path in PACKAGE.glob("*/*.py")}
        self.assertEqual(folders, set(ARROWS) - {"errors", "spc"})

    def test_imports_run_one_way(self):
        edges = self.edges()
        self.assertGreater(sum(map(len, edges.values())), 200)
        self.assertEqual([f"{module} imports {target}" for module, targets in edges.items() for target in sorted(targets)
                          if wrong_way(module, target)], [])

    def test_no_import_leads_back(self):
        self.assertEqual(circles(self.edges()), [])

    def test_libraries_are_imported_where_they_are_used(self):
        edges, reached, rest = self.edges(at_once=True), set(), ["spc"]
        while rest:
            module = rest.pop()
            if module not in reached:
                reached.add(module)
                rest += [*edges.get(module, ()), *([module.rpartition(".")[0]] if "." in module else [])]
        self.assertIn("spc.call.variant", reached)
        self.assertEqual({name.split(".")[0] for name in reached} & LATER, set())

    def test_private_names_stay_private(self):
        self.assertEqual([name for module, tree in self.trees.items() for name in private_names(module, tree)], [])


if __name__ == "__main__":
    unittest.main()
