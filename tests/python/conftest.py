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


@pytest.fixture(autouse=True)
def level(request, monkeypatch):
    """Compiles kernels of tests that are marked unoptimised at -O0, unless they say a level; those that the package keeps
    are of these tests alone."""
    if not request.node.get_closest_marker("unoptimised") or os.environ.get("SPC_TEST_ALL"):
        yield
        return
    made = cache.Request.__init__

    def unoptimised(self, text, name, formats, types, indices, options=(), files={}):
        said = any(option.startswith("-O") for option in options)
        made(self, text, name, formats, types, indices, tuple(options) if said else (*options, "-O0"), files)

    monkeypatch.setattr(cache.Request, "__init__", unoptimised)
    monkeypatch.setattr(support, "level", "-O0")
    for kept in KEPT:
        kept.cache_clear()
    yield
    for kept in KEPT:
        kept.cache_clear()


def pytest_configure(config):
    config.addinivalue_line("markers", "unoptimised: is about the package, whatever code kernels become: it compiles them at "
                                       "-O0, unless SPC_TEST_ALL is set")
    config.addinivalue_line("filterwarnings", "error")
    config.addinivalue_line("filterwarnings", "ignore:Sparse CSR tensor support is in beta state:UserWarning")
