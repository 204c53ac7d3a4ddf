// Bytes choose a kernel of the generator, which is valid by construction; then it is compiled, run and compared.
#include "fuzz/generator.h"
#include "harness/kernel_under_test.h"

#include <cstdlib>
#include <iostream>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  using namespace spc::testing;
  static spc::pipeline::Workshop workshop;
  KernelSpec spec = generateKernel(Random(std::vector<uint8_t>(bytes, bytes + size)));
  spec.optLevel = 0;
  if (size % 4 == 0)
    giveTypes(spec);
  const KernelUnderTest kernel(spec, &workshop);
  const auto fail = [&](const std::string &problem) {
    std::cerr << describe(spec) << "\n" << problem << "\n";
    std::abort();
  };
  if (kernel.outcome() == KernelUnderTest::Outcome::Broken)
    fail(kernel.diagnostics());
  if (kernel.outcome() != KernelUnderTest::Outcome::Compiled)
    return 0;
  for (uint64_t seed = 0; seed < 2; ++seed) {
    const Trial trial = generateTrial(kernel.extentClasses(), seed + size);
    if (!kernel.canStore(trial))
      continue;
    if (const std::string problem = kernel.check(trial); !problem.empty())
      fail(describe(trial) + "\n" + problem);
  }
  return 0;
}
