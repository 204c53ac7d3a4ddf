// The loops of TACO's published kernels for a sum of sparse matrices (Kjolstad et al., OOPSLA 2017) and for their
// product by a workspace (CGO 2019), written for this bench: not TACO's own output. As there, one thread assembles the
// result, arrays double where they are full, and a row's columns are sorted by qsort().
#include "task.h"

#include "harness.h"

#include <cstdlib>
#include <memory>
#include <vector>

namespace assembly {
namespace {

constexpr int32_t kFirstCapacity = 1 << 20;

template <class T> struct Result {
  int32_t rows = 0, columns = 0, count = 0, indexCapacity = 0, valueCapacity = 0;
  int32_t *pos = nullptr, *crd = nullptr;
  T *values = nullptr;

  Result() = default;
  Result(const Result &) = delete;
  ~Result() { release(); }

  void allocate(int64_t rowCount, int64_t columnCount) {
    rows = int32_t(rowCount), columns = int32_t(columnCount), count = 0;
    indexCapacity = valueCapacity = kFirstCapacity;
    pos = static_cast<int32_t *>(std::malloc(sizeof(int32_t) * (rows + 1)));
    crd = static_cast<int32_t *>(std::malloc(sizeof(int32_t) * indexCapacity));
    values = static_cast<T *>(std::malloc(sizeof(T) * valueCapacity));
    check(pos && crd && values, "out of memory");
    pos[0] = 0;
  }

  void append(int32_t column, T value) {
    if (valueCapacity <= count) {
      values = static_cast<T *>(std::realloc(values, sizeof(T) * 2 * valueCapacity));
      valueCapacity *= 2;
    }
    values[count] = value;
    if (indexCapacity <= count) {
      crd = static_cast<int32_t *>(std::realloc(crd, sizeof(int32_t) * 2 * indexCapacity));
      indexCapacity *= 2;
    }
    crd[count] = column;
    count++;
  }

  void release() {
    std::free(pos), std::free(crd), std::free(values);
    pos = crd = nullptr;
    values = nullptr;
  }

  Csr<T> copy() const { return {rows, columns, {pos, pos + rows + 1}, {crd, crd + count}, {values, values + count}}; }
};

template <class T> void add(const Csr<T> &left, const Csr<T> &right, Result<T> &result) {
  const int32_t *__restrict posA = left.pointers.data(), *__restrict crdA = left.indices.data();
  const int32_t *__restrict posB = right.pointers.data(), *__restrict crdB = right.indices.data();
  const T *__restrict a = left.values.data(), *__restrict b = right.values.data();
  result.allocate(left.rows, left.columns);
  for (int32_t i = 0; i < result.rows; i++) {
    int32_t p = posA[i], q = posB[i];
    const int32_t pEnd = posA[i + 1], qEnd = posB[i + 1];
    while (p < pEnd && q < qEnd) {
      const int32_t columnA = crdA[p], columnB = crdB[q];
      const int32_t j = columnA < columnB ? columnA : columnB;
      if (columnA == j && columnB == j)
        result.append(j, a[p] + b[q]);
      else if (columnA == j)
        result.append(j, a[p]);
      else
        result.append(j, b[q]);
      p += int32_t(columnA == j);
      q += int32_t(columnB == j);
    }
    for (; p < pEnd; p++)
      result.append(crdA[p], a[p]);
    for (; q < qEnd; q++)
      result.append(crdB[q], b[q]);
    result.pos[i + 1] = result.count;
  }
}

int compareColumns(const void *left, const void *right) {
  return *static_cast<const int32_t *>(left) - *static_cast<const int32_t *>(right);
}

template <class T> void multiply(const Csr<T> &left, const Csr<T> &right, Result<T> &result) {
  const int32_t *__restrict posA = left.pointers.data(), *__restrict crdA = left.indices.data();
  const int32_t *__restrict posB = right.pointers.data(), *__restrict crdB = right.indices.data();
  const T *__restrict a = left.values.data(), *__restrict b = right.values.data();
  result.allocate(left.rows, right.columns);
  const std::unique_ptr<T[]> workspace(new T[right.columns]);
  const std::unique_ptr<int32_t[]> list(new int32_t[right.columns]);
  std::vector<uint8_t> isSet(right.columns, 0);
  for (int32_t i = 0; i < result.rows; i++) {
    int32_t size = 0;
    for (int32_t p = posA[i]; p < posA[i + 1]; p++)
      for (int32_t q = posB[crdA[p]]; q < posB[crdA[p] + 1]; q++) {
        const int32_t j = crdB[q];
        if (!isSet[j]) {
          workspace[j] = a[p] * b[q];
          list[size++] = j;
          isSet[j] = 1;
        } else {
          workspace[j] += a[p] * b[q];
        }
      }
    std::qsort(list.get(), size, sizeof(int32_t), compareColumns);
    for (int32_t n = 0; n < size; n++) {
      const int32_t j = list[n];
      result.append(j, workspace[j]);
      isSet[j] = 0;
    }
    result.pos[i + 1] = result.count;
  }
}

} // namespace

template <class T>
std::optional<Contender<T>> tacoLoopsContender(Operation operation, const Input<T> &input, int /*threads*/) {
  auto result = std::make_shared<Result<T>>();
  auto contender = [&](std::function<void()> run) {
    return Contender<T>{"taco-loops", std::move(run), [=] { return result->copy(); }, [=] { result->release(); }};
  };
  if (operation == Operation::Square)
    return contender([=, &input] { multiply(input.csr, input.csr, *result); });
  if (operation == Operation::Plus)
    return contender([=, &input] { add(input.csr, input.other, *result); });
  return std::nullopt;
}

template std::optional<Contender<double>> tacoLoopsContender(Operation, const Input<double> &, int);
template std::optional<Contender<float>> tacoLoopsContender(Operation, const Input<float> &, int);

} // namespace assembly
