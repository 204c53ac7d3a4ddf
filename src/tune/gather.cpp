#include "tune/gather.h"

#include <chrono>
#include <cstring>

namespace spc::tune {

void gather(const void *from, void *to, const std::vector<int64_t> &shape, size_t dim, const Order &order,
            size_t bytes) {
  int64_t outer = 1, inner = static_cast<int64_t>(bytes);
  for (size_t k = 0; k < shape.size(); ++k)
    (k < dim ? outer : k > dim ? inner : outer) *= k == dim ? 1 : shape[k];
  const int64_t rows = shape[dim];
  for (int64_t block = 0; block < outer; ++block) {
    const auto *source = static_cast<const unsigned char *>(from) + block * rows * inner;
    auto *target = static_cast<unsigned char *>(to) + block * rows * inner;
    if (inner == 8) { // the usual vector: a copy of known size is one instruction
      for (int64_t p = 0; p < rows; ++p)
        std::memcpy(target + p * 8, source + int64_t{order[p]} * 8, 8);
      continue;
    }
    for (int64_t p = 0; p < rows; ++p)
      std::memcpy(target + p * inner, source + order[p] * inner, static_cast<size_t>(inner));
  }
}

double gatherSeconds(const void *values, const std::vector<int64_t> &shape, const std::vector<const Order *> &orders,
                     size_t bytes) {
  size_t size = bytes;
  for (int64_t extent : shape)
    size *= static_cast<size_t>(extent);
  std::vector<unsigned char> room(size);
  double seconds = 0;
  for (int time = 0; time < 2; ++time) { // the first one makes the pages
    const auto start = std::chrono::steady_clock::now();
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (orders[dim])
        gather(values, room.data(), shape, dim, *orders[dim], bytes);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return seconds;
}

} // namespace spc::tune
