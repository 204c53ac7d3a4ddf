"""Settings of all tests: a cache of their own, which they share, and warnings as errors."""
# SPDX-License-Identifier: Apache-2.0

import importlib
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import support

from spc import tensors
from spc.call import copies
from spc.compiler import cache

KEPT = (copies._copier, importlib.import_module("spc.einsum")._kernel, tensors._converter)


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPC_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


def forget_what_is_kept(level):
    """Kernels of the package that tests before this one have made at another level."""
    if support.level != level:
        support.level = level
        for kept in KEPT:
            kept.cache_clear()


@pytest.fixture(autouse=True)
def level(request, monkeypatch):
    """Compiles kernels of tests at -O0, unless they say a level or are marked optimised; those that the package keeps are of
    tests of one level alone."""
    if request.node.get_closest_marker("optimised") or os.environ.get("SPC_TEST_ALL"):
        forget_what_is_kept("")
        yield
        return
    made = cache.Request.__init__

    def unoptimised(self, text, name, formats, types, indices, options=(), files={}, constants={}):
        said = any(option.startswith("-O") for option in options)
        made(self, text, name, formats, types, indices, tuple(options) if said else (*options, "-O0"), files, constants)

    monkeypatch.setattr(cache.Request, "__init__", unoptimised)
    forget_what_is_kept("-O0")
    yield


def pytest_configure(config):
    config.addinivalue_line("markers", "optimised: is about what kernels compute, too: it compiles them as users do. Others "
                                       "compile at -O0, unless SPC_TEST_ALL is set")
    config.addinivalue_line("filterwarnings", "error")
    config.addinivalue_line("filterwarnings", "ignore:Sparse CSR tensor support is in beta state:UserWarning")
