#include "end_to_end/expressions.h"

#include "syntax/parser.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>

namespace spc::testing {
namespace {

using format::IndexType;
using sema::ValueType;

struct Types {
  ValueType value;
  IndexTypes index;
  bool mixesValues; ///< every second tensor has the other value type
};

constexpr Types kTypes[] = {
    {ValueType::F64, {IndexType::I32, IndexType::I32}, false},
    {ValueType::F32, {IndexType::I32, IndexType::I32}, false},
    {ValueType::F64, {IndexType::I64, IndexType::I64}, false},
    {ValueType::F32, {IndexType::I64, IndexType::I64}, false},
    {ValueType::F64, {IndexType::I64, IndexType::I32}, true},
    {ValueType::F32, {IndexType::I32, IndexType::I64}, true},
    {ValueType::F64, {IndexType::I32, IndexType::I64}, false},
};
constexpr size_t kTypeCount = std::size(kTypes);

/// Mostly -O0, which compiles in a third of the time of -O1 and runs the same passes of spc's: LLVM's own are what they
/// differ in. With a sample of the others.
int optLevelFor(size_t compilation) {
  if (compilation % 6 == 5)
    return 3;
  return compilation % 23 == 1 ? 2 : compilation % 5 == 1 || takesAll() ? 1 : 0;
}

/// Different extents, large enough for vector loops where there are few of them.
std::vector<int64_t> genericExtents(int classes) {
  static const std::vector<std::vector<int64_t>> table = {
      {}, {37}, {11, 19}, {6, 9, 21}, {5, 7, 4, 9}, {4, 6, 3, 5, 4}, {3, 4, 2, 5, 3, 4}};
  if (static_cast<size_t>(classes) < table.size())
    return table[static_cast<size_t>(classes)];
  std::vector<int64_t> extents(static_cast<size_t>(classes), 2);
  extents[1] = extents.back() = 3;
  return extents;
}

/// For formats that only some shapes fit: all extents the same.
void addSquareTrials(int extentClasses, std::vector<Trial> &trials) {
  for (Fill fill : {Fill::Random, Fill::Full, Fill::OneRow, Fill::OneColumn, Fill::EmptyRows, Fill::StoredZeros})
    for (int64_t extent : {4, 13})
      trials.push_back(
          {std::vector<int64_t>(static_cast<size_t>(extentClasses), extentClasses > 3 ? 4 : extent), fill});
}

/// So many types for each assignment that the expression meets `least` of them.
size_t typesEach(size_t least, const std::vector<Formats> &assignments) {
  return takesAll() ? kTypeCount : (least + assignments.size() - 1) / assignments.size();
}

} // namespace

bool takesAll() {
  return std::getenv("SPC_TEST_ALL") != nullptr;
}

int seldomOptimised(size_t compilation) {
  return compilation % 12 == 5 ? 3 : compilation % 24 == 10 ? 1 : 0;
}

KernelSpec specFor(const std::string &statements, const Formats &formats, size_t compilation) {
  const Types &types = kTypes[compilation % kTypeCount];
  KernelSpec spec;
  spec.statements = statements;
  spec.formats = formats;
  spec.type = types.value;
  spec.index = types.index;
  spec.optLevel = optLevelFor(compilation);
  spec.declares = compilation % kTypeCount != 0 || compilation % 2 == 1;
  if (compilation % 4 != 0)
    spec.chunk = 1 + static_cast<int64_t>(compilation % 7); // several chunks even of what is small
  if (types.mixesValues) {
    Diagnostics ignored;
    const SourceFile file("statements", statements);
    const ExtentClasses classes = findExtentClasses(syntax::parse(file, ignored));
    for (size_t tensor = 0; tensor < classes.tensors.size(); tensor += 2)
      spec.types[classes.tensors[tensor]] = types.value == ValueType::F64 ? ValueType::F32 : ValueType::F64;
  }
  return spec;
}

const std::vector<std::string> kMatrix = {"csr",     "csc",     "dcsr",  "dcsc",     "coo",
                                          "coo:1,0", "csf:1,0", "dense", "dense:1,0"};
const std::vector<std::string> kThirdOrder = {"csf",       "csf:2,0,1", "csf:1,0,2", "coo",
                                              "coo:2,1,0", "ddc",       "dcc",       "dense"};
const std::vector<std::string> kSparse = {"csr", "csc", "dcsr", "coo"};
const std::vector<std::string> kThreeSparse = {"csr", "csc", "coo"};
const std::vector<std::string> kFourStorages = {"dense", "csr", "csc", "coo"};
const std::vector<std::string> kDense = {"dense"};
const std::vector<std::string> kVector = {"dense", "sv"};
const std::vector<Formats> kDefaults(1);

std::vector<Formats> product(const Choices &choices) {
  std::vector<Formats> result(1);
  for (const auto &[tensor, spellings] : choices) {
    std::vector<Formats> longer;
    for (const Formats &formats : result)
      for (const std::string &spelling : spellings) {
        longer.push_back(formats);
        longer.back()[tensor] = spelling;
      }
    result = std::move(longer);
  }
  return result;
}

std::vector<Trial> trialsOn(const std::vector<std::vector<int64_t>> &extents) {
  std::vector<Trial> trials;
  for (const std::vector<int64_t> &own : extents)
    for (const Fill fill : {Fill::Random, Fill::Full, Fill::Empty, Fill::OneRow, Fill::EmptyRows, Fill::StoredZeros})
      for (const bool nonFinite : {false, true})
        trials.push_back({own, fill, nonFinite});
  return trials;
}

std::vector<Trial> trialsFor(int extentClasses) {
  const std::vector<int64_t> generic = genericExtents(extentClasses);
  const std::vector<int64_t> ones(generic.size(), 1);
  const std::vector<int64_t> equal(generic.size(), generic.size() < 5 ? 5 : 3);
  auto with = [&](size_t position, int64_t extent) {
    std::vector<int64_t> extents = generic;
    if (!extents.empty())
      extents[position % extents.size()] = extent;
    return extents;
  };
  const size_t last = generic.empty() ? 0 : generic.size() - 1;
  std::vector<int64_t> reversed(generic.rbegin(), generic.rend());
  std::vector<Trial> trials = {
      {generic, Fill::Random},
      {reversed, Fill::Full},
      {ones, Fill::Full},
      {ones, Fill::Empty},
      {with(0, 0), Fill::Random},
      {with(last, 0), Fill::Full},
      {with(1, 0), Fill::Full},
      {with(0, 1), Fill::OneRow},
      {with(last, 1), Fill::OneColumn},
      {generic, Fill::Empty},
      {generic, Fill::OneRow},
      {reversed, Fill::OneColumn},
      {generic, Fill::EmptyRows},
      {generic, Fill::StoredZeros},
      {equal, Fill::Diagonal},
      {reversed, Fill::Random},
      {with(1, 1), Fill::EmptyRows},
      {equal, Fill::Random, false, true},
      {generic, Fill::Random, false, true},
      {generic, Fill::Random, true},
      {equal, Fill::Empty, true},
  };
  static constexpr Chunks kChunks[] = {Chunks::Backwards, Chunks::Threads, Chunks::Serial};
  for (size_t trial = 0; trial < trials.size(); ++trial) {
    trials[trial].seed = trial + 1;
    trials[trial].chunks = kChunks[trial % std::size(kChunks)];
  }
  return trials;
}

namespace {

/// nullptr, with the failure reported, where the compiler gives none.
std::unique_ptr<KernelUnderTest> compiled(const KernelSpec &spec) {
  auto kernel = std::make_unique<KernelUnderTest>(spec);
  if (kernel->outcome() == KernelUnderTest::Outcome::Compiled)
    return kernel;
  FAIL_CHECK("no kernel:\n" << kernel->diagnostics());
  return nullptr;
}

int checkTrials(const KernelUnderTest &kernel, const std::vector<Trial> &trials) {
  int run = 0;
  for (const Trial &trial : trials) {
    if (!kernel.canStore(trial))
      continue;
    ++run;
    const std::string difference = kernel.check(trial);
    if (difference.empty())
      continue;
    FAIL_CHECK(describe(trial) << "\n" << difference);
    return 0;
  }
  CHECK(run >= 3);
  return run;
}

} // namespace

int check(const KernelSpec &spec, const std::vector<Trial> &trials) {
  INFO(describe(spec));
  const auto kernel = compiled(spec);
  return kernel ? checkTrials(*kernel, trials) : 0;
}

void check(const KernelSpec &spec) {
  INFO(describe(spec));
  const auto kernel = compiled(spec);
  if (!kernel)
    return;
  std::vector<Trial> trials = trialsFor(kernel->extentClasses());
  const bool storesAll = std::all_of(trials.begin(), trials.end(), [&](const Trial &t) { return kernel->canStore(t); });
  if (!storesAll)
    addSquareTrials(kernel->extentClasses(), trials);
  checkTrials(*kernel, trials);
}

void check(const std::string &statements, const std::vector<Formats> &assignments) {
  const size_t each = std::max<size_t>(2, typesEach(kTypeCount, assignments));
  size_t compilation = 0;
  for (const Formats &formats : assignments)
    for (size_t types = 0; types < each; ++types)
      check(specFor(statements, formats, compilation++));
}

void checkLowering(const std::string &statements, const std::vector<Formats> &assignments) {
  const size_t each = typesEach(4, assignments);
  size_t compilation = statements.size(); // other expressions start with other types
  for (const Formats &formats : assignments)
    for (size_t types = 0; types < each; ++types, ++compilation) {
      KernelSpec spec = specFor(statements, formats, compilation);
      if (!takesAll())
        spec.optLevel = seldomOptimised(compilation);
      check(spec);
    }
}

} // namespace spc::testing
