#include "tune/threads.h"

#include "spc/pool.h"

#include <cstdlib>
#include <string>

namespace spc::tune {

const spc_context *threadContext(int threads) {
  static const spc_context context = [&] {
    setenv("SPC_NUM_THREADS", std::to_string(threads).c_str(), 1); // asked when the pool begins
    return spc_pool_context();
  }();
  return &context;
}

} // namespace spc::tune
