#include "end_to_end/hand_made_call.h"

#include "harness/assembled_output.h"
#include "harness/comparison.h"
#include "syntax/parser.h"
#include "tensor/numbers.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

namespace spc::testing {
namespace {

/// Whether the evaluators can go through all elements of a tensor.
bool isEvaluable(const std::vector<int64_t> &shape) {
  double elements = 1;
  for (int64_t extent : shape)
    elements *= static_cast<double>(extent);
  return elements <= 1 << 24;
}

/// Numbers as an array of a type holds them.
std::vector<unsigned char> arrayOf(const std::vector<double> &numbers, sema::ValueType type) {
  std::vector<unsigned char> bytes(numbers.size() * sizeof(double) + 1);
  for (size_t n = 0; n < numbers.size(); ++n)
    REQUIRE(tensor::storeNumber(bytes.data(), type, static_cast<int64_t>(n), {numbers[n]}));
  return bytes;
}

} // namespace

struct HandMadeCall::Argument {
  const abi::Parameter *parameter = nullptr;
  std::vector<int64_t> fields; ///< the C struct, word by word
  std::vector<std::vector<unsigned char>> arrays;
  std::vector<double> values;
  DenseTensor elements; ///< before the call, for the evaluator
  std::unique_ptr<AssembledOutput> assembled;

  void set(abi::FieldRole role, int index, int64_t number) {
    if (const int field = parameter->type.find(role, index); field >= 0)
      fields[static_cast<size_t>(field)] = number;
  }
  void point(abi::FieldRole role, int index, const void *array) {
    set(role, index, static_cast<int64_t>(reinterpret_cast<intptr_t>(array)));
  }
  /// An array of the type that the struct has for pointers or for indices.
  void addArray(abi::FieldRole role, int index, const std::vector<int64_t> &numbers, format::IndexType type) {
    const auto size = static_cast<size_t>(format::bits(type) / 8);
    std::vector<unsigned char> bytes(numbers.size() * size);
    for (size_t n = 0; n < numbers.size(); ++n)
      std::memcpy(bytes.data() + n * size, &numbers[n], size); // little-endian hosts
    arrays.push_back(std::move(bytes));
    point(role, index, arrays.back().data());
  }
  void addListedLevels(const std::vector<StoredEntry> &entries);
};

/// Levels from the outside in; entries that differ only in levels further in belong to one parent.
void HandMadeCall::Argument::addListedLevels(const std::vector<StoredEntry> &entries) {
  const format::Format &format = parameter->type.format;
  int64_t parents = 1;
  std::vector<int64_t> parentOf(entries.size(), 0);
  for (int k = 0; k < format.levelCount(); ++k) {
    const format::Level &level = format.levels[static_cast<size_t>(k)];
    const auto dim = static_cast<size_t>(level.dim);
    if (level.isFullyDense()) {
      parents *= elements.shape[dim];
      for (size_t e = 0; e < entries.size(); ++e)
        parentOf[e] = parentOf[e] * elements.shape[dim] + entries[e].at[dim];
      continue;
    }
    std::vector<int64_t> pointers(static_cast<size_t>(parents) + 1, 0), indices;
    int64_t previousParent = -1;
    for (size_t e = 0; e < entries.size(); ++e) {
      const bool continues = level.unique && k + 1 < format.levelCount() && parentOf[e] == previousParent &&
                             indices.back() == entries[e].at[dim];
      previousParent = parentOf[e];
      if (!continues) {
        indices.push_back(entries[e].at[dim]);
        ++pointers[static_cast<size_t>(parentOf[e]) + 1];
      }
      parentOf[e] = static_cast<int64_t>(indices.size()) - 1;
    }
    std::partial_sum(pointers.begin(), pointers.end(), pointers.begin());
    parents = static_cast<int64_t>(indices.size());
    if (k > 0 && level.storage == format::Storage::Compressed && level.extent == format::Extent::Ragged)
      addArray(abi::FieldRole::Pointers, k, pointers, format.pointers);
    set(abi::FieldRole::Count, k, parents);
    addArray(abi::FieldRole::Indices, k, indices, format.indices);
  }
}

HandMadeCall::HandMadeCall(const KernelSpec &spec, Chunks chunks)
    : context_(chunks), statements_(spec.statements), compiled_(spec) {
  INFO(describe(spec) << "\n" << compiled_.diagnostics());
  REQUIRE(compiled_.outcome() == KernelUnderTest::Outcome::Compiled);
  signature_ = abi::makeSignature(compiled_.kernel());
  for (const abi::Parameter &parameter : signature_.parameters) {
    auto made = std::make_unique<Argument>();
    made->parameter = &parameter;
    made->fields.assign(parameter.type.fields.size(), 0);
    arguments_[compiled_.kernel().tensors[parameter.tensor].name] = std::move(made);
  }
}

HandMadeCall::~HandMadeCall() {
  releaseAssembled();
}

HandMadeCall::Argument &HandMadeCall::argument(const std::string &tensor) {
  REQUIRE(arguments_.count(tensor) == 1);
  return *arguments_.at(tensor);
}

void HandMadeCall::passEntries(const std::string &tensor, std::vector<int64_t> shape,
                               const std::vector<StoredEntry> &entries) {
  Argument &made = argument(tensor);
  made.arrays.clear();
  made.values.clear();
  made.elements.shape = std::move(shape);
  made.elements.sparse = true;
  made.addListedLevels(entries);
  for (size_t dim = 0; dim < made.elements.shape.size(); ++dim)
    made.set(abi::FieldRole::Size, static_cast<int>(dim), made.elements.shape[dim]);
  made.set(abi::FieldRole::Stored, 0, static_cast<int64_t>(entries.size()));
  for (const StoredEntry &entry : entries)
    made.values.push_back(entry.value);
  if (made.parameter->type.value == sema::ValueType::F64) {
    made.point(abi::FieldRole::Values, 0, made.values.data());
  } else {
    made.arrays.push_back(arrayOf(made.values, made.parameter->type.value));
    made.point(abi::FieldRole::Values, 0, made.arrays.back().data());
  }
  made.elements.values.clear();
  made.elements.stored.clear();
  if (!isEvaluable(made.elements.shape))
    return;
  made.elements.values.assign(static_cast<size_t>(made.elements.size()), 0);
  made.elements.stored.assign(made.elements.values.size(), 0);
  for (const StoredEntry &entry : entries) {
    const auto at = static_cast<size_t>(offsetOf(entry.at.data(), made.elements.shape));
    made.elements.values[at] += entry.value;
    made.elements.stored[at] = 1;
  }
}

void HandMadeCall::passMemory(const std::string &tensor, const std::vector<int64_t> &shape, void *values) {
  Argument &made = argument(tensor);
  made.elements.shape = shape;
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0; stride *= shape[dim]) {
    made.set(abi::FieldRole::Size, static_cast<int>(dim), shape[dim]);
    made.set(abi::FieldRole::Stride, static_cast<int>(dim), stride);
  }
  made.point(abi::FieldRole::Values, 0, values);
}

