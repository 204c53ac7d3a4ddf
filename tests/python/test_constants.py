"""Constants of kernels: numbers of the text, and files, which are no arguments."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
import scipy.sparse as sp

import spc


def test_numbers_of_the_text():
    kernel = spc.kernel("const W(2, 3) = [[1, 0, 2], [0, 4, 0]]\ny(i) = W(i,j) * x(j)", W="csr")
    assert [argument.name for argument in kernel.signature.inputs] == ["x"]
    np.testing.assert_array_equal(kernel(np.array([1.0, 2, 3])), [7, 8])
    with pytest.raises(spc.ArgumentError):
        kernel(np.ones(4))


def test_files_beside_the_kernel_and_in_the_working_directory(tmp_path, monkeypatch):
    np.save(tmp_path / "e.npy", np.arange(6, dtype=np.float32).reshape(3, 2))
    text = 'const E(v, d): f32 = "e.npy"\ntensor tok(n): i64\nR(i,k) = E(tok(i),k)\n'
    (tmp_path / "bag.tex").write_text(text)
    tokens = np.array([2, 0, 2])
    wanted = np.array([[4, 5], [0, 1], [4, 5]], np.float32)
    np.testing.assert_array_equal(spc.kernel(tmp_path / "bag.tex")(tok=tokens), wanted)
    monkeypatch.chdir(tmp_path)
    np.testing.assert_array_equal(spc.kernel(text)(tok=tokens), wanted)
    monkeypatch.chdir("/")
    with pytest.raises(spc.CompileError, match="cannot read the file"):
        spc.kernel(text)(tok=tokens)


def test_a_changed_file_makes_another_kernel(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = 'const w(n) = "w.npy"\ny(i) = w(i) * x(i)'
    np.save("w.npy", np.array([1.0, 2]))
    first = spc.kernel(text)
    np.testing.assert_array_equal(first(np.ones(2)), [1, 2])
    np.save("w.npy", np.array([3.0, 4]))
    np.testing.assert_array_equal(spc.kernel(text)(np.ones(2)), [3, 4])
    np.testing.assert_array_equal(first(np.ones(2)), [1, 2])
    np.save("w.npy", np.array([1.0, 2]))
    np.testing.assert_array_equal(spc.kernel(text)(np.ones(2)), [1, 2])


def test_a_file_that_changes_before_the_first_call_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("w.npy", np.array([5.0, 2]))
    kernel = spc.kernel('const w(n) = "w.npy"\ny(i) = w(i) * x(i) * 7')
    np.save("w.npy", np.array([3.0, 4]))
    with pytest.raises(spc.CompileError, match="has changed since the kernel was made"):
        kernel(np.ones(2))


def test_sparse_files_and_results():
    kernel = spc.kernel("const W(2, 2), sparse = [[1, 0], [3, 4]]\nD(i,j) = W(i,j) * A(i,j)", W="csr", D="csr")
    result = kernel(A=sp.csr_array(np.array([[2.0, 1], [0, 5]])))
    np.testing.assert_array_equal(result.toarray(), [[2, 0], [0, 20]])


def test_mistakes():
    with pytest.raises(spc.CompileError, match="constant-shape"):
        spc.kernel("const W(2, 3) = [[1, 2], [3, 4]]\ny(i) = W(i,j) * x(j)")
