"""docs/beyond-one-machine.md: its commands print what it shows."""

import re
import unittest

from kernels_way_test import EXAMPLE
from spc_case import ROOT, SPC, SpcCase

PAGE = ROOT / "docs" / "beyond-one-machine.md"


class Beyond(SpcCase):
    def test_commands_print_what_is_shown(self):
        (self.folder / "spc").symlink_to(SPC)
        examples = EXAMPLE.findall(PAGE.read_text())
        self.assertGreater(len(examples), 4)
        for command, output in examples:
            if command.startswith("cat "):
                self.write(command[len("cat "):], re.sub(r"^    ", "", output, flags=re.MULTILINE))
                continue
            with self.subTest(command=command):
                printed = self.command("bash", "-c", f'PATH="$PWD:$PATH"; {command}').stdout.rstrip("\n") + "\n"
                self.assertEqual(re.sub(r"^(?=.)", "    ", printed, flags=re.MULTILINE), output.rstrip("\n") + "\n")


if __name__ == "__main__":
    unittest.main()
