"""Threads, forks, garbage collection, and memory over many calls: each in a process of its own."""
# SPDX-License-Identifier: Apache-2.0

import os
import shutil
import subprocess
import sys
import textwrap

import pytest

from support import GROWTH

PRELUDE = """
import functools, gc, os, sys, threading, time
import numpy as np, scipy.sparse as sp
import spc
rng = np.random.default_rng(1)
a = sp.random(3000, 3000, 0.01, "csr", random_state=1)
b = rng.random((3000, 8))
spmm = spc.kernel("C(i,k) = A(i,j) * B(j,k)", A="csr")
spgemm = spc.kernel("C(i,l) = A(i,j) * B(j,l)", A="csr", B="csr", C="csr")
sddmm = spc.kernel("D(i,j) = S(i,j) * P(i,l) * Q(j,l)", S="csr")
@functools.lru_cache(maxsize=None)
def wanted():
    square = a @ a
    square.sort_indices()
    return a @ b, square
def right():
    product, square = wanted()
    got = spgemm(a, a)
    return np.allclose(spmm(a, b), product) and np.allclose(got.data, square.data) and all(
        np.array_equal(getattr(got, name), getattr(square, name)) for name in ("indptr", "indices"))
""" + GROWTH


def run(code, timeout=120, **environment):
    """Runs code in a process; returns what it prints."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", PRELUDE + textwrap.dedent(code)], capture_output=True,
                          text=True, env={**os.environ, **environment}, timeout=timeout, check=False)
    assert done.returncode == 0, f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout.strip()


def test_how_many_threads():
    code = "print(spc.get_threads())"
    cores = str(len(os.sched_getaffinity(0)))
    assert run(code, SPC_NUM_THREADS="", OMP_NUM_THREADS="") == cores
    assert run(code, SPC_NUM_THREADS="3", OMP_NUM_THREADS="2") == "3"
    assert run(code, SPC_NUM_THREADS="", OMP_NUM_THREADS="2,4") == "2"
    assert run("""
        for count in (1, 4, 2, None):
            spc.set_threads(count)
            assert spc.get_threads() == (count or len(os.sched_getaffinity(0)))
            assert right()
        for count in (0, -1):
            try:
                spc.set_threads(count)
            except ValueError:
                continue
            sys.exit(1)
        """, SPC_NUM_THREADS="", OMP_NUM_THREADS="") == ""


def test_threads_that_wait_take_no_time():
    """So that those of torch and OpenMP have the processors to themselves between calls."""
    run("""
        spc.set_threads(4)
        for _ in range(5):
            spmm(a, b)
        tasks = len(os.listdir("/proc/self/task"))
        time.sleep(0.05)
        start = time.process_time()
        time.sleep(0.3)
        assert time.process_time() - start < 0.1
        for _ in range(20):
            spmm(a, b)
        assert len(os.listdir("/proc/self/task")) == tasks <= 4 + 3 * 8, tasks
        """, OPENBLAS_NUM_THREADS="1")


def test_forks():
    run("""
        spc.set_threads(2)
        assert right()
        kept = spgemm(a, a)
        for _ in range(3):
            child = os.fork()
            if child == 0:
                fine = right() and np.allclose((kept - a @ a).data, 0)
                gc.collect()
                os._exit(0 if fine else 1)
            assert os.waitpid(child, 0)[1] == 0
            assert right()
        del kept
        """)


def test_forks_while_threads_call():
    """A child does not wait for a lock that a thread of its parent held."""
    run("""
        spc.set_threads(2)
        assert right()
        stop = threading.Event()
        def work():
            while not stop.is_set():
                spgemm(a, a)
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for _ in range(6):
            child = os.fork()
            if child == 0:
                os._exit(0 if right() else 1)
            assert os.waitpid(child, 0)[1] == 0
        stop.set()
        for thread in threads:
            thread.join()
        """, timeout=60)


def test_forks_while_threads_call_what_is_bound():
    """A child finds the locks of calls free."""
    run("""
        import signal
        call, plan = spmm.bind(a, b), spgemm.plan(a, a)
        stop = threading.Event()
        def work(repeated):
            while not stop.is_set():
                repeated()
        threads = [threading.Thread(target=work, args=(repeated,)) for repeated in (call, plan)]
        for thread in threads:
            thread.start()
        states = []
        for _ in range(5):
            child = os.fork()
            if child == 0:
                signal.alarm(20)
                os._exit(0 if np.allclose(call(), a @ b) and abs((plan() - a @ a)).max() < 1e-9 else 1)
            states.append(os.waitpid(child, 0)[1])
        stop.set()
        for thread in threads:
            thread.join()
        assert states == [0] * 5, states
        """)


def test_openmp_is_shared():
    """Beside torch, loops run on the threads of OpenMP: of the thread that imports the operators, and not in children."""
    pytest.importorskip("torch")
    run("""
        import torch
        before = len(os.listdir("/proc/self/task"))
        import spc.torch
        from spc.call import threads
        spc.set_threads(3)
        torch.set_num_threads(3)
        x = torch.rand(4000, 4000)
        def count():
            return len(os.listdir("/proc/self/task"))
        x.sum()
        shared = threads.share_openmp()
        if not shared:
            sys.exit(0 if not any("libgomp.so" in line for line in open("/proc/self/maps")) else 1)
        of_torch = count()
        for _ in range(50):
            assert right()
            x.sum()
        assert count() == of_torch, (count(), of_torch)
        others = [threading.Thread(target=lambda: results.append(right())) for _ in range(3)]
        results = []
        for other in others:
            other.start()
        assert right()
        for other in others:
            other.join()
        assert results == [True] * 3
        for _ in range(4):
            child = os.fork()
            if child == 0:
                os._exit(0 if right() and right() else 1)
            assert os.waitpid(child, 0)[1] == 0
            assert right()
        """, SPC_NUM_THREADS="", OMP_NUM_THREADS="3", OPENBLAS_NUM_THREADS="1", timeout=60)


def test_torch_says_how_many_threads_there_may_be():
    """`torch.set_num_threads(1)`, which the workers of torch's DataLoader call, holds for kernels: no thread is started."""
    pytest.importorskip("torch")
    run("""
        import torch
        import spc.torch
        from spc.call import threads
        spc.set_threads(3)
        torch.set_num_threads(1)
        if not threads.share_openmp():
            sys.exit(0 if not any("libgomp.so" in line for line in open("/proc/self/maps")) else 1)
        def count():
            return len(os.listdir("/proc/self/task"))
        before = count()
        for _ in range(20):
            assert right()
        assert count() == before, (before, count())
        child = os.fork()
        if child == 0:
            alone = count()
            os._exit(0 if right() and count() == alone else 1)
        assert os.waitpid(child, 0)[1] == 0
        torch.set_num_threads(2)
        torch.rand(4000, 4000).sum()
        of_torch = count()
        for _ in range(20):
            assert right()
        assert count() == of_torch, (of_torch, count())
        """, SPC_NUM_THREADS="", OMP_NUM_THREADS="3", OPENBLAS_NUM_THREADS="1", timeout=60)


