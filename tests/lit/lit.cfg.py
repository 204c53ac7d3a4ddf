import os

import lit.formats

config.name = "spc"
config.test_format = lit.formats.ShTest(True)
# spc-opt verifies after each pass by itself.
config.substitutions.append((r"\bspc compile\b", "spc compile --verify"))
config.suffixes = [".mlir", ".tex"]
config.test_source_root = os.path.join(config.spc_source_dir, "tests", "lit")
config.test_exec_root = os.path.join(config.spc_binary_dir, "tests", "lit")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.spc_binary_dir, "bin"), config.llvm_tools_dir, config.environment["PATH"]]
)
# Freed memory is overwritten, so that a pass that reads it fails each time.
config.environment |= {"MALLOC_PERTURB_": "165", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