void HandMadeCall::passDense(const std::string &tensor, std::vector<int64_t> shape, std::vector<double> values) {
  Argument &made = argument(tensor);
  made.values = std::move(values);
  passMemory(tensor, shape, made.values.data());
  made.elements.values.assign(made.values.begin(), made.values.end());
  made.elements.stored.assign(made.values.size(), 1);
}

void HandMadeCall::passOutput(const std::string &tensor, int64_t values) {
  Argument &made = argument(tensor);
  made.values.assign(static_cast<size_t>(values), std::numeric_limits<double>::quiet_NaN());
  made.point(abi::FieldRole::Values, 0, made.values.data());
}

void HandMadeCall::passAssembled(const std::string &tensor, const std::vector<int64_t> &shape) {
  Argument &made = argument(tensor);
  made.elements = {};
  made.elements.shape = shape;
  made.elements.sparse = made.elements.assembled = true;
  if (isEvaluable(shape)) {
    made.elements.values.resize(static_cast<size_t>(made.elements.size()));
    made.elements.stored.resize(made.elements.values.size());
  }
  if (made.assembled)
    made.assembled->release();
  made.assembled = std::make_unique<AssembledOutput>(made.parameter->type, shape, context_, /*isSpoilt=*/true);
}

tensor::Coordinates HandMadeCall::assembled(const std::string &tensor) const {
  return arguments_.at(tensor)->assembled->content();
}

void HandMadeCall::releaseAssembled() {
  for (const auto &[name, made] : arguments_)
    if (made->assembled)
      made->assembled->release();
}

int32_t HandMadeCall::call(spc_context *context) {
  return compiled_.code().invoke()(context, pointers().data());
}

int32_t HandMadeCall::callPhase(const std::string &phase, spc_plan *plan) {
  std::vector<void *> arguments = pointers();
  arguments.push_back(plan);
  return compiled_.code().phase(phase)(context(), arguments.data());
}

