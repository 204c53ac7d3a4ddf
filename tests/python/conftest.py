"""Settings of all tests: a cache of their own, which they share, and warnings as errors."""
# SPDX-License-Identifier: Apache-2.0

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPC_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


def pytest_configure(config):
    config.addinivalue_line("filterwarnings", "error")
    config.addinivalue_line("filterwarnings", "ignore:Sparse CSR tensor support is in beta state:UserWarning")
