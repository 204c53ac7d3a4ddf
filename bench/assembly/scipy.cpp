// What SciPy's C++ does (csr_tocsc, coo_tocsr, csr_sort_indices, csr_sum_duplicates), written anew after the published
// algorithms. Its coo.tocsr() sorts and sums where a pass over the result finds that it must.
#include "task.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <tuple>
#include <utility>

namespace assembly {
namespace {

struct Free {
  void operator()(void *memory) const { std::free(memory); }
};
template <class T> using Array = std::unique_ptr<T[], Free>;

/// As numpy.empty() does.
template <class T> Array<T> empty(size_t count) {
  return Array<T>(static_cast<T *>(std::malloc(std::max(count, size_t(1)) * sizeof(T))));
}

template <class T> struct Result {
  int64_t rows = 0, columns = 0;
  Array<int32_t> pointers, indices;
  Array<T> values;
};

/// Counts become the places where rows begin.
void accumulate(int32_t *pointers, int64_t rows, int32_t total) {
  int32_t sum = 0;
  for (int64_t i = 0; i < rows; ++i)
    sum += std::exchange(pointers[i], sum);
  pointers[rows] = total;
}

/// Filling has moved each pointer to where its row ends: moves them back.
void shiftBack(int32_t *pointers, int64_t rows) {
  int32_t last = 0;
  for (int64_t i = 0; i <= rows; ++i)
    std::swap(pointers[i], last);
}

template <class T> Result<T> csrToCsc(const Csr<T> &a) {
  const size_t count = a.values.size();
  Result<T> b{a.columns, a.rows, empty<int32_t>(a.columns + 1), empty<int32_t>(count), empty<T>(count)};
  std::fill_n(b.pointers.get(), a.columns, 0);
  for (int32_t column : a.indices)
    ++b.pointers[column];
  accumulate(b.pointers.get(), a.columns, int32_t(count));
  for (int64_t i = 0; i < a.rows; ++i)
    for (int32_t p = a.pointers[i]; p < a.pointers[i + 1]; ++p) {
      const int32_t place = b.pointers[a.indices[p]]++;
      b.indices[place] = int32_t(i);
      b.values[place] = a.values[p];
    }
  shiftBack(b.pointers.get(), a.columns);
  return b;
}

template <class T> bool isCanonical(const Result<T> &a) {
  for (int64_t i = 0; i < a.rows; ++i)
    for (int32_t p = a.pointers[i] + 1; p < a.pointers[i + 1]; ++p)
      if (a.indices[p - 1] >= a.indices[p])
        return false;
  return true;
}

template <class T> void sortIndices(Result<T> &a) {
  std::vector<std::pair<int32_t, T>> row;
  for (int64_t i = 0; i < a.rows; ++i) {
    row.clear();
    for (int32_t p = a.pointers[i]; p < a.pointers[i + 1]; ++p)
      row.emplace_back(a.indices[p], a.values[p]);
    std::sort(row.begin(), row.end(), [](const auto &x, const auto &y) { return x.first < y.first; });
    for (size_t n = 0; n < row.size(); ++n)
      std::tie(a.indices[a.pointers[i] + n], a.values[a.pointers[i] + n]) = row[n];
  }
}

template <class T> void sumDuplicates(Result<T> &a) {
  int32_t count = 0, end = 0;
  for (int64_t i = 0; i < a.rows; ++i) {
    int32_t p = end;
    end = a.pointers[i + 1];
    while (p < end) {
      const int32_t column = a.indices[p];
      T sum = a.values[p];
      for (++p; p < end && a.indices[p] == column; ++p)
        sum += a.values[p];
      a.indices[count] = column;
      a.values[count++] = sum;
    }
    a.pointers[i + 1] = count;
  }
}

template <class T> Result<T> cooToCsr(const Coo<T> &a) {
  const size_t count = a.values.size();
  Result<T> b{a.rows, a.columns, empty<int32_t>(a.rows + 1), empty<int32_t>(count), empty<T>(count)};
  std::fill_n(b.pointers.get(), a.rows, 0);
  for (int32_t row : a.row)
    ++b.pointers[row];
  accumulate(b.pointers.get(), a.rows, int32_t(count));
  for (size_t e = 0; e < count; ++e) {
    const int32_t place = b.pointers[a.row[e]]++;
    b.indices[place] = a.column[e];
    b.values[place] = a.values[e];
  }
  shiftBack(b.pointers.get(), a.rows);
  if (!isCanonical(b)) {
    sortIndices(b);
    sumDuplicates(b);
  }
  return b;
}

template <class T> Csr<T> copyOf(const Result<T> &a) {
  const int32_t count = a.pointers[a.rows];
  return {a.rows,
          a.columns,
          {a.pointers.get(), a.pointers.get() + a.rows + 1},
          {a.indices.get(), a.indices.get() + count},
          {a.values.get(), a.values.get() + count}};
}

} // namespace

template <class T>
std::optional<Contender<T>> scipyContender(Operation operation, const Input<T> &input, int /*threads*/) {
  std::function<Result<T>()> compute;
  if (operation == Operation::ToColumns)
    compute = [&input] { return csrToCsc(input.csr); };
  else if (operation == Operation::FromSorted || operation == Operation::FromShuffled)
    compute = [&input] { return cooToCsr(input.coo); };
  else
    return std::nullopt;
  auto result = std::make_shared<Result<T>>();
  return Contender<T>{"scipy", [=] { *result = compute(); }, [=] { return copyOf(*result); }, [=] { *result = {}; }};
}

template std::optional<Contender<double>> scipyContender(Operation, const Input<double> &, int);
template std::optional<Contender<float>> scipyContender(Operation, const Input<float> &, int);

} // namespace assembly
