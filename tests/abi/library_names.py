"""The names that C's and C++'s standard headers take: src/abi/library_names.inc, from the compilers of this machine.

    library_names.py           fails if a compiler here declares a name that the list lacks
    library_names.py --update  adds such names to the list

Asked are gcc and clang in their default modes of C11 and C++17, and clang of C23, with all standard headers: macros, whatever is declared
in the global namespace, and functions of the C library that a compiler knows without a header. Names that every
implementation keeps for itself (`_X`, `a__b`) and keywords are left out; src/abi/names.cpp has rules for them."""

import pathlib
import re
import shutil
import subprocess
import sys

LIST = pathlib.Path(__file__).resolve().parents[2] / "src" / "abi" / "library_names.inc"

C_HEADERS = """assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg
stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype""".split()

CXX_HEADERS = """algorithm any array atomic bitset cassert ccomplex cctype cerrno cfenv cfloat charconv chrono cinttypes
ciso646 climits clocale cmath codecvt complex condition_variable csetjmp csignal cstdalign cstdarg cstdbool cstddef
cstdint cstdio cstdlib cstring ctgmath ctime cuchar cwchar cwctype deque exception execution filesystem forward_list
fstream functional future initializer_list iomanip ios iosfwd iostream istream iterator limits list locale map memory
memory_resource mutex new numeric optional ostream queue random ratio regex scoped_allocator set shared_mutex sstream
stack stdexcept streambuf string string_view strstream system_error thread tuple type_traits typeindex typeinfo
unordered_map unordered_set utility valarray variant vector""".split()

# C++ has no <stdatomic.h>, <stdnoreturn.h> and <threads.h> before C++23.
C_HEADERS_OF_CXX = [name for name in C_HEADERS if name not in ("stdatomic", "stdnoreturn", "threads")]

COMPILERS = [("gcc", "c", "gnu11"), ("g++", "c++", "gnu++17"),
             ("clang-22", "c", "gnu11"), ("clang-22", "c", "gnu2x"), ("clang++-22", "c++", "gnu++17")]

WORD = re.compile(r"[A-Za-z_]\w*")
TOKEN = re.compile(r'[A-Za-z_]\w*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|\d[\w.]*|[^\s\w]')
KEYWORDS = set(re.findall(r'"(\w+)"', (LIST.parent / "names.cpp").read_text().split("kKeywords", 1)[1].split("});")[0]))


def run(command, text, fine=True):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if fine and done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr[:2000]}")
    return done


def includes(language):
    names = [name + ".h" for name in (C_HEADERS if language == "c" else C_HEADERS_OF_CXX)]
    if language == "c++":
        names = CXX_HEADERS + names
    return "".join(f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in names)


def macros(text):
    return set(re.findall(r"^#define (\w+)", text, re.MULTILINE))


def skip_group(tokens, at):
    """The place behind the bracket that closes the one at `at`."""
    depth = 0
    while at < len(tokens):
        depth += tokens[at] in "([{"
        depth -= tokens[at] in ")]}"
        at += 1
        if depth == 0:
            break
    return at


def declared(text):
    """Every word that stands at global scope in preprocessed text: what is declared there, and what that is made of."""
    tokens = TOKEN.findall(re.sub(r"^#.*$", "", text, flags=re.MULTILINE))
    found = set()
    at = 0
    statement = []  # words since the last declaration's end
    while at < len(tokens):
        token = tokens[at]
        if token == "{":
            if statement[-1:] == ["extern"]:  # extern "C" {: still at global scope
                at += 1
                statement = []
                continue
            end = skip_group(tokens, at)
            if "enum" in statement:
                body = " ".join(tokens[at + 1:end - 1])
                found.update(re.findall(r"(?:^|,)\s*(\w+)", body))
            at = end
        elif token in "([":
            end = skip_group(tokens, at)
            for k in range(at, end - 1):  # void (*signal(int, void (*)(int)))(int)
                if tokens[k] == "*" and tokens[k - 1] == "(" and WORD.fullmatch(tokens[k + 1]):
                    found.add(tokens[k + 1])
            at = end
        else:
            if WORD.fullmatch(token):
                found.add(token)
                statement.append(token)
            elif token in ";}":
                statement = []
            at += 1
    return found


def known_functions(compiler, language):
    """Functions of the C library that the compiler complains about where they are declared otherwise."""
    symbols = set()
    for library in ("libc.so.6", "libm.so.6"):
        path = run([compiler, "-print-file-name=" + library], "").stdout.strip()
        told = run(["nm", "-D", "--defined-only", path], "").stdout
        symbols |= {line.split()[-1].split("@")[0] for line in told.splitlines()}
    symbols = sorted(name for name in symbols if is_listed(name))
    text = "struct other { int a[9]; };\n" + "".join(f"struct other {name}(struct other);\n" for name in symbols)
    options = ["-Wall", "-fno-diagnostics-color"] + (["-ferror-limit=0"] if "clang" in compiler else [])
    told = run([compiler, "-x", language, "-fsyntax-only", *options, "-"], text, fine=False).stderr
    return {name for name in re.findall(r"[‘'](\w+)['’(]", told) if name in symbols}


def is_listed(name):
    return "__" not in name and not re.match(r"_[A-Z]", name) and name not in KEYWORDS


def of_this_machine():
    names = set()
    for compiler, language, standard in COMPILERS:
        if not shutil.which(compiler):
            print(f"no {compiler} on this machine")
            continue
        command = [compiler, "-x", language, "-std=" + standard, "-w", "-D_GLIBCXX_USE_TBB_PAR_BACKEND=0", "-E", "-"]
        text = includes(language)
        names |= macros(run(command + ["-dM"], text).stdout)
        names |= macros(run(command + ["-dM"], "").stdout)
        names |= declared(run(command + ["-P"], text).stdout)
        if language == "c" and shutil.which("nm"):
            names |= known_functions(compiler, language)
    return {name for name in names if is_listed(name)}


def write(names):
    lines = ["// Written by tests/abi/library_names.py --update. Sorted."]
    line = ""
    for name in sorted(names):
        item = f'"{name}",'
        if len(line) + 1 + len(item) > 120:
            lines.append(line)
            line = ""
        line += (" " if line else "") + item
    LIST.write_text("\n".join(lines + [line]) + "\n")


def main():
    listed = set(re.findall(r'"(\w+)"', LIST.read_text())) if LIST.exists() else set()
    here = of_this_machine()
    if not here:
        sys.exit(77)  # no compiler: skipped
    if len(here) < 1000:
        sys.exit(f"only {len(here)} names found: the compilers' output is not understood")
    missing = here - listed
    if "--update" in sys.argv:
        write(listed | here)
        print(f"{len(listed | here)} names, {len(missing)} of them new")
    elif missing:
        sys.exit(f"{LIST.name} lacks {len(missing)} names, which --update adds: {' '.join(sorted(missing)[:20])}")
    else:
        print(f"{len(here)} names of this machine, all listed")


if __name__ == "__main__":
    main()
