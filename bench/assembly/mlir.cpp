// MLIR's own pipeline, as it comes: the sparsifier's loops, compiled by clang. Entries are inserted one by one, into
// arrays that grow; it uses one thread.
#include "mlir_arrays.h"
#include "task.h"

#include <cstdlib>
#include <memory>

namespace assembly {
namespace {

using mlir::Array1;
using mlir::arrayOf;
using I = int64_t;

/// A matrix in CSR that a function has allocated, with its storage specifier.
struct Result {
  Array1 pointers{}, indices{}, values{};
  I levelSizes[2]{}, arraySizes[3]{};

  Result() = default;
  Result(const Result &) = delete;
  ~Result() { release(); }
  void release() {
    for (Array1 *array : {&pointers, &indices, &values})
      std::free(array->allocated), *array = {};
  }
};

/// Of two operands in CSR, whose specifiers are passed in pieces.
using Function = void(Result *, Array1 *, Array1 *, Array1 *, I, I, I, I, I, Array1 *, Array1 *, Array1 *, I, I, I, I,
                      I);

extern "C" {
Function _mlir_ciface_mlir_multiply_f64_scalar, _mlir_ciface_mlir_multiply_f32_scalar;
Function _mlir_ciface_mlir_add_f64_scalar, _mlir_ciface_mlir_add_f32_scalar;
}

template <class T> constexpr Function *kMultiply = _mlir_ciface_mlir_multiply_f64_scalar;
template <> constexpr Function *kMultiply<float> = _mlir_ciface_mlir_multiply_f32_scalar;
template <class T> constexpr Function *kAdd = _mlir_ciface_mlir_add_f64_scalar;
template <> constexpr Function *kAdd<float> = _mlir_ciface_mlir_add_f32_scalar;

template <class T> Csr<T> copyOf(const Result &result) {
  const auto *pointers = static_cast<const int32_t *>(result.pointers.aligned);
  const auto *indices = static_cast<const int32_t *>(result.indices.aligned);
  const auto *values = static_cast<const T *>(result.values.aligned);
  const I rows = result.levelSizes[0], count = pointers[rows];
  return {rows,
          result.levelSizes[1],
          {pointers, pointers + rows + 1},
          {indices, indices + count},
          {values, values + count}};
}

template <class T> void call(Function *function, Result &result, const Csr<T> &a, const Csr<T> &b) {
  Array1 arrays[] = {arrayOf(a.pointers), arrayOf(a.indices), arrayOf(a.values),
                     arrayOf(b.pointers), arrayOf(b.indices), arrayOf(b.values)};
  function(&result, &arrays[0], &arrays[1], &arrays[2], a.rows, a.columns, a.rows + 1, a.entries(), a.entries(),
           &arrays[3], &arrays[4], &arrays[5], b.rows, b.columns, b.rows + 1, b.entries(), b.entries());
}

} // namespace

template <class T>
std::optional<Contender<T>> mlirContender(Operation operation, const Input<T> &input, int /*threads*/) {
  if (operation != Operation::Square && operation != Operation::Plus)
    return std::nullopt;
  auto result = std::make_shared<Result>();
  return Contender<T>{"mlir",
                      [=, &input] {
                        if (operation == Operation::Square)
                          call(kMultiply<T>, *result, input.csr, input.csr);
                        else
                          call(kAdd<T>, *result, input.csr, input.other);
                      },
                      [=] { return copyOf<T>(*result); }, [=] { result->release(); }};
}

template std::optional<Contender<double>> mlirContender(Operation, const Input<double> &, int);
template std::optional<Contender<float>> mlirContender(Operation, const Input<float> &, int);

} // namespace assembly
