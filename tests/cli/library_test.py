"""spc library: kernels that were compiled singly as one static or shared library, with one header for C and C++."""

import ctypes
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from spc_case import SpcCase

SPMM = "type T = f64\ntensor A(m, k): T, sparse\ntensor B(k, n): T\nC(i,j) = A(i,l) * B(l,j)\n"
PRODUCT = "A(i,j) = B(i,k) * C(k,j)\n"
KERNELS = {
    "spmm_f32": (SPMM, "--type=T=f32", "--format=A=csr"),
    "spmm_f64": (SPMM, "--format=A=csr"),
    "gemm_csr": (PRODUCT, "--format=A=csr", "--format=B=csr", "--format=C=csr"),
    "gemm_dense": (PRODUCT, "--format=A=csr", "--format=B=csr", "--format=C=dense", "-Wno-densify"),
}
HAS_LLD = os.environ.get("SPC_HAS_LLD", "1") == "1"
# How shared libraries are linked: by lld inside of spc, where that is in it, and by a compiler.
LINKERS = ([()] if HAS_LLD else []) + [("--cc=cc",)]
OVERLOADS = ["--overload=spmm=spmm_f32,spmm_f64", "--overload=gemm=gemm_csr,gemm_dense"]

C_CLIENT = """#include "libkernels.h"
#include "spmm_f64.h"
#include <string.h>
int main(void) {
  int32_t pointers[2] = {0, 1}, indices[1] = {0};
  double values[1] = {2}, b[1] = {3}, c[1] = {0};
  spc_csr_f64_i32 A = {1, 1, 1, pointers, indices, values}, P;
  spc_dense2_f64 B = spc_dense2_f64_make(b, 1, 1), C = spc_dense2_f64_make(c, 1, 1);
  if (spmm_f64(&A, &B, &C) != SPC_OK || c[0] != 6 || gemm_csr(&A, &A, &P) != SPC_OK || P.values[0] != 4)
    return 1;
  void *arguments[3] = {&A, &A, &P};
  const spc_kernel_entry *kernel = spc_kernels_kernels;
  while (kernel->name != NULL && strcmp(kernel->name, "gemm_csr") != 0)
    ++kernel;
  if (kernel->name == NULL)
    return 2;
  kernel->release(NULL, arguments);
  if (P.values != NULL)
    return 4;
  while (kernel->name != NULL)
    ++kernel;
  return kernel - spc_kernels_kernels == 4 ? 0 : 3;
}
"""

CPP_CLIENT = """#include "libkernels.h"
int main() {
  int32_t pointers[2] = {0, 1}, indices[1] = {0};
  double values[1] = {2}, b[1] = {3}, c[1] = {0};
  float values32[1] = {2}, b32[1] = {3}, c32[1] = {0};
  const spc_csr_f64_i32 A = {1, 1, 1, pointers, indices, values};
  const spc_csr_f32_i32 A32 = {1, 1, 1, pointers, indices, values32};
  const spc_dense2_f64 B = spc_dense2_f64_make(b, 1, 1);
  const spc_dense2_f32 B32 = spc_dense2_f32_make(b32, 1, 1);
  spc_dense2_f64 C = spc_dense2_f64_make(c, 1, 1);
  spc_dense2_f32 C32 = spc_dense2_f32_make(c32, 1, 1);
  spc_csr_f64_i32 P, Q;
  if (spmm(&A, &B, &C) != SPC_OK || spmm_ctx(nullptr, &A32, &B32, &C32) != SPC_OK || c[0] != 6 || c32[0] != 6)
    return 1;
  if (gemm(&A, &A, &P) != SPC_OK || gemm_symbolic(&A, &B, &Q, NULL) != SPC_OK || gemm_numeric(&A, &B, &Q, NULL) != SPC_OK ||
      P.values[0] != 4 || Q.values[0] != 6)
    return 2;
  gemm_free(&P);
  gemm_free(&Q);
#ifdef SPC_DETAIL_NAMED_ARGUMENTS
  values32[0] = 4;
  const spc_context context = spc_default_context();
  if (spmm({.A = A32, .B = B32, .C = C32}) != SPC_OK || c32[0] != 12 ||
      spmm_ctx(&context, {.A = A, .B = B, .C = C}) != SPC_OK)
    return 3;
#endif
  return 0;
}
"""

