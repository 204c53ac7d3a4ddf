#include "runtime/native.h"

#include "runtime/runtime.h"

namespace spc::runtime {

const std::vector<NativeFunction> &nativeFunctions() {
#define SPC_FUNCTION(RESULT, NAME, ...) {functions::NAME.symbol, reinterpret_cast<void *>(&spc_rt_##NAME)},
  static const std::vector<NativeFunction> all = {
#include "runtime/contract.def"
  };
  return all;
}

} // namespace spc::runtime