def test_pools_of_processes():
    run("""
        import multiprocessing
        for method in ("fork", "spawn"):
            with multiprocessing.get_context(method).Pool(2) as pool:
                results = pool.starmap(spgemm, [(a, a)] * 4)
            assert all(abs(result - a @ a).max() < 1e-9 for result in results)
        """)


def test_the_interpreter_goes_on_meanwhile():
    run("""
        spc.set_threads(1)
        product = spc.kernel("C(i,k) = A(i,j) * B(j,k)", options=["-O1"])
        wide, done = rng.random((600, 600)), []
        product(wide, wide)
        thread = threading.Thread(target=lambda: done.append(product(wide, wide)))
        steps = 0
        thread.start()
        while not done:
            time.sleep(0.001)
            steps += 1
        thread.join()
        assert steps >= 5, steps
        """)


def test_memory_of_results():
    """It goes back with the last array that views it, in the order of nobody's choosing."""
    run("""
        import weakref
        first = spgemm(a, a)
        used = spc.held_memory()
        assert used > first.data.nbytes
        values = first.data[5:]
        view, expected = weakref.ref(first), values.copy()
        del first
        gc.collect()
        assert view() is None
        spgemm(a, a)
        assert (values == expected).all()
        spc.trim_memory()
        assert spc.held_memory() < used
        kept = spc.held_memory()
        del values
        gc.collect()
        spc.trim_memory()
        assert spc.held_memory() < kept // 2, (spc.held_memory(), kept)
        results = [spgemm(a, a) for _ in range(3)]
        try:
            raise RuntimeError(results[0])
        except RuntimeError:
            pass
        cycle = [results]
        cycle.append(cycle)
        del cycle, results
        gc.collect()
        spc.trim_memory()
        assert spc.held_memory() < kept // 2
        """)


