// The kernels that spc generates.
#include "task.h"

#include "harness.h"

#include "assembly_add_f32.h"
#include "assembly_add_f64.h"
#include "assembly_add_transposed_f32.h"
#include "assembly_add_transposed_f64.h"
#include "assembly_coo_to_csr_f32.h"
#include "assembly_coo_to_csr_f64.h"
#include "assembly_csr_to_csc_f32.h"
#include "assembly_csr_to_csc_f64.h"
#include "assembly_multiply_f32.h"
#include "assembly_multiply_f64.h"
#include "assembly_multiply_transposed_f32.h"
#include "assembly_multiply_transposed_f64.h"
#include "assembly_shuffled_to_csr_f32.h"
#include "assembly_shuffled_to_csr_f64.h"

#include <memory>

namespace assembly {
namespace {

/// The structs and kernels for a type of values. Kernels' names are overloaded: by position, and with named arguments.
template <class T> struct Types;
template <> struct Types<double> {
  using Csr = spc_csr_f64_i32;
  using Csc = spc_csc_f64_i32;
  using SortedCoo = spc_coo2_f64_i32;
  using ShuffledCoo = spc_cusnu_f64_i32;
  static constexpr auto multiply = [](auto... arguments) { return assembly_multiply_f64(arguments...); };
  static constexpr auto freeMultiply = assembly_multiply_f64_free;
  static constexpr auto multiplyTransposed = [](auto... arguments) {
    return assembly_multiply_transposed_f64(arguments...);
  };
  static constexpr auto freeMultiplyTransposed = assembly_multiply_transposed_f64_free;
  static constexpr auto add = [](auto... arguments) { return assembly_add_f64(arguments...); };
  static constexpr auto freeAdd = assembly_add_f64_free;
  static constexpr auto addTransposed = [](auto... arguments) { return assembly_add_transposed_f64(arguments...); };
  static constexpr auto freeAddTransposed = assembly_add_transposed_f64_free;
  static constexpr auto toColumns = [](auto... arguments) { return assembly_csr_to_csc_f64(arguments...); };
  static constexpr auto freeToColumns = assembly_csr_to_csc_f64_free;
  static constexpr auto fromSorted = [](auto... arguments) { return assembly_coo_to_csr_f64(arguments...); };
  static constexpr auto freeFromSorted = assembly_coo_to_csr_f64_free;
  static constexpr auto fromShuffled = [](auto... arguments) { return assembly_shuffled_to_csr_f64(arguments...); };
  static constexpr auto freeFromShuffled = assembly_shuffled_to_csr_f64_free;
};
template <> struct Types<float> {
  using Csr = spc_csr_f32_i32;
  using Csc = spc_csc_f32_i32;
  using SortedCoo = spc_coo2_f32_i32;
  using ShuffledCoo = spc_cusnu_f32_i32;
  static constexpr auto multiply = [](auto... arguments) { return assembly_multiply_f32(arguments...); };
  static constexpr auto freeMultiply = assembly_multiply_f32_free;
  static constexpr auto multiplyTransposed = [](auto... arguments) {
    return assembly_multiply_transposed_f32(arguments...);
  };
  static constexpr auto freeMultiplyTransposed = assembly_multiply_transposed_f32_free;
  static constexpr auto add = [](auto... arguments) { return assembly_add_f32(arguments...); };
  static constexpr auto freeAdd = assembly_add_f32_free;
  static constexpr auto addTransposed = [](auto... arguments) { return assembly_add_transposed_f32(arguments...); };
  static constexpr auto freeAddTransposed = assembly_add_transposed_f32_free;
  static constexpr auto toColumns = [](auto... arguments) { return assembly_csr_to_csc_f32(arguments...); };
  static constexpr auto freeToColumns = assembly_csr_to_csc_f32_free;
  static constexpr auto fromSorted = [](auto... arguments) { return assembly_coo_to_csr_f32(arguments...); };
  static constexpr auto freeFromSorted = assembly_coo_to_csr_f32_free;
  static constexpr auto fromShuffled = [](auto... arguments) { return assembly_shuffled_to_csr_f32(arguments...); };
  static constexpr auto freeFromShuffled = assembly_shuffled_to_csr_f32_free;
};

// Operands are only read, though their structs' pointers are not to const.

template <class T> typename Types<T>::Csr structOf(const Csr<T> &a) {
  return {a.rows,
          a.columns,
          int64_t(a.values.size()),
          const_cast<int32_t *>(a.pointers.data()),
          const_cast<int32_t *>(a.indices.data()),
          const_cast<T *>(a.values.data())};
}

/// One of the two structs of coordinates.
template <class Struct, class T> Struct structOf(const Coo<T> &a) {
  auto *rows = const_cast<int32_t *>(a.row.data()), *columns = const_cast<int32_t *>(a.column.data());
  auto *values = const_cast<T *>(a.values.data());
  const auto count = int64_t(a.values.size());
  if constexpr (std::is_same_v<Struct, typename Types<T>::SortedCoo>)
    return {a.rows, a.columns, count, rows, columns, values};
  else
    return {{a.rows, a.columns}, count, rows, columns, values};
}

template <class T>
Csr<T> copyOf(int64_t rows, int64_t columns, int64_t count, const int32_t *pointers, const int32_t *indices,
              const T *values) {
  return {rows, columns, {pointers, pointers + rows + 1}, {indices, indices + count}, {values, values + count}};
}

template <class T> Csr<T> copyOf(const typename Types<T>::Csr &a) {
  return copyOf<T>(a.nrows, a.ncols, a.nnz, a.row_ptr, a.col_ind, a.values);
}

template <class T> Csr<T> copyOf(const typename Types<T>::Csc &a) {
  return copyOf<T>(a.ncols, a.nrows, a.nnz, a.col_ptr, a.row_ind, a.values);
}

/// `call` has the kernel assemble the output.
template <class T, class Output>
Contender<T> contender(void (*release)(Output *), const std::function<spc_status(Output *)> &call) {
  auto output = std::make_shared<Output>();
  return {"spc", [=] { check(call(output.get()) == SPC_OK, "a kernel of spc returned an error"); },
          [=] { return copyOf<T>(*output); }, [=] { release(output.get()); }};
}

} // namespace

template <class T>
std::optional<Contender<T>> spcContender(Operation operation, const Input<T> &input, int /*threads*/) {
  using Of = Types<T>;
  using Rows = typename Of::Csr;
  const Rows a = structOf(input.csr);
  switch (operation) {
  case Operation::Square:
    return contender<T, Rows>(Of::freeMultiply, [=](Rows *c) { return Of::multiply(&a, &a, c); });
  case Operation::TimesTranspose:
    return contender<T, Rows>(Of::freeMultiplyTransposed, [=](Rows *c) { return Of::multiplyTransposed(&a, &a, c); });
  case Operation::Plus:
    return contender<T, Rows>(Of::freeAdd, [=, b = structOf(input.other)](Rows *c) { return Of::add(&a, &b, c); });
  case Operation::PlusTranspose:
    return contender<T, Rows>(Of::freeAddTransposed, [=](Rows *c) { return Of::addTransposed(&a, c); });
  case Operation::ToColumns:
    return contender<T, typename Of::Csc>(Of::freeToColumns, [=](typename Of::Csc *c) { return Of::toColumns(&a, c); });
  case Operation::FromSorted:
    return contender<T, Rows>(Of::freeFromSorted, [b = structOf<typename Of::SortedCoo>(input.coo)](Rows *c) {
      return Of::fromSorted(&b, c);
    });
  case Operation::FromShuffled:
    return contender<T, Rows>(Of::freeFromShuffled, [b = structOf<typename Of::ShuffledCoo>(input.coo)](Rows *c) {
      return Of::fromShuffled(&b, c);
    });
  }
  return std::nullopt;
}

template std::optional<Contender<double>> spcContender(Operation, const Input<double> &, int);
template std::optional<Contender<float>> spcContender(Operation, const Input<float> &, int);

} // namespace assembly
