"""Compilers and what is run with them: shared by the scripts of this folder."""

import shutil
import subprocess

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]

# C++20, with the library in include/spc.
CXX20 = {"memory_pool_client.cpp", "cpp_client.cpp", "cpp_formats_client.cpp", "cpp_outputs_client.cpp", "eigen_client.cpp"}


class Failed(Exception):
    pass


commands = 0  # that ran as they should; tests/counts adds them up


def run(command, **options):
    global commands
    commands += 1
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, **options)
    if done.returncode != 0:
        shown = " ".join(str(word) for word in command)
        raise Failed(f"{shown}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def cxx_of(compiler):
    return compiler.replace("clang", "clang++") if "clang" in compiler else compiler.replace("gcc", "g++")


def language(compiler, source):
    """The compiler for a source and its language options."""
    if source.endswith(".c"):
        return [compiler, "-std=c11"]
    return [cxx_of(compiler), "-std=c++20" if source in CXX20 else "-std=c++17"]


def can_sanitize(compiler, flags, work):
    """Whether the sanitizers' libraries are there, and run here."""
    probe = work / "probe.cpp"
    probe.write_text("int main() { return 0; }\n")
    built = subprocess.run([cxx_of(compiler), *flags, probe, "-o", work / "probe"], capture_output=True)
    return built.returncode == 0 and subprocess.run([work / "probe"], capture_output=True).returncode == 0
