#include "tensor/pack/pieces.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
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

/// Pieces that threads take one after the other. Nobody waits for a thread: one that the system lets run too late finds
/// nothing left to do.
struct Pieces {
  std::function<void(int)> run;
  int count = 0;
  std::atomic<int> next = 0, done = 0;
  std::vector<std::exception_ptr> failures;

  void takePieces() {
    for (int piece = next++; piece < count; piece = next++) {
      run(piece);
      ++done;
      done.notify_all();
    }
  }
};

/// False where the system has no more threads.
bool startHelper(const std::shared_ptr<Pieces> &pieces) {
  try {
    std::thread([pieces] { pieces->takePieces(); }).detach();
    return true;
  } catch (const std::system_error &) {
    return false;
  }
}

} // namespace

int piecesOf(size_t size) {
  if (size < 2 * kWorthAThread)
    return 1;
  const auto most = static_cast<int>(std::min<size_t>(size / kWorthAThread, kMostPieces));
  return std::clamp(usableProcessors(), 1, most);
}

void inPieces(size_t size, int pieces, const std::function<void(int piece, size_t begin, size_t end)> &work) {
  const auto shared = std::make_shared<Pieces>();
  shared->count = pieces;
  shared->failures.resize(static_cast<size_t>(pieces));
  shared->run = [&, all = shared.get()](int piece) { // is called until this function is done, and not afterwards
    try {
      work(piece, pieceBegin(size, piece, pieces), pieceBegin(size, piece + 1, pieces));
    } catch (...) {
      all->failures[static_cast<size_t>(piece)] = std::current_exception();
    }
  };
  int helpers = 1;
  while (helpers < pieces && startHelper(shared))
    ++helpers;
  shared->takePieces();
  for (int done = shared->done; done < pieces; done = shared->done)
    shared->done.wait(done);
  for (const std::exception_ptr &failure : shared->failures)
    if (failure)
      std::rethrow_exception(failure);
}

} // namespace spc::tensor