LOAD = """#include "libk2.h"
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
  double one[] = {1}, linked[1], loaded[1];
  spc_dense1_f64 x = spc_dense1_f64_make(one, 1), y = spc_dense1_f64_make(linked, 1), z = spc_dense1_f64_make(loaded, 1);
  void *arguments[] = {&x, &z}, *library = dlopen("./libk3.so", RTLD_NOW), *plain = dlopen("./plain3.so", RTLD_NOW);
  const spc_kernel_entry *table = library != NULL ? dlsym(library, "spc_kernels") : NULL;
  if (table == NULL || k(&x, &y) != SPC_OK || table->call(NULL, arguments) != SPC_OK)
    return 1;
  printf("%g %g ", linked[0], loaded[0]);
  loaded[0] = 0;
  if (plain == NULL || ((spc_status (*)(const spc_context *, void **))dlsym(plain, "k_argv"))(NULL, arguments) != SPC_OK)
    return 2;
  printf("%g\\n", loaded[0]);
  return 0;
}
"""


class Library(SpcCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.compiled = pathlib.Path(folder.name)

    def setUp(self):
        super().setUp()
        if not any(self.compiled.iterdir()):
            for name, (text, *options) in KERNELS.items():
                self.write("kernel.tex", text)
                self.spc("compile", "kernel.tex", "-O1", "-q", f"--name={name}", *options, "-o", self.compiled / f"{name}.o")
        shutil.copytree(self.compiled, self.folder, dirs_exist_ok=True)
        self.objects = [f"{name}.o" for name in KERNELS]

    def test_wrong_named_argument(self):
        """g++ says which argument of a call by name is wrong once the struct is named (docs/cpp.md)."""
        gxx = shutil.which("g++")
        if gxx is None:
            self.skipTest("no g++")
        self.write("wrong.cpp", "#include \"gemm_csr.h\"\nspc_status f(spc_csr_f64_i32 &M, int D) {\n"
                                "  return gemm_csr(gemm_csr_arguments{.B = M, .C = M, .A = D});\n}\n")
        done = subprocess.run([gxx, "-std=c++20", "-fsyntax-only", "wrong.cpp"], cwd=self.folder, capture_output=True,
                              text=True, check=False, env={**os.environ, "LC_ALL": "C"})
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"wrong\.cpp:3:.*'spc_csr_f64_i32&'.*'int'")

    def make(self, output, *options):
        return self.spc("library", *self.objects, "-o", output, *OVERLOADS, *options)

    def symbols(self, *options):
        lines = self.command("nm", "--defined-only", "--format=posix", *options).stdout.splitlines()
        names = sorted(line.split()[0] for line in lines if line.split()[1:2] and line.split()[1] in "TDRWV")
        return [re.sub("^(spc_kernels_kernels)_[0-9a-f]{16}$", r"\1_HASH", name) for name in names if "level" not in name]

    def public(self, *visible):
        names = []
        for name in KERNELS:
            signature = json.loads(self.spc("inspect", "--json", f"{name}.o").out)
            contents = signature["contents"]
            names += [f"spc_signature_{name}_{contents}"]
            names += [f for pair in signature["functions"].values() for f in pair.values()]
            if visible:
                names += [f"spc_signature_{name}"]
                for pair in signature["functions"].values():
                    names += [pair["typed"].replace(contents, signature["fingerprint"]), pair["argv"].removesuffix(f"_{contents}")]
        return sorted([*names, *visible])

    def test_halves_are_types_apart(self):
        for name in ("f16", "bf16"):
            self.write(f"s_{name}.tex", f"kernel s_{name}(h) -> s\ntensor h: {name}\ntensor s: f32\ns = 2 * h\n")
            self.spc("compile", f"s_{name}.tex", "-q", "-O0")
        self.spc("library", "s_f16.o", "s_bf16.o", "--overload=s=s_f16,s_bf16", "-o", "libs.a")
        self.write("call.cpp", '#include "libs.h"\nint main() {\n  float a = 0, b = 0;\n'
                   "  const bool done = !s(spc_f16_from_float(1.5f), &a) && !s(spc_bf16_from_float(2.5f), &b);\n"
                   "  return done && a == 3 && b == 5 ? 0 : 1;\n}\n")
        self.command("c++", "-std=c++17", "-Wall", "-Werror", "call.cpp", "libs.a", "-o", "call")
        self.command("./call")

    def test_static_from_c_and_cpp(self):
        self.make("libkernels.a")
        self.write("client.c", C_CLIENT)
        self.command("cc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "client.c", "libkernels.a", "-lm", "-o", "c")
        self.command("./c")
        self.write("client.cpp", CPP_CLIENT)
        for standard in ("c++17", "c++20"):
            self.command("c++", f"-std={standard}", "-Wall", "-Wextra", "-Werror", "client.cpp", "libkernels.a", "-lm", "-o", "cpp")
            self.command("./cpp")

    def test_shared_from_c_and_cpp(self):
        self.write("client.c", C_CLIENT)
        self.write("client.cpp", CPP_CLIENT)
        for linker in LINKERS:
            self.make("libkernels.so", *linker)
            for compiler, client in (("cc", "client.c"), ("c++", "client.cpp")):
                self.command(compiler, client, "-L.", "-lkernels", "-Wl,-rpath,$ORIGIN", "-o", "client")
                self.command("./client")

    def test_only_what_is_public_is_exported(self):
        for linker in LINKERS:
            self.make("libkernels.so", *linker)
            self.assertEqual(self.symbols("-D", "libkernels.so"), [
                f"{name}@@SPC_5_kernels" for name in self.public("spc_kernels", "spc_kernels_kernels")], linker)
        self.make("libkernels.a")
        self.assertEqual(self.symbols("-g", "libkernels.a"), sorted([*self.public(), "spc_kernels_kernels_HASH"]))

    def test_what_a_shared_library_says_to_the_loader(self):
        for linker in LINKERS:
            self.make("libkernels.so.2", *linker)
            dynamic = self.command("readelf", "-dW", "libkernels.so.2").stdout
            self.assertRegex(dynamic, r"soname: \[libkernels.so.2\]")
            self.assertRegex(dynamic, r"Flags:.* NOW")
            self.assertEqual(re.findall(r"NEEDED.*\[(.*)\]", dynamic), ["libc.so.6"], linker)
            segments = self.command("readelf", "-lW", "libkernels.so.2").stdout
            self.assertRegex(segments, r"GNU_STACK .* RW ")
            self.assertNotIn("RWE", segments)
        self.write("k.tex", "y(i) = exp(x(i))\n")
        self.spc("compile", "k.tex", "-q", "-O0")
        self.objects = ["k.o"]
        for linker in LINKERS:
            self.spc("library", "k.o", "-o", "libk.so", *linker)
            needed = re.findall(r"NEEDED.*\[(.*)\]", self.command("readelf", "-dW", "libk.so").stdout)
            self.assertEqual(needed[0], "libm.so.6", linker)

    def test_parts_for_build_systems(self):
        self.make("libkernels.so")
        public = self.symbols("-D", "libkernels.so")
        self.spc("library", *self.objects, "--table=table.o", "--version-script=kernels.map",
                 "--header=libkernels.h")
        self.command("cc", "-shared", *self.objects, "table.o", "-Wl,--version-script=kernels.map", "-lm", "-o", "linked.so")
        # What the objects hide stays so: programs include the library's header.
        self.assertEqual(self.symbols("-D", "linked.so"), [name for name in public if name.split("@")[0] not in self.public()])
        self.make("other.a", "--table=-", "--header=-")
        self.assertEqual({"libkernels.h", "libkernels.so", "other.a"},
                         {name for name in self.files() if name.startswith(("libkernels", "other"))})

    def test_kernels_are_found_at_run_time(self):
        self.make("plug-in,1", "--shared")

        class Entry(ctypes.Structure):
            _fields_ = [("name", ctypes.c_char_p), ("signature", ctypes.c_char_p), ("functions", ctypes.c_void_p * 4)]

        library = ctypes.CDLL(str(self.folder / "plug-in,1"))
        table = (Entry * (len(KERNELS) + 1)).in_dll(library, "spc_kernels")
        self.assertEqual([entry.name and entry.name.decode() for entry in table], [*sorted(KERNELS), None])
        for entry in table[:-1]:
            signature = json.loads(entry.signature)
            self.assertEqual(signature["name"], entry.name.decode())
            functions = [signature["functions"].get(phase) for phase in ("call", "symbolic", "numeric", "free")]
            self.assertEqual(list(entry.functions), [
                f and ctypes.cast(getattr(library, f["argv"]), ctypes.c_void_p).value for f in functions])

    def test_a_table_is_of_its_own_kernels(self):
        """Of two libraries with kernels of one name and signature; also NAME_argv calls the kernel beside it."""
        self.write("load.c", LOAD)
        for linker in LINKERS:
            for factor in (2, 3):
                self.write("k.tex", f"y(i) = {factor} * x(i)\n")
                self.spc("compile", "k.tex", "-q", "-O0")
                self.spc("library", "k.o", "-o", f"libk{factor}.so", *linker)
            self.spc("compile", "k.tex", "-q", "-O0", "--visibility=default", "-o", "plain.o")
            self.command("cc", "-shared", "plain.o", "-o", "plain3.so")
            self.command("cc", "-I.", "load.c", "libk2.so", "-ldl", "-Wl,-rpath,$ORIGIN", "-o", "load")
            self.assertEqual(self.command("./load").stdout, "2 3 3\n", linker)

    def test_depends_on_the_kernels_alone(self):
        kinds = [("libkernels.a",), *(("libkernels.so", *linker) for linker in LINKERS)]
        given = self.objects
        (self.folder / "other").mkdir()
        for name in given:
            shutil.copy(self.folder / name, self.folder / "other" / name)
        for library, *linker in kinds:
            self.objects = given
            self.make(library, *linker)
            self.objects = [f"other/{name}" for name in reversed(given)]
            self.make(f"other/{library}", "--header-path=.", *linker)
            for name in (library, "libkernels.h"):
                self.assertEqual((self.folder / name).read_bytes(), (self.folder / "other" / name).read_bytes(), name)

    def test_inspect(self):
        for library in ("libkernels.a", "libkernels.so"):
            self.make(library)
            lines = self.spc("inspect", "--json", library).out.splitlines()
            self.assertEqual([json.loads(line)["name"] for line in lines], sorted(KERNELS))

    def test_header(self):
        self.make("libkernels.a", "--header=include.h")
        self.assertNotIn("libkernels.h", self.files())
        text = (self.folder / "include.h").read_text()
        # Parts of the common text include others where these are not there.
        lines = text.splitlines()
        guards = [line for line, after in zip(lines, lines[1:])
                  if line.startswith("#ifndef SPC_") and not after.startswith("#include")]
        self.assertEqual(len(guards), len(set(guards)))
        self.assertEqual(text.count("typedef struct spc_csr_f64_i32 {"), 1)

    def test_other_platforms(self):
        self.write("k.tex", "y(i) = x(i)\n")
        for target in ("aarch64-linux-gnu", "riscv64-linux-gnu", "i686-w64-windows-gnu", "arm64-apple-macosx", "wasm32-unknown-unknown"):
            self.spc("compile", "k.tex", "--target", target, "-q", "-O0")
            self.spc("library", "k.o", "-o", "libk.a")
            self.assertIn("k: calling convention", self.spc("inspect", "libk.a").out, target)

    @unittest.skipUnless(HAS_LLD, "spc was built without lld")
    def test_lld_is_inside(self):
        nothing = {"PATH": str(self.folder / "none")}
        self.spc("library", *self.objects, "-o", "libkernels.so", env=nothing)
        self.assertIn("'cc' is not found", self.spc("library", *self.objects, "-o", "l.so", "--cc=cc", env=nothing, expect=1).err)
        self.write("k.tex", "y(i) = exp(x(i))\n")
        for target, machine in (("aarch64-linux-gnu", "AArch64"), ("riscv64-linux-gnu", "RISC-V"), ("powerpc64le-linux-gnu", "PowerPC64")):
            self.spc("compile", "k.tex", "--target", target, "-q", "-O0")
            self.spc("library", "k.o", "-o", "libk.so", env=nothing)
            header = self.command("readelf", "-hdW", "libk.so").stdout
            self.assertIn(machine, header)
            self.assertNotIn("NEEDED", header)
            self.assertIn("k_argv@@SPC_5_k", self.command("readelf", "-sW", "--dyn-syms", "libk.so").stdout)
            made = (self.folder / "libk.so").read_bytes()
            self.spc("compile", "k.tex", "--target", target, "-q", "-O0", "--emit=shared", "-o", "libk.so", env=nothing)
            self.assertEqual((self.folder / "libk.so").read_bytes(), made)
        self.spc("compile", "k.tex", "--sanitize=address,undefined", "-q", "-O0")
        self.spc("library", "k.o", "-o", "libk.so", env=nothing)

    @unittest.skipUnless(HAS_LLD, "spc was built without lld")
    def test_lld_refuses(self):
        self.write("k.tex", "y(i) = A(i,j) * x(j)\n")
        self.spc("compile", "k.tex", "--format=A=csr", "--target=armv7-linux-gnueabihf", "-q", "-O0")
        error = self.spc("library", "k.o", "-o", "libk.so", expect=1).err
        self.assertIn("lld cannot link the library: the kernels call __aeabi_uldivmod of a compiler's own library", error)
        self.assertEqual(self.spc("compile", "k.tex", "--format=A=csr", "--target=armv7-linux-gnueabihf", "-q", "-O0",
                                  "--emit=shared", "-o", "libk.so", expect=1).err, error)
        self.assertNotIn("libk.so", self.files())

    def test_refused(self):
        def refuse(what, *arguments):
            before = self.files()
            self.assertIn(what, self.spc("library", *arguments, expect=1).err)
            self.assertEqual(self.files(), before)

        self.make("libkernels.a")
        refuse("it is an archive", "libkernels.a", "-o", "lib2.a")
        self.make("libkernels.so")
        refuse("it is linked already", "libkernels.so", "-o", "lib2.a")
        self.write("none.c", "int f(void) { return 0; }\n")
        self.command("cc", "-c", "none.c")
        refuse("none.o: error: holds no kernels", "none.o", "spmm_f32.o", "-o", "lib2.a")
        self.command("ld", "-r", "spmm_f32.o", "spmm_f64.o", "-o", "two.o")
        refuse("has no header 'two.h'", "two.o", "-o", "lib2.a")
        old = (self.folder / "spmm_f32.o").read_bytes().replace(b'"spc_abi":5', b'"spc_abi":4')
        self.write("old.o", old)
        refuse("has version 4 of the calling convention", "old.o", "-o", "lib2.a")
        refuse("cannot write", "spmm_f32.o", "-o", "no/lib2.a")
        refuse("two outputs", "spmm_f32.o", "-o", "lib2.a", "--header=lib2.a")

    def test_broken_objects(self):
        whole = (self.folder / "spmm_f32.o").read_bytes()
        (self.folder / "temporary").mkdir()

        def make(output):
            return self.spc("library", "broken.o", "--header-path=.", "-o", output, expect=None,
                            env={"TMPDIR": str(self.folder / "temporary")}).returncode

        for at in range(0, len(whole), len(whole) // 40):
            self.write("broken.o", whole[:at])
            self.assertEqual(make("lib2.a"), 1, at)
            self.write("broken.o", whole[:at] + bytes([whole[at] ^ 0xff]) + whole[at + 1:])
            self.assertIn(make("lib2.a"), (0, 1), at)
            code = make("lib2.so")
            self.assertIn(code, (0, 1), at)
            self.assertEqual((self.folder / "lib2.so").exists(), code == 0, at)
            (self.folder / "lib2.so").unlink(missing_ok=True)
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])


if __name__ == "__main__":
    unittest.main()
