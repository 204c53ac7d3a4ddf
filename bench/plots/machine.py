"""What the machine is that results come from."""

import datetime
import os
import pathlib
import platform
import re
import subprocess

_CPUS = pathlib.Path("/sys/devices/system/cpu")
# Instruction sets that decide what vectors a kernel has, from the widest down.
_FEATURES = ("avx512f", "avx2", "avx", "sse4_2", "sve", "asimd")


def _text(path):
    try:
        return pathlib.Path(path).read_text(errors="replace").strip()
    except OSError:
        return ""


def _first_line(*command):
    """The first line that a command prints; empty where it cannot be run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout.splitlines() or [""])[0].strip() if done.returncode == 0 else ""


def _field(text, *names):
    """The value of the first "name : value" line with one of the names."""
    for name in names:
        found = re.search(rf"^{re.escape(name)}\s*:\s*(.+)$", text, re.MULTILINE)
        if found:
            return found[1].strip()
    return ""


def _sharers(list_text):
    """How many CPUs "0-3,8" names."""
    ends = [part.split("-") for part in list_text.split(",") if part]
    return sum(int(end[-1]) - int(end[0]) + 1 for end in ends)


def _caches():
    caches = []
    for index in sorted(_CPUS.glob("cpu0/cache/index*")):
        kind, level, size = (_text(index / name) for name in ("type", "level", "size"))
        if kind == "Instruction" or not size:
            continue
        sharers = _sharers(_text(index / "shared_cpu_list"))
        shared = "each core" if sharers == 1 else f"shared by {sharers}"
        kibibytes = int(size.rstrip("K"))
        amount = f"{kibibytes >> 10} MiB" if kibibytes % 1024 == 0 else f"{kibibytes} KiB"
        caches.append(f"L{level} {amount} ({shared})")
    return ", ".join(caches)


def _memory():
    kibibytes = re.match(r"\d+", _field(_text("/proc/meminfo"), "MemTotal"))
    pages = re.search(r"\[(\w+)\]", _text("/sys/kernel/mm/transparent_hugepage/enabled"))
    return ", ".join(filter(None, (f"{int(kibibytes[0]) / 2 ** 20:.0f} GiB" if kibibytes else "",
                                   f"transparent huge pages: {pages[1]}" if pages else "")))


def _processor():
    info = _text("/proc/cpuinfo")
    family, model = _field(info, "cpu family"), _field(info, "model")
    name = _field(info, "model name", "Model") or platform.processor() or platform.machine()
    flags = _field(info, "flags", "Features").split()
    widest = next((feature for feature in _FEATURES if feature in flags), "")
    virtual = "virtual machine" if "hypervisor" in flags else ""
    numbers = f"family {family} model {model}" if family else ""
    return ", ".join(filter(None, (name, numbers, widest, virtual)))


def _system():
    release = re.search(r'^PRETTY_NAME="?([^"\n]+)', _text("/etc/os-release"), re.MULTILINE)
    return ", ".join(filter(None, (release[1] if release else "", f"{platform.system()} {platform.release()}")))


def peers_of(place):
    """[(name, version)] of the peers in an environment that `bench/run --peers` has made."""
    names = {"mkl": "oneMKL", "suitesparse_graphblas": "SuiteSparse:GraphBLAS", "scipy": "SciPy", "torch": "PyTorch",
             "sparse": "pydata/sparse"}
    found = {}
    for info in sorted(pathlib.Path(place).glob("lib/python3*/site-packages/*.dist-info")):
        name, _, version = info.stem.rpartition("-")
        if name in names:
            found[names[name]] = version
    return list(found.items())


def _libraries(peers):
    """The peers' libraries, as Debian's packages have them, or PyPI's in the folder `peers`."""
    packages = {"libeigen3-dev": "Eigen", "libgraphblas-dev": "SuiteSparse:GraphBLAS", "librsb-dev": "librsb",
                "libmlir-22-dev": "MLIR"}
    versions = {name: _first_line("dpkg-query", "-W", "-f=${Version}", package) for package, name in packages.items()}
    known = {name: re.sub("^[0-9]+:", "", version) for name, version in versions.items() if version}
    known.update(peers_of(peers) if peers else [])
    return ", ".join(f"{name} {version}" for name, version in known.items())


def _llvm_name():
    """What LLVM calls the processor, such as znver5, by a clang that is there; else a name made of the processor's
    numbers."""
    native = "-march=native" if platform.machine() in ("x86_64", "AMD64") else "-mcpu=native"
    newest = sorted(pathlib.Path("/usr/lib").glob("llvm-*/bin/clang"),
                    key=lambda path: [int(number) for number in re.findall(r"\d+", path.parts[3])], reverse=True)
    for clang in (*map(str, newest), "clang"):
        try:
            done = subprocess.run([clang, native, "-###", "-c", "-x", "c", os.devnull], capture_output=True, text=True,
                                  timeout=30)
        except (OSError, subprocess.TimeoutExpired):
            continue
        found = re.search(r'"-target-cpu" "([\w.-]+)"', done.stderr)
        if found and found[1] not in ("x86-64", "generic"):  # one that is older than the processor
            return found[1]
    info = _text("/proc/cpuinfo")
    numbers = (_field(info, "vendor_id", "CPU implementer"), _field(info, "cpu family"),
               _field(info, "model", "CPU part"))
    return re.sub(r"[^a-z0-9]+", "-", "-".join(filter(None, numbers)).lower()) or "unknown"


def describe(spc, source, peers=None):
    """[(what, description)] of this machine, of the compiler `spc` and of the source tree, without what is unknown; peers:
    the environment of those that PyPI has."""
    commit = _first_line("git", "-C", str(source), "describe", "--always", "--dirty")
    rows = [
        ("processor", _processor()),
        ("LLVM's name", _llvm_name()),
        ("cores", str(len(os.sched_getaffinity(0)))),
        ("caches", _caches()),
        ("memory", _memory()),
        ("system", _system()),
        ("compilers", "; ".join(filter(None, (_first_line("c++", "--version"), _first_line("clang", "--version"))))),
        ("libraries", _libraries(peers)),
        ("spc", ", ".join(filter(None, (_first_line(str(spc), "--version"), f"commit {commit}" if commit else "")))),
        ("date", datetime.date.today().isoformat()),
    ]
    return [(what, value) for what, value in rows if value]
