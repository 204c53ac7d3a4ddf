"""The calling convention cannot be called wrongly: stale headers do not link, arguments that are named cannot be left out
or swapped, and an object says how it is called."""

import ctypes
import json
import os
import re
import struct
import subprocess
import unittest

from spc_case import SpcCase

PRODUCT = "tensor A(m, k): f64, sparse\ntensor B(k, n): f64\nC(i,j) = A(i,l) * B(l,j)\n"
SWAPPED = ["a(i) - b(i)", "-b(i) + a(i)"]

CALL = """#include "product.h"
int main(void) {
  spc_csr_f64_i32 A = {0};
  spc_dense2_f64 B = {{0, 0}, {0, 1}, NULL}, C = B;
  int32_t pointers[1] = {0};
  A.row_ptr = pointers;
  return product(&A, &B, &C) == SPC_OK ? 0 : 1;
}
"""

NAMED = """#include "scale.hpp"
int main() {
  double x[3] = {1, 2, 3}, y[3];
  const spc_dense1_f64 in = spc_dense1_f64_make(x, 3);
  spc_dense1_f64 out = spc_dense1_f64_make(y, 3);
  const spc_context context = spc_default_context();
  double total;
  if (scale({%s}) != SPC_OK || scale_ctx(&context, {.alpha = 2.0, .x = in, .y = out, .total = total}) != SPC_OK)
    return 1;
  return y[2] == 6 && total == 12 ? 0 : 2;
}
"""
MEMBERS = [".alpha = 2.0", ".x = in", ".y = out", ".total = total"]


class CallsCase(SpcCase):
    def lines_in_error(self, *command):
        """The lines of the source, the command's last word, that a compiler refuses: one that shows all errors, in English."""
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}, check=False)
        found = {int(line) for line in re.findall(rf"^{re.escape(command[-1])}:(\d+):\d+: error: ", done.stderr, re.MULTILINE)}
        self.assertEqual(done.returncode != 0, bool(found), done.stderr)
        return found


class Linking(SpcCase):
    def setUp(self):
        super().setUp()
        self.write("call.c", CALL)
        self.write("product.tex", PRODUCT)
        self.header()
        self.command("cc", "-c", "call.c", "-o", "call.o")

    def header(self, *options, text=PRODUCT):
        self.write("product.tex", text)
        return self.spc("compile", "product.tex", "--format=A=csr", "-q", "-o", "product.o", "--visibility=default",
                        *(options or ["-O0"]))

    def links(self):
        try:
            self.command("cc", "call.o", "product.o", "-o", "call")
        except AssertionError as error:
            self.assertRegex(str(error), "undefined reference to .product_spc5_")
            return False
        self.command("./call")
        return True

    def test_the_same_signature_links(self):
        for text in (PRODUCT, PRODUCT.replace("B(l,j)", "B(l,j) * 2"), PRODUCT.replace("(i,l)", "(i,p)").replace("(l,j)", "(p,j)"),
                     PRODUCT.replace("B(", "D(")):
            self.header("-O2", text=text)
            self.assertTrue(self.links(), text)

    def test_others_do_not(self):
        for text in (PRODUCT.replace("B(k, n): f64", "B(k, n): f32"), "kernel product(B, A) -> C\n" + PRODUCT,
                     PRODUCT.replace("C(i,j) =", "C(i,j) +=")):
            self.header(text=text)
            self.assertFalse(self.links(), text)
        self.write("wide.json", json.dumps({"format": "csr", "index": {"pointers": "i64", "indices": "i64"}}))
        self.write("product.tex", PRODUCT)
        self.spc("compile", "product.tex", "--format=A=./wide.json", "-q", "-o", "product.o", "-O0", "--visibility=default")
        self.assertFalse(self.links())

    def test_two_headers_of_one_name(self):
        self.command("cp", "product.h", "first.h")
        self.write("both.c", '#include "first.h"\n#include "product.h"\n')
        self.header("-O2", text=PRODUCT.replace("B(l,j)", "B(l,j) * 2"))
        self.command("cc", "-fsyntax-only", "both.c")
        self.header(text=PRODUCT.replace("f64", "f32"))
        with self.assertRaisesRegex(AssertionError, "two kernels called product, which differ"):
            self.command("cc", "-fsyntax-only", "both.c")


