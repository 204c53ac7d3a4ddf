"""What spc.pyg takes: versions of PyG, and from how much work on."""
# SPDX-License-Identifier: Apache-2.0

from typing import Dict

#: Versions of PyG whose layers are known.
VERSIONS = ("2.8",)
#: The least work that is given to kernels, as numbers that messages would hold: edges times channels of all heads. Below, PyG's
#: own code runs. bench/python/pyg.py shows where it is overtaken.
THRESHOLDS: Dict[str, int] = {"messages": 20_000}
