"""spc formats: the list, and what is shown of one format."""

import re
import unittest

from spc_case import ROOT, SPMV, SpcCase

CSR = """csr: Compressed sparse rows
levels: (i: dense, j: compressed), pointers i32, indices i32

typedef struct spc_csr_f64_i32 {
  int64_t nrows; /* extent of dimension 0 */
  int64_t ncols; /* extent of dimension 1 */
  int64_t nnz; /* stored values */
  const int32_t *row_ptr; /* where the entries of each parent begin in level 1, then their number */
  const int32_t *col_ind; /* coordinates of level 1, j */
  const double *values; /* stored values, in the order of the entries */
} spc_csr_f64_i32;

  1  2  .  .
  .  .  .  .
  3  .  4  .
  .  .  .  5

  row_ptr: 0 2 2 4 5
  col_ind: 0 1 0 2 3
  values: 1 2 3 4 5
"""


def shipped():
    return sorted(path.stem for path in (ROOT / "formats").glob("*.json") if path.stem != "format.schema")


class Formats(SpcCase):
    optimised = False

    def test_lists_every_format_with_its_arrays(self):
        text = self.spc("formats").out
        self.assertTrue(text.startswith("Built in:\n\n"), text)
        listed = re.findall(r"^(\S+) +\S.*\n +arrays: .*values$", text, re.MULTILINE)
        self.assertEqual(listed, shipped())
        self.assertIn("arrays: row_ptr, col_ind, values", text)

    def test_says_where_formats_lie(self):
        for folder, name in (("rows", "csr"), ("more", "csr"), ("more", "mine")):
            self.write(f"{folder}/{name}.json", (ROOT / "formats" / "csc.json").read_text())
        places = re.split(r"^(In .*|Built in):\n", self.spc("formats", "--format-path", "rows",
                                                           env={"SPC_FORMAT_PATH": "more"}).out, flags=re.MULTILINE)
        self.assertEqual(places[1::2], ["In rows", "In more", "Built in"])
        for text, names in zip(places[2::2], (["csr"], ["mine"], [name for name in shipped() if name != "csr"])):
            self.assertEqual(re.findall(r"^(\S+) ", text, re.MULTILINE), names)

    def test_prints_files(self):
        for name in shipped():
            self.assertEqual(self.spc("formats", name, "--json").out, (ROOT / "formats" / f"{name}.json").read_text())
        self.assertEqual(self.spc("formats", "csr", "csc", "--json").out,
                         "".join((ROOT / "formats" / f"{name}.json").read_text() for name in ("csr", "csc")))
        self.assertIn("[unknown-format]", self.spc("formats", "crs", "--json", expect=1).err)
        self.assertIn("mode order", self.spc("formats", "csr:1,0", "--json", expect=1).err)
        self.spc("formats", "--json", expect=2)

    def test_shows_levels_struct_and_example(self):
        self.assertEqual(self.spc("formats", "csr").out, CSR)

    def test_shows_several_in_the_order_given(self):
        text = self.spc("formats", "csr", "csc").out
        self.assertTrue(text.startswith(CSR))
        self.assertIn("csc: Compressed sparse columns", text[len(CSR):])

    def test_every_shipped_format_has_an_example(self):
        for name in shipped():
            with self.subTest(format=name):
                self.assertRegex(self.spc("formats", name).out, r"\n  values: [0-9. ]+")

    def test_the_struct_is_that_of_the_header(self):
        self.write("spmv.tex", SPMV)
        for name in ("csr", "csr-lengths", "ell", "ell16", "bsr-cm", "coo-aos", "dia", "lower", "sym-csr", "nm-2-4"):
            with self.subTest(format=name):
                struct = re.search(r"typedef struct .*?\n} \w+;\n", self.spc("formats", name).out, re.DOTALL).group()
                self.spc("compile", "spmv.tex", "--format", f"A={name}", "-o", "spmv.o")
                self.assertIn(struct, (self.folder / "spmv.h").read_text())

    def test_shows_the_parts_of_a_sum(self):
        text = self.spc("formats", "hyb").out
        self.assertIn("part 0\nlevels: (i: dense, j: compressed", text)
        self.assertIn("part 1\nlevels: (i: compressed non-unique, j: singleton)", text)
        self.assertIn("  row_ind: 0 0\n  col_ind: 8 9\n  values: 9 10\n", text)

    def test_takes_orders_mode_orders_and_files(self):
        self.assertIn("levels: (k: compressed, i: compressed, j: compressed)", self.spc("formats", "csf:2,0,1").out)
        self.assertIn("indices_3", self.spc("formats", "csf", "--order", "4").out)
        self.write("rows/mine.json", (ROOT / "formats" / "csr.json").read_text().replace('"csr"', '"mine"'))
        for arguments in (("rows/mine.json",), ("mine", "--format-path", "rows")):
            self.assertTrue(self.spc("formats", *arguments).out.startswith("mine: "))

    def test_errors(self):
        self.assertIn("did you mean 'csr'", self.spc("formats", "crs", expect=1).err)
        self.assertIn("[formats-order]", self.spc("formats", "csr", "--order", "3", expect=1).err)
        self.spc("formats", "--order", "0", expect=2)


if __name__ == "__main__":
    unittest.main()