class Order(SpcCase):
    optimised = False

    def names(self, text, *options):
        self.write("k.tex", text)
        signature = json.loads(self.spc("compile", "k.tex", "--emit=signature", "-q", *options).out)
        return " ".join(argument["name"] for argument in signature["arguments"]), signature["fingerprint"]

    def test_declared_first(self):
        declared = "tensor b(n): f64\ntensor a(n): f64\n"
        self.assertEqual({self.names(f"{declared}y(i) = {right}\n") for right in SWAPPED},
                         {self.names(f"{declared}y(i) = a(i) - b(i)\n")})
        self.assertEqual(self.names(f"{declared}y(i) = alpha*a(i) - beta*b(i)\n")[0], "b a alpha beta y")
        self.assertEqual(self.names("tensor z(n): f64\n" + declared + "y(i) = a(i)\nz(i) = b(i)\n")[0], "b a z y")

    def test_said(self):
        for right in SWAPPED:
            self.assertEqual(self.names(f"kernel f(b, a) -> (y)\ny(i) = {right}\n")[0], "b a y")
        self.assertEqual(self.names("y(i) = x(i)\nz(i) = y(i) * q\nkernel f(q, x) -> (z, y)\n")[0], "q x z y")
        self.assertEqual(self.names("kernel f(q, y, x) -> ()\ny(i) += x(i) * q\n")[0], "q y x")
        parts = self.names("kernel f(x, A) -> y\ny(i) = A(i,j)*x(j)\n", "--format=A=hyb")[0]
        self.assertEqual(parts, "x A_0 A_1 y")

    def test_order_is_in_the_fingerprint(self):
        said = [f"kernel k({order}) -> y\ntensor a(n): f64\ntensor b(n): f32\ny(i) = a(i) - b(i)" for order in ("a, b", "b, a")]
        self.assertNotEqual(*(self.names(text)[1] for text in said))
        self.assertEqual(self.names("y(i) = a(i) - b(i)"), self.names("y(j) = 2*a(j) + b(j)", "-O0", "--fp=strict"))
        prints = {self.names(text)[1] for text in ("y(i) = a(i) - b(i)", "y(i) = a(i) - c(i)", "z(k) = a(k) + b(k)")}
        self.assertEqual(len(prints), 1)

    def test_function(self):
        self.write("k.tex", "kernel axpy(x, y) -> ()\ny(i) += x(i)\n")
        self.spc("compile", "k.tex")
        self.assertIn("axpy_argv", self.command("nm", "k.o").stdout)
        self.spc("compile", "k.tex", "--name=other")
        self.assertIn("other_argv", self.command("nm", "k.o").stdout)


class Named(CallsCase):
    def setUp(self):
        super().setUp()
        self.write("scale.tex", "y(i) = alpha * x(i)\ntotal = y(i)\nkernel scale(alpha, x) -> (y, total)\n")
        self.spc("compile", "scale.tex", "-q", "-O0", "--header=scale.hpp")

    def build(self, members, *options):
        self.write("call.cpp", NAMED % ", ".join(members))
        return self.command("c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", *options, "call.cpp", "-o", "call")

    def test_all_are_given(self):
        self.build(MEMBERS, "scale.o")
        self.command("./call")

    def test_one_is_left_out(self):
        for k in range(len(MEMBERS)):
            with self.assertRaises(AssertionError, msg=MEMBERS[k]):
                self.build(MEMBERS[:k] + MEMBERS[k + 1:], "-fsyntax-only")

    def test_two_are_swapped(self):
        with self.assertRaises(AssertionError):
            self.build([MEMBERS[1], MEMBERS[0], *MEMBERS[2:]], "-fsyntax-only")

    def test_numbers_are_of_their_kind(self):
        self.write("k.tex", "kernel k(n, b, h, z, x) -> (y, w)\ntensor n: i32\ntensor b: bool\ntensor h: f16\ntensor z: cf64\n"
                   "tensor x(m): f64\ny(i) = select(b, n, h) * x(i)\nw = z\n")
        self.spc("compile", "k.tex", "-q", "-O0")
        right = {"n": "2", "b": "true", "h": "spc_f16_from_float(2)", "z": "w", "x": "v", "y": "v", "w": "w"}
        wrongs = ({}, {"n": "2.7"}, {"n": "2.0f"}, {"b": "\"no\""}, {"b": "0.5"}, {"h": "2.0f"}, {"h": "2"}, {"h": "{2}"},
                  {"h": "uint16_t(0x4000)"}, {"h": "spc_bf16_from_float(2)"}, {"z": "2.0"}, {"z": "std::complex<double>(2)"},
                  {"z": "spc_cf32{2, 0}"}, {"w": "spc_cf64{2, 0}"})
        calls = [", ".join(f".{name} = {value}" for name, value in (right | wrong).items()) for wrong in wrongs]
        self.write("call.cpp", "#include <complex>\n#include \"k.h\"\n" + "".join(
            f"spc_status f{k}(spc_dense1_f64 &v, spc_cf64 &w) {{ return k({{{members}}}); }}\n" for k, members in enumerate(calls)))
        self.assertEqual(self.lines_in_error("c++", "-std=c++20", "-fmax-errors=0", "-fsyntax-only", "call.cpp"),
                         set(range(4, 3 + len(wrongs))))

    def test_older_languages_have_the_plain_call(self):
        self.write("plain.cpp", '#include "scale.hpp"\n#ifdef SPC_DETAIL_NAMED_ARGUMENTS\n#error\n#endif\n')
        self.command("c++", "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", "plain.cpp")

    def test_statuses_are_looked_at(self):
        call = '#include "scale.hpp"\nvoid f(spc_dense1_f64 *x, double *t) { %s(scale(2, x, x, t)); }\n'
        for source, compiler in (("call.cpp", ("c++", "-std=c++17")), ("call.c", ("cc", "-std=c2x"))):
            command = (*compiler, "-Werror", "-fsyntax-only", source)
            self.write(source, call % "(void)")
            self.command(*command)
            self.write(source, call % "")
            with self.assertRaisesRegex(AssertionError, "nodiscard"):
                self.command(*command)

    def test_in_an_extern_c(self):
        self.spc("library", "scale.o", self.twice(), "-o", "libk.a", "--overload=both=scale,twice", "--header-path=.")
        self.write("call.cpp", 'extern "C" {\n#include "scale.hpp"\n#include "libk.h"\n}\n'
                   "spc_status f(spc_dense1_f64 &x, spc_dense1_f32 &y, double &t) {\n"
                   "  return scale(2, &x, &x, &t) == SPC_OK ? both(&y, &y) : twice(&y, &y);\n}\n")
        for language in ("c++17", "c++20"):
            self.command("c++", f"-std={language}", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "call.cpp")

    def twice(self):
        self.write("twice.tex", "tensor x(n): f32\ny(i) = 2 * x(i)\n")
        self.spc("compile", "twice.tex", "-q", "-O0")
        self.spc("compile", "scale.tex", "-q", "-O0")
        return "twice.o"


