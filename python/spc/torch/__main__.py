"""Objects of exported models: `python -m spc.torch export model.pt2 -o model.o`."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import sys

from ..errors import Error
from .objects import compile_file


def main() -> int:
    """Compiles what the command line says; returns the exit code of `spc compile`."""
    parser = argparse.ArgumentParser(prog="python -m spc.torch", description="Kernels of PyTorch's exported models.")
    commands = parser.add_subparsers(dest="command", required=True)
    export = commands.add_parser(
        "export", help="compile a file of torch.export.save to an object and a C header",
        description="Compiles a file of torch.export.save to an object and a C header. All other options are those of spc compile.")
    export.add_argument("model", help="the file, .pt2")
    export.add_argument("-o", "--output", help="output file (default: the model's stem with .o); the header lands beside it")
    export.add_argument("--name", help="name of the function (default: the output's stem)")
    export.add_argument("--constants", action="store_true", help="parameters in the object, in place of operands")
    said, rest = parser.parse_known_args()
    try:
        return compile_file(said.model, rest, said.output, said.name, said.constants)
    except Error as error:
        print(f"python -m spc.torch: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
