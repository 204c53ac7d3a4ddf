// Headers whose parameters have the names of the C and C++ libraries, before and after all headers of these.
#include "abi/header.h"
#include "abi/names.h"
#include "compilers.h"
#include "fixtures.h"

#include <catch2/catch.hpp>

using namespace spc;
using namespace spc::abi;
using namespace spc::abi::test;

namespace {

const char *const kStandardHeaders = R"(
#if __has_include(<assert.h>)
#include <assert.h>
#endif
#include <complex.h>
#include <ctype.h>
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <inttypes.h>
#include <iso646.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>
#include <time.h>
#include <uchar.h>
#include <wchar.h>
#include <wctype.h>
#ifdef __cplusplus
#include <algorithm>
#include <atomic>
#include <chrono>
#include <complex>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <regex>
#include <string>
#include <thread>
#include <vector>
#else
#include <stdatomic.h>
#include <stdnoreturn.h>
#include <threads.h>
#endif
)";

/// A kernel with an operand of each name: numbers, and one in `every` a dense vector.
sema::Kernel kernelWith(const std::string &function, std::span<const std::string_view> names, size_t every) {
  sema::Kernel kernel;
  kernel.function = function;
  kernel.extents.push_back({"int32_t", {}});
  for (size_t k = 0; k < names.size(); ++k) {
    sema::Tensor tensor;
    tensor.name = names[k];
    tensor.isRead = true;
    tensor.isWritten = k % 7 == 1;
    if (k % every == 0) {
      tensor.format = makeFormat("d");
      tensor.extents = {sema::ExtentId(0)};
    }
    kernel.parameters.push_back(kernel.tensors.add(tensor));
  }
  return kernel;
}

} // namespace

TEST_CASE("parameters named as the C and C++ libraries name things compile beside these") {
  const sema::Kernel numbers = kernelWith("numbers", libraryNames(), libraryNames().size());
  const sema::Kernel vectors = kernelWith("vectors", libraryNames().subspan(0, 200), 1);
  const std::string folder = workFolder("names");
  writeFile(folder + "/numbers.h", writeHeader(makeSignature(numbers), numbers));
  writeFile(folder + "/vectors.h", writeHeader(makeSignature(vectors), vectors));
  const std::string ours = "#include \"numbers.h\"\n#include \"vectors.h\"\n";
  writeFile(folder + "/before.c", ours + kStandardHeaders);
  writeFile(folder + "/after.c", kStandardHeaders + ours);
  for (const Compiler &compiler : compilers())
    for (const char *file : {"before.c", "after.c"})
      for (const char *mode : {"", "gnu"}) {
        std::string command = compiler.command;
        if (*mode) // -std=c11 as -std=gnu11
          command.replace(command.find("-std=") + 5, 1, mode);
        const Outcome outcome =
            runCommand(command + " -Wall -Wextra -Werror -fsyntax-only " + quote(folder + "/" + file));
        INFO(command << " " << file << "\n" << outcome.output.substr(0, 3000));
        CHECK(outcome.status == 0);
      }
}