class Halves(CallsCase):
    """Neither floats nor bits nor the other half pass for a half, and what passes arrives."""
    CALL = """#include "k.h"
#include <stdio.h>
int main(void) {
  %(half)s h = %(convert)s(1.5f), x[2], y[2], total;
  spc_dense1_%(type)s in = spc_dense1_%(type)s_make(x, 2), out = spc_dense1_%(type)s_make(y, 2);
  int n;
  for (n = 0; n < 2; ++n)
    x[n] = %(convert)s(SPC_DETAIL_CAST(float, n + 2));
  if (k(h, &in, &out, &total) != SPC_OK)
    return 1;
  printf("%%g %%g %%g", SPC_DETAIL_CAST(double, %(back)s(y[0])), SPC_DETAIL_CAST(double, %(back)s(y[1])), SPC_DETAIL_CAST(double, %(back)s(total)));
  return 0;
}
"""
    LANGUAGES = {"k.c": ("cc", "-std=c11"), "k.cpp": ("c++", "-std=c++17")}

    def test_calls(self):
        for number, other in (("f16", "bf16"), ("bf16", "f16")):
            self.write("k.tex", f"kernel k(h, x) -> (y, total)\ntensor h: {number}\ntensor x(n): {number}\ntensor total: {number}\n"
                       "y(i) = h * x(i)\ntotal = y(i)\n")
            self.spc("compile", "k.tex", "-q", "-O0", "-Wno-precision")
            names = {"type": number, "half": f"spc_{number}", "convert": f"spc_{number}_from_float", "back": f"spc_{number}_to_float"}
            numbers = [f"{wrong}, &in, &out, &total" for wrong in ("1.5f", "2", "h.bits", f"spc_{other}_from_float(1.5f)")]
            wrongs = [*numbers, "h, &in, &out, &total.bits", f"h, &in, &out, (spc_{other} *)&total"]
            for source, compiler in self.LANGUAGES.items():
                with self.subTest(number=number, source=source):
                    self.write(source, self.CALL % names)
                    command = [*compiler, "-Wall", "-Wextra", "-Werror"]
                    self.command(*command, source, "k.o", "-o", "k")
                    self.assertEqual(self.command("./k").stdout, "3 4.5 7.5")
                    arguments = "spc_{0} h, spc_{0} total, spc_dense1_{0} in, spc_dense1_{0} out".format(number)
                    self.write(source, '#include "k.h"\n' + "".join(
                        f"spc_status f{k}({arguments}) {{ return k({wrong}); }}\n" for k, wrong in enumerate(
                            ["h, &in, &out, &total", *wrongs])))
                    self.assertEqual(self.lines_in_error(*command, "-fmax-errors=0", "-Wno-unused-parameter", "-fsyntax-only",
                                                         source), set(range(3, 3 + len(wrongs))))


