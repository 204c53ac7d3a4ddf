#include "tensor/pieces.h"

#include <algorithm>
#include <exception>
#include <sched.h>
#include <system_error>
#include <thread>
#include <vector>

namespace spc::tensor {

namespace {

constexpr size_t kWorthAThread = size_t{1} << 16; ///< elements, which take longer than a thread does to start
constexpr int kMostPieces = 8;                    ///< beyond which memory is what limits

int usableProcessors() {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  return sched_getaffinity(0, sizeof(processors), &processors) == 0 ? CPU_COUNT(&processors) : 1;
}

} // namespace

int piecesOf(size_t size) {
  if (size < 2 * kWorthAThread)
    return 1;
  const auto most = static_cast<int>(std::min<size_t>(size / kWorthAThread, kMostPieces));
  return std::clamp(usableProcessors(), 1, most);
}

void inPieces(size_t size, int pieces, const std::function<void(int piece, size_t begin, size_t end)> &work) {
  std::vector<std::exception_ptr> failures(static_cast<size_t>(pieces));
  const auto run = [&](int piece) {
    try {
      work(piece, pieceBegin(size, piece, pieces), pieceBegin(size, piece + 1, pieces));
    } catch (...) {
      failures[static_cast<size_t>(piece)] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(pieces));
  const auto starts = [&](int piece) {
    try {
      threads.emplace_back(run, piece);
      return true;
    } catch (const std::system_error &) { // no more threads: this one does what is left
      return false;
    }
  };
  int started = 1;
  while (started < pieces && starts(started))
    ++started;
  run(0);
  for (int piece = started; piece < pieces; ++piece)
    run(piece);
  for (std::thread &thread : threads)
    thread.join();
  for (const std::exception_ptr &failure : failures)
    if (failure)
      std::rethrow_exception(failure);
}

} // namespace spc::tensor
