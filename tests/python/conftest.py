"""Settings of all tests: a cache of their own, which they share, and warnings as errors."""
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from support import kernel  # noqa: E402
from spc import cache  # noqa: E402


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPC_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True, scope="module")
def level(request):
    """Compiles kernels of files that are marked unoptimised at -O0, unless they say another level."""
    if not request.node.get_closest_marker("unoptimised") or os.environ.get("SPC_TEST_ALL"):
        yield
        return
    made = cache.Request.__init__

    def unoptimised(self, text, name, formats, types, indices, options=(), files={}):
        own = () if any(option.startswith("-O") for option in options) else ("-O0",)
        made(self, text, name, formats, types, indices, (*options, *own), files)

    kernel.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache.Request, "__init__", unoptimised)
        yield
    kernel.cache_clear()


def pytest_configure(config):
    config.addinivalue_line("markers", "unoptimised: what a file's tests are about is the package, whatever the code that "
                                       "kernels become; that is tested in C++, and by the files without this mark")
    config.addinivalue_line("filterwarnings", "error")
    config.addinivalue_line("filterwarnings", "ignore:Sparse CSR tensor support is in beta state:UserWarning")