class Data(SpcCase):
    def build(self, text, *options):
        self.write("k.tex", text)
        self.spc("compile", "k.tex", "-q", "--visibility=default", *options)
        self.command("cc", "-shared", "k.o", "-lm", "-o", "k.so")

    def load(self, text, *options):
        self.build(text, *options)
        return ctypes.CDLL(str(self.folder / "k.so"))

    def test_call_by_position(self):
        library = self.load("kernel axpy(alpha, x, y) -> n\ny(i) += alpha * x(i)\nn = y(i) * y(i)\n")
        text = ctypes.c_char.in_dll(library, "spc_signature_axpy")
        signature = json.loads(ctypes.string_at(ctypes.addressof(text)))
        self.assertEqual([a["role"] for a in signature["arguments"]], ["in", "in", "inout", "out"])
        self.assertEqual([a["pass"] for a in signature["arguments"]], ["number", "struct", "struct", "pointer"])

        class Vector(ctypes.Structure):
            _fields_ = [(field["name"], ctypes.c_int64 if field["holds"] in ("size", "stride") else ctypes.c_void_p)
                        for field in signature["arguments"][1]["fields"]]

        x, y = (ctypes.c_double * 3)(1, 2, 3), (ctypes.c_double * 3)(1, 1, 1)
        alpha, n = ctypes.c_double(2), ctypes.c_double()
        vectors = [Vector(3, 1, ctypes.addressof(values)) for values in (x, y)]
        pointers = [ctypes.addressof(a) for a in (alpha, *vectors, n)]
        call = getattr(library, signature["functions"]["call"]["argv"])
        self.assertEqual(call(None, (ctypes.c_void_p * 4)(*pointers)), 0)
        self.assertEqual((list(y), n.value), ([3, 5, 7], 83))
        pointers[1] = None
        status = call(None, (ctypes.c_void_p * 4)(*pointers))
        self.assertEqual(signature["statuses"][str(status)], "a struct or an array that is needed is NULL")

    def test_phases_by_position(self):
        library = self.load("A(i,j) = B(i,k) * C(k,j)\n", "--format=A=csr", "--format=B=csr", "--format=C=csr")
        signature = json.loads(self.spc("inspect", "--json", "k.so").out)
        self.assertEqual(list(signature["functions"]), ["call", "symbolic", "numeric", "free"])

        class Csr(ctypes.Structure):
            _fields_ = [(field["name"], ctypes.c_int64 if field["holds"] in ("size", "stored") else ctypes.c_void_p)
                        for field in signature["arguments"][0]["fields"]]

        pointers, index, value = (ctypes.c_int32 * 3)(0, 1, 2), (ctypes.c_int32 * 2)(1, 0), (ctypes.c_double * 2)(2, 3)
        swap = Csr(2, 2, 2, *(ctypes.addressof(array) for array in (pointers, index, value)))
        result = Csr()
        plan = (ctypes.c_uint64 * 2)()
        release = getattr(library, signature["functions"]["free"]["argv"])
        release.restype = None
        for made in (None, ctypes.addressof(plan)):
            matrices = (ctypes.addressof(matrix) for matrix in (swap, swap, result))
            arguments = (ctypes.c_void_p * 4)(*matrices, made)
            for phase in ("symbolic", "numeric"):
                self.assertEqual(getattr(library, signature["functions"][phase]["argv"])(None, arguments), 0)
            self.assertEqual((result.nnz, list((ctypes.c_double * 2).from_address(result.values))), (2, [6, 6]))
            release(None, arguments)
            self.assertEqual((result.nnz, result.values), (0, None))
        self.assertNotEqual((plan[0], plan[1]), (0, 0))
        ctypes.CDLL(None).free(ctypes.c_void_p(plan[0]))

    def test_inspect(self):
        self.build("kernel f(A, x) -> y\ny(i) = A(i,j) * x(j)\n", "--format=A=csr")
        text = self.spc("compile", "k.tex", "--format=A=csr", "--emit=signature", "-q", "--visibility=default").out
        self.assertEqual(self.spc("inspect", "--json", "k.o").out, text)
        self.command("strip", "k.so")
        self.assertEqual(self.spc("inspect", "--json", "k.so").out, text)
        self.spc("compile", "k.tex", "--format=A=csr", "-q", "--name=g", "-o", "g.o")
        self.command("ar", "rcs", "both.a", "k.o", "k.tex", "g.o")
        self.assertEqual([json.loads(line)["name"] for line in self.spc("inspect", "--json", "both.a").out.splitlines()], ["f", "g"])
        self.assertEqual(self.spc("inspect", "k.o").out, f"""\
f: calling convention 5, fingerprint {json.loads(text)["fingerprint"]}, by {json.loads(text)["made_by"]}
  A  in     f64, i x j: spc_csr_f64_i32
  x  in     f64, j: spc_dense1_f64
  y  out    f64, i: spc_dense1_f64
  divided by i: A slice, x rows, y slice
  divided by j: A slice, x slice, y sum
""")

    def test_inspect_on_other_platforms(self):
        self.write("k.tex", "y(i) = x(i)\n")
        for target in ("aarch64-linux-gnu", "x86_64-w64-windows-gnu", "i686-w64-windows-gnu", "arm64-apple-macosx",
                       "wasm32-unknown-unknown"):
            self.spc("compile", "k.tex", "--target", target, "-q")
            self.assertIn("k: calling convention", self.spc("inspect", "k.o").out, target)

    def universal(self, *parts):
        """What macOS's lipo makes of files for several processors."""
        processors, head, body = (0x01000007, 0x0100000c), struct.pack(">II", 0xcafebabe, len(parts)), b""
        for processor, part in zip(processors, parts):
            head += struct.pack(">IIIII", processor, 3 if processor == processors[0] else 0, 4096 + len(body), len(part), 12)
            body += part + bytes(-len(part) % 4096)
        return head + bytes(4096 - len(head)) + body

    def test_inspect_universal_files(self):
        parts = []
        for name, target in (("k", "x86_64-apple-macosx"), ("g", "arm64-apple-macosx")):
            self.write("k.tex", "y(i) = x(i)\n")
            self.spc("compile", "k.tex", "--target", target, "-q", "-O1", "--name", name)
            self.command("ar", "rcs", f"{name}.a", "k.o")
            parts.append([(self.folder / file).read_bytes() for file in ("k.o", f"{name}.a")])
        for files in zip(*parts):
            self.write("fat", self.universal(*files))
            self.assertEqual([json.loads(line)["name"] for line in self.spc("inspect", "--json", "fat").out.splitlines()], ["g", "k"])
        whole = self.universal(parts[0][0], parts[1][0])
        for at in range(0, 48):
            self.write("wrong", whole[:at] + bytes([whole[at] ^ 0xff]) + whole[at + 1:])
            self.assertIn(self.spc("inspect", "wrong", expect=None).returncode, (0, 1), at)
        for size in (7, 47, 4096, 4200, len(whole) - 4096):
            self.write("part", whole[:size])
            self.assertIn(self.spc("inspect", "part", expect=None).returncode, (0, 1), size)
        self.assertIn("no-object", self.spc("library", "fat", "-o", "l.a", expect=1).err)

    def test_hostile_text(self):
        for text, code in (('{\\"name\\":\\"\\\\u001b[31m\\",\\"spc_abi\\":5,\\"arguments\\":[{\\"shape\\":[[],3]},7]}', 0), ("{}", 1),
                           ("[1]", 1), ("x", 1)):
            self.write("text.c", f'const char spc_signature_k[] = "{text}";\n')
            self.command("cc", "-c", "text.c")
            self.assertNotIn("\x1b", self.spc("inspect", "text.o", expect=code).out)

    def test_broken_objects(self):
        for target in ("x86_64-linux-gnu", "wasm32-unknown-unknown"):
            with self.subTest(target=target):
                self.inspect_broken(target)

    def inspect_broken(self, target):
        self.write("k.tex", "y(i) = x(i)\n")
        self.spc("compile", "k.tex", "-q", "--target", target, "--mcpu=generic" if target[0] == "w" else "--mcpu=x86-64")
        whole = (self.folder / "k.o").read_bytes()
        for size in range(0, len(whole), 97):
            self.write("part.o", whole[:size])
            self.assertIn(self.spc("inspect", "part.o", expect=None).returncode, (0, 1), size)
        for at in range(0, len(whole), 61):
            self.write("wrong.o", whole[:at] + bytes([whole[at] ^ 0xff]) + whole[at + 1:])
            self.assertIn(self.spc("inspect", "wrong.o", expect=None).returncode, (0, 1), at)


if __name__ == "__main__":
    unittest.main()