def test_nothing_leaks():
    """100,000 calls, with new operands, errors, threads, forks and garbage collection in between."""
    run("""
        spc.set_threads(2)
        small = [sp.random(30, 30, 0.2, "csr", random_state=k) for k in range(4)]
        p, q, out = rng.random((30, 4)), rng.random((30, 4)), np.empty((30, 4))
        wrong = small[0].copy()
        wrong.indices[0] = 99
        def work(count):
            for k in range(count):
                s = small[k % 4]
                kind = k % 20
                if kind < 10:
                    spmm(s, p, out=out)
                elif kind < 14:
                    spmm(s, p.copy())
                elif kind < 17:
                    spgemm(s, small[(k + 1) % 4])
                elif kind < 19:
                    sddmm(s.copy(), p, q)
                else:
                    try:
                        spmm(wrong, p)
                    except spc.StructureError:
                        pass
        def round_of_calls():
            work(15000)
            in_two_threads(work, 5000)
            child = os.fork()
            if child == 0:
                work(100)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        check_growth(round_of_calls)
        """)


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
def test_address_sanitizer(tmp_path):
    """The library of contexts and checks, and kernels that watch themselves, under AddressSanitizer."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    helper = tmp_path / "libspc_contexts.so"
    subprocess.run(["cc", "-std=c11", "-g", "-O1", "-fsanitize=address", "-shared", "-fPIC", "-pthread",
                    f"-I{root}/include", f"{root}/python/native/contexts.c", "-o", helper], check=True)
    runtime = subprocess.run(["cc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    output = run(f"""
        from spc.compiler import toolchain
        toolchain.helper_library = lambda: {str(helper)!r}
        for kind in ("csr", "csc", "coo", "bsr"):
            m, spmv = a[:200, :200].asformat(kind), spc.kernel("y(i) = A(i,j) * x(j)")
            for _ in range(3):
                spmv(m, b[:200, 0].copy())
        assert right()
        for name in ("indices", "indptr"):
            wrong = a.copy()
            getattr(wrong, name)[-1] += 5000
            try:
                spmm(wrong, b)
            except spc.StructureError as error:
                print(error)
        wrong = a.copy()
        wrong.data = wrong.data[:-1].copy()
        try:
            spmm(wrong, b)
        except spc.StructureError as error:
            print(error)
        child = os.fork()
        if child == 0:
            os._exit(0 if right() else 1)
        assert os.waitpid(child, 0)[1] == 0
        """, LD_PRELOAD=runtime.stdout.strip(), ASAN_OPTIONS="detect_leaks=0", SPC_COMPILER=os.environ["SPC_COMPILER"])
    assert len(output.splitlines()) == 3