/// The arguments of a call.
std::vector<void *> HandMadeCall::pointers() {
  std::vector<void *> pointers;
  for (const abi::Parameter &parameter : signature_.parameters) {
    Argument &made = argument(compiled_.kernel().tensors[parameter.tensor].name);
    if (made.assembled)
      pointers.push_back(made.assembled->cStruct());
    else
      pointers.push_back(parameter.kind == abi::ParameterKind::Tensor ? static_cast<void *>(made.fields.data())
                                                                      : static_cast<void *>(made.values.data()));
  }
  return pointers;
}

const std::vector<double> &HandMadeCall::values(const std::string &tensor) const {
  return arguments_.at(tensor)->values;
}

std::string HandMadeCall::checkAssembled(const TensorMap &expected) {
  PatternMap patterns;
  int64_t arrays = 0;
  for (const auto &[name, made] : arguments_) {
    const bool isSparse = made->elements.sparse;
    patterns[name] = {made->elements.shape,
                      made->assembled ? Pattern::Kind::Assembled
                      : isSparse      ? Pattern::Kind::Kept
                                      : Pattern::Kind::Dense,
                      made->elements.stored};
    arrays += made->assembled ? made->assembled->arrays() : 0;
  }
  Diagnostics ignored;
  const SourceFile source("statements", statements_);
  if (std::string problem = evaluatePatterns(syntax::parse(source, ignored), patterns); !problem.empty())
    return problem;
  for (const auto &[name, made] : arguments_)
    if (made->assembled) {
      const Pattern &pattern = patterns.at(name);
      if (std::string problem = made->assembled->check({expected.at(name), pattern, pattern}); !problem.empty())
        return name + ": " + problem;
    }
  if (context_.live() != arrays)
    return std::to_string(context_.live()) + " arrays are allocated, the outputs have " + std::to_string(arrays);
  releaseAssembled();
  return context_.live() != 0 ? "two fields of an output point to one array" : context_.problem();
}

std::string HandMadeCall::check() {
  const bool assembles = std::any_of(arguments_.begin(), arguments_.end(),
                                     [](const auto &argument) { return argument.second->assembled != nullptr; });
  if (const int32_t status = call(assembles ? context() : nullptr); status != 0)
    return "the kernel returned status " + std::to_string(status);
  Diagnostics ignored;
  const SourceFile source("statements", statements_);
  TensorMap tensors;
  for (const auto &[name, made] : arguments_)
    tensors[name] = made->elements;
  if (std::string problem = evaluate(syntax::parse(source, ignored), tensors); !problem.empty())
    return problem;
  for (const auto &[name, made] : arguments_) {
    DenseTensor &expected = tensors.at(name);
    expected.errors.assign(expected.values.size(), 0); // sums of small whole numbers are exact
    for (size_t n = 0; made->parameter->isWritten && !expected.sparse && n < expected.values.size(); ++n)
      if (std::string difference = compareElement(made->values[n], expected, n); !difference.empty())
        return name + "[" + std::to_string(n) + "]" + difference;
  }
  return assembles ? checkAssembled(tensors) : "";
}

GivenTensor givenEntries(std::vector<int64_t> shape, std::vector<StoredEntry> entries) {
  return {std::move(shape), std::move(entries), {}, true};
}

GivenTensor givenVector(std::vector<double> values) {
  return {{static_cast<int64_t>(values.size())}, {}, std::move(values)};
}

std::vector<double> resultOf(const KernelSpec &spec, const std::map<std::string, GivenTensor> &given) {
  const auto typeOf = [&](const std::string &name) {
    return spec.types.contains(name) ? spec.types.at(name) : spec.type;
  };
  HandMadeCall call(spec);
  std::map<std::string, std::vector<unsigned char>> arrays;
  for (const auto &[name, tensor] : given) {
    if (tensor.isSparse) {
      call.passEntries(name, tensor.shape, tensor.entries);
      continue;
    }
    if (tensor.shape.empty()) {
      call.passDense(name, {}, tensor.values);
      continue;
    }
    arrays[name] = arrayOf(tensor.values, typeOf(name));
    call.passMemory(name, tensor.shape, arrays.at(name).data());
  }
  REQUIRE(call.call() == SPC_OK);
  std::vector<double> result;
  for (size_t n = 0; n < given.at("y").values.size(); ++n)
    result.push_back(tensor::loadNumber(arrays.at("y").data(), typeOf("y"), static_cast<int64_t>(n)).real);
  return result;
}

} // namespace spc::testing
