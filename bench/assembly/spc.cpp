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

#include <spc/memory_pool.h>

#include <memory>

namespace assembly {
namespace {

using Context = const spc_context *;

/// The structs and kernels for a type of values. Kernels' names are overloaded: by position, and with named arguments.
template <class T> struct Types;
template <> struct Types<double> {
  using Csr = spc_csr_f64_i32;
  using Csc = spc_csc_f64_i32;
  using SortedCoo = spc_coo2_f64_i32;
  using ShuffledCoo = spc_cusnu_f64_i32;
  static constexpr auto multiply = [](Context context, auto... arguments) {
    return assembly_multiply_f64_ctx(context, arguments...);
  };
  static constexpr auto freeMultiply = assembly_multiply_f64_free_ctx;
  static constexpr auto multiplyTransposed = [](Context context, auto... arguments) {
    return assembly_multiply_transposed_f64_ctx(context, arguments...);
  };
  static constexpr auto freeMultiplyTransposed = assembly_multiply_transposed_f64_free_ctx;
  static constexpr auto add = [](Context context, auto... arguments) {
    return assembly_add_f64_ctx(context, arguments...);
  };
  static constexpr auto freeAdd = assembly_add_f64_free_ctx;
  static constexpr auto addTransposed = [](Context context, auto... arguments) {
    return assembly_add_transposed_f64_ctx(context, arguments...);
  };
  static constexpr auto freeAddTransposed = assembly_add_transposed_f64_free_ctx;
  static constexpr auto toColumns = [](Context context, auto... arguments) {
    return assembly_csr_to_csc_f64_ctx(context, arguments...);
  };
  static constexpr auto freeToColumns = assembly_csr_to_csc_f64_free_ctx;
  static constexpr auto fromSorted = [](Context context, auto... arguments) {
    return assembly_coo_to_csr_f64_ctx(context, arguments...);
  };
  static constexpr auto freeFromSorted = assembly_coo_to_csr_f64_free_ctx;
  static constexpr auto fromShuffled = [](Context context, auto... arguments) {
    return assembly_shuffled_to_csr_f64_ctx(context, arguments...);
  };
  static constexpr auto freeFromShuffled = assembly_shuffled_to_csr_f64_free_ctx;
};
template <> struct Types<float> {
  using Csr = spc_csr_f32_i32;
  using Csc = spc_csc_f32_i32;
  using SortedCoo = spc_coo2_f32_i32;
  using ShuffledCoo = spc_cusnu_f32_i32;
  static constexpr auto multiply = [](Context context, auto... arguments) {
    return assembly_multiply_f32_ctx(context, arguments...);
  };
  static constexpr auto freeMultiply = assembly_multiply_f32_free_ctx;
  static constexpr auto multiplyTransposed = [](Context context, auto... arguments) {
    return assembly_multiply_transposed_f32_ctx(context, arguments...);
  };
  static constexpr auto freeMultiplyTransposed = assembly_multiply_transposed_f32_free_ctx;
  static constexpr auto add = [](Context context, auto... arguments) {
    return assembly_add_f32_ctx(context, arguments...);
  };
  static constexpr auto freeAdd = assembly_add_f32_free_ctx;
  static constexpr auto addTransposed = [](Context context, auto... arguments) {
    return assembly_add_transposed_f32_ctx(context, arguments...);
  };
  static constexpr auto freeAddTransposed = assembly_add_transposed_f32_free_ctx;
  static constexpr auto toColumns = [](Context context, auto... arguments) {
    return assembly_csr_to_csc_f32_ctx(context, arguments...);
  };
  static constexpr auto freeToColumns = assembly_csr_to_csc_f32_free_ctx;
  static constexpr auto fromSorted = [](Context context, auto... arguments) {
    return assembly_coo_to_csr_f32_ctx(context, arguments...);
  };
  static constexpr auto freeFromSorted = assembly_coo_to_csr_f32_free_ctx;
  static constexpr auto fromShuffled = [](Context context, auto... arguments) {
    return assembly_shuffled_to_csr_f32_ctx(context, arguments...);
  };
  static constexpr auto freeFromShuffled = assembly_shuffled_to_csr_f32_free_ctx;
};

template <class T> typename Types<T>::Csr structOf(const Csr<T> &a) {
  return {a.rows, a.columns, int64_t(a.values.size()), a.pointers.data(), a.indices.data(), a.values.data()};
}

/// One of the two structs of coordinates.
template <class Struct, class T> Struct structOf(const Coo<T> &a) {
  const int32_t *rows = a.row.data(), *columns = a.column.data();
  const T *values = a.values.data();
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

/// Where kernels have their threads and memory from, asked for each call.
using MakeContext = std::function<spc_context()>;

/// `call` has the kernel assemble the output.
template <class T, class Output>
Contender<T> contender(const MakeContext &make, void (*release)(Context, Output *),
                       const std::function<spc_status(Context, Output *)> &call) {
  auto output = std::make_shared<Output>();
  const auto run = [=] {
    const spc_context context = make();
    check(call(&context, output.get()) == SPC_OK, "a kernel of spc returned an error");
  };
  const auto free = [=] {
    const spc_context context = make();
    release(&context, output.get());
  };
  return {"spc", run, [=] { return copyOf<T>(*output); }, free};
}

template <class T> Contender<T> makeContender(Operation operation, const Input<T> &input, const MakeContext &make) {
  using Of = Types<T>;
  using Rows = typename Of::Csr;
  using Columns = typename Of::Csc;
  const Rows a = structOf(input.csr);
  switch (operation) {
  case Operation::Square:
    return contender<T, Rows>(make, Of::freeMultiply,
                              [=](Context context, Rows *c) { return Of::multiply(context, &a, &a, c); });
  case Operation::TimesTranspose:
    return contender<T, Rows>(make, Of::freeMultiplyTransposed,
                              [=](Context context, Rows *c) { return Of::multiplyTransposed(context, &a, &a, c); });
  case Operation::Plus:
    return contender<T, Rows>(make, Of::freeAdd, [=, b = structOf(input.other)](Context context, Rows *c) {
      return Of::add(context, &a, &b, c);
    });
  case Operation::PlusTranspose:
    return contender<T, Rows>(make, Of::freeAddTransposed,
                              [=](Context context, Rows *c) { return Of::addTransposed(context, &a, c); });
  case Operation::ToColumns:
    return contender<T, Columns>(make, Of::freeToColumns,
                                 [=](Context context, Columns *c) { return Of::toColumns(context, &a, c); });
  case Operation::FromSorted:
    return contender<T, Rows>(make, Of::freeFromSorted,
                              [b = structOf<typename Of::SortedCoo>(input.coo)](Context context, Rows *c) {
                                return Of::fromSorted(context, &b, c);
                              });
  case Operation::FromShuffled:
    break;
  }
  return contender<T, Rows>(make, Of::freeFromShuffled,
                            [b = structOf<typename Of::ShuffledCoo>(input.coo)](Context context, Rows *c) {
                              return Of::fromShuffled(context, &b, c);
                            });
}

struct DestroyPool {
  void operator()(spc_memory_pool *pool) const {
    spc_memory_pool_destroy(pool);
    delete pool;
  }
};

} // namespace

template <class T>
std::optional<Contender<T>> spcContender(Operation operation, const Input<T> &input, int /*threads*/) {
  return makeContender(operation, input, spc_default_context);
}

template <class T>
std::optional<Contender<T>> spcPoolContender(Operation operation, const Input<T> &input, int /*threads*/) {
  if (operation != Operation::Square && operation != Operation::Plus)
    return std::nullopt;
  const std::shared_ptr<spc_memory_pool> pool(new spc_memory_pool, DestroyPool());
  spc_memory_pool_init(pool.get(), nullptr);
  Contender<T> pooled = makeContender<T>(operation, input, [=] { return spc_memory_pool_context(pool.get()); });
  pooled.name = "spc-pool";
  return pooled;
}

template std::optional<Contender<double>> spcContender(Operation, const Input<double> &, int);
template std::optional<Contender<float>> spcContender(Operation, const Input<float> &, int);
template std::optional<Contender<double>> spcPoolContender(Operation, const Input<double> &, int);
template std::optional<Contender<float>> spcPoolContender(Operation, const Input<float> &, int);

} // namespace assembly
