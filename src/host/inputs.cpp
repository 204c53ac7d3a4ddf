#include "host/inputs.h"

#include "host/arguments.h"
#include "host/extent_table.h"
#include "host/input_memory.h"
#include "host/log.h"
#include "host/sources.h"
#include "tensor/files/files.h"
#include "tensor/generate.h"

#include <algorithm>
#include <new>
#include <utility>

namespace spc::host {

namespace {
constexpr DiagnosticKind kInputTwice{"input-twice", Severity::Error};
constexpr DiagnosticKind kInputMissing{"input-missing", Severity::Error};
constexpr DiagnosticKind kInputUnused{"input-unused", Severity::Error};
constexpr DiagnosticKind kInputOrder{"input-order", Severity::Error};
constexpr DiagnosticKind kUnknownExtent{"unknown-extent", Severity::Error};
constexpr DiagnosticKind kSizeMissing{"size-missing", Severity::Error};
constexpr DiagnosticKind kMalformedSize{"malformed-size", Severity::Error};

/// Reads inputs step by step; every step goes on after errors, so that one run shows them all.
class InputReader {
public:
  InputReader(Session &session, const sema::Kernel &kernel, const syntax::Kernel &tree, const InputOptions &options)
      : session_(session), diagnostics_(session.diagnostics()), kernel_(kernel), options_(options),
        extents_(kernel, tree, session.diagnostics()), given_(kernel.parameters.size()),
        shapes_(kernel.parameters.size()) {
    inputs_.parameters.resize(kernel.parameters.size());
  }

  std::optional<Inputs> read();

private:
  struct Given {
    Assignment assignment;
    std::optional<tensor::Generator> generator;
  };

  const sema::Tensor &tensorAt(size_t parameter) const { return kernel_.tensors[kernel_.parameters[parameter]]; }

  void readArguments();
  void checkPresence();
  void readSizes();
  void readShapes();
  void readSource(size_t parameter);
  bool checkFreeMemory();
  void readFile(size_t parameter);
  bool openInBlocks(size_t parameter);
  bool readEntries(size_t parameter, const std::optional<std::vector<int64_t>> &shape, bool hasHeader);
  void fixShape(const sema::Tensor &tensor, const std::vector<int64_t> &shape, const std::string &by, Span where);
  bool checkOrder(const sema::Tensor &tensor, const std::vector<int64_t> &shape, const std::string &what, Span where);
  void settleExtents();
  void checkSizes();
  tensor::PackTarget targetOf(size_t parameter, bool mayPack) const {
    const sema::Tensor &tensor = tensorAt(parameter);
    const bool packs =
        mayPack && tensor.partOf.empty() && !tensor.shared() && options_.dividedDims(parameter).size() < 2;
    return {tensor.format, tensor.type, packs};
  }
  tensor::BlocksRequest blocksRequest(size_t parameter) const {
    return {given_[parameter]->assignment.value,
            options_.dividedDims(parameter).front(),
            tensorAt(parameter).order(),
            shapes_[parameter],
            inputLimit_,
            options_.blocks->buffers()};
  }
  std::string whyNotInBlocks(size_t k) const { return tensor::blockAccess(blocksRequest(k)).whyNot; }
  bool isLeftOut(size_t parameter) const {
    return options_.leavesOutDense && given_[parameter]->generator && tensorAt(parameter).format.isDense();
  }
  tensor::Coordinates generated(size_t parameter, const std::vector<int64_t> &shape) const;
  void finishTensors();

  Session &session_;
  Diagnostics &diagnostics_;
  const sema::Kernel &kernel_;
  const InputOptions &options_;
  ExtentTable extents_;
  std::vector<std::optional<Given>> given_;
  std::vector<std::optional<std::vector<int64_t>>> shapes_; ///< of --shape
  std::vector<std::string> misspelt_;                       ///< names of inputs that no tensor has
  std::optional<uint64_t> inputLimit_;
  Inputs inputs_;
};

std::optional<Inputs> InputReader::read() {
  readArguments();
  checkPresence();
  readSizes();
  readShapes();
  if (session_.failed())
    return std::nullopt;
  if (!checkFreeMemory())
    return std::nullopt;
  for (size_t k = 0; k < given_.size(); ++k)
    if (given_[k])
      readSource(k);
  if (session_.failed())
    return std::nullopt;
  settleExtents();
  checkSizes();
  if (session_.failed())
    return std::nullopt;
  finishTensors();
  return std::move(inputs_);
}

void InputReader::readArguments() {
  for (const std::string &argument : options_.given) {
    std::optional<Assignment> assignment = readAssignment(session_, argument, "TENSOR=SOURCE");
    std::optional<size_t> parameter = assignment ? findParameter(session_, kernel_, *assignment) : std::nullopt;
    if (assignment && !parameter)
      misspelt_.push_back(assignment->name);
    if (!parameter)
      continue;
    if (given_[*parameter])
      diagnostics_.report(kInputTwice, assignment->where, "'" + assignment->name + "' is given twice")
          .note(given_[*parameter]->assignment.where, "here first");
    else
      given_[*parameter] = Given{*assignment, std::nullopt};
  }
}

void InputReader::checkPresence() {
  for (size_t k = 0; k < given_.size(); ++k) {
    const sema::Tensor &tensor = tensorAt(k);
    const std::string &name = tensor.partOf.empty() ? tensor.name : tensor.partOf;
    if (tensor.part > 0)
      continue;
    // One that is misspelt has been reported as that.
    const auto isMeant = [&](const std::string &misspelt) { return didYouMean(misspelt, {name}).has_value(); };
    if (options_.needsAll && tensor.isRead && !given_[k] && std::none_of(misspelt_.begin(), misspelt_.end(), isMeant)) {
      std::string form = tensor.order() == 0 ? name + "=NUMBER" : name + "=FILE or " + name + "=ones";
      diagnostics_.report(kInputMissing, tensor.where, "the kernel reads '" + name + "', which is not given")
          .advise("add " + form + " to the command line");
    } else if (!tensor.isRead && given_[k]) {
      diagnostics_
          .report(kInputUnused, given_[k]->assignment.where,
                  "the kernel writes '" + name + "' without reading it, so it takes no input")
          .advise("to name the file it is written to, use -o " + name + "=FILE");
    }
  }
}

void InputReader::readSizes() {
  if (const std::string &limit = options_.limit; !limit.empty() && !(inputLimit_ = readByteCount(limit)))
    session_.usage(kMalformedSize, session_.findValue("--input-limit", limit),
                   "'" + limit + "' is no number of bytes such as 500M or 100G");
  std::vector<std::string> names;
  for (const sema::Extent &extent : kernel_.extents)
    names.push_back(extent.name);
  for (const std::string &argument : options_.sizes) {
    std::optional<Assignment> assignment = readAssignment(session_, argument, "EXTENT=N");
    if (!assignment)
      continue;
    auto found = std::find(names.begin(), names.end(), assignment->name);
    std::optional<int64_t> size = readSize(assignment->value);
    if (!size) {
      session_.usage(kMalformedSize, assignment->where, "'" + assignment->value + "' is no size");
    } else if (found == names.end()) {
      Diagnostic &diagnostic = diagnostics_.report(kUnknownExtent, assignment->nameWhere,
                                                   "the kernel has no extent '" + assignment->name + "'");
      std::string list;
      for (const std::string &name : names)
        list += (list.empty() ? "" : ", ") + name;
      std::optional<std::string> near = didYouMean(assignment->name, names);
      diagnostic.advise(near ? "did you mean '" + *near + "'?" : "its extents are " + list);
    } else {
      extents_.fix(sema::ExtentId(found - names.begin()), *size, {"by --size", assignment->where, {}});
    }
  }
}

void InputReader::readShapes() {
  for (const std::string &argument : options_.shapes) {
    std::optional<Assignment> assignment = readAssignment(session_, argument, "TENSOR=NxM");
    std::optional<size_t> parameter = assignment ? findParameter(session_, kernel_, *assignment) : std::nullopt;
    if (!parameter)
      continue;
    std::optional<std::vector<int64_t>> shape = readShape(assignment->value);
    if (!shape) {
      session_.usage(kMalformedSize, assignment->where, "'" + assignment->value + "' is no shape such as 5x4");
      continue;
    }
    const sema::Tensor &tensor = tensorAt(*parameter);
    if (!checkOrder(tensor, *shape, "the shape", assignment->where))
      continue;
    shapes_[*parameter] = *shape;
    fixShape(tensor, *shape, "by --shape", assignment->where);
  }
}

bool InputReader::checkOrder(const sema::Tensor &tensor, const std::vector<int64_t> &shape, const std::string &what,
                             Span where) {
  if (static_cast<int>(shape.size()) == tensor.order())
    return true;
  diagnostics_
      .report(kInputOrder, where,
              what + " has order " + std::to_string(shape.size()) + ", but '" + tensor.name + "' has order " +
                  std::to_string(tensor.order()))
      .note(tensor.where, "'" + tensor.name + "' in the kernel");
  return false;
}

/// What a tensor is called in the kernel, of which it may be a part.
const std::string &nameInKernel(const sema::Tensor &tensor) {
  return tensor.partOf.empty() ? tensor.name : tensor.partOf;
}

SizeSource sourceOf(const sema::Tensor &tensor, int dim, const std::string &by, Span where) {
  const Dimension dimension{nameInKernel(tensor), static_cast<size_t>(dim)};
  return {"as " + spelled(dimension) + " " + by, where, dimension};
}

void InputReader::fixShape(const sema::Tensor &tensor, const std::vector<int64_t> &shape, const std::string &by,
                           Span where) {
  for (int dim = 0; dim < tensor.order(); ++dim)
    extents_.fix(tensor.extents[dim], shape[dim], sourceOf(tensor, dim, by, where));
}

void InputReader::readSource(size_t parameter) {
  Given &given = *given_[parameter];
  const sema::Tensor &tensor = tensorAt(parameter);
  if (tensor.order() == 0) {
    inputs_.parameters[parameter].scalar = readScalar(session_, given.assignment, tensor);
    return;
  }
  if (!isMeantAsGenerator(given.assignment.value))
    return readFile(parameter);
  given.generator = readGenerator(session_, given.assignment);
  if (given.generator && given.generator->shape &&
      checkOrder(tensor, *given.generator->shape, "the generated tensor", given.assignment.where))
    fixShape(tensor, *given.generator->shape, "in " + given.assignment.value, given.assignment.where);
}

/// By what the files announce, and the sizes that are known by then; false where that is too much for the user.
bool InputReader::checkFreeMemory() {
  std::vector<ForeseenTensor> foreseen;
  IdVector<sema::ExtentId, std::optional<int64_t>> sizes(kernel_.extents.size());
  for (size_t at = 0; at < kernel_.extents.size(); ++at)
    sizes[sema::ExtentId(at)] = extents_.size(sema::ExtentId(at));
  for (size_t k = 0; k < given_.size(); ++k) {
    const sema::Tensor &tensor = tensorAt(k);
    if (!given_[k] || tensor.order() == 0 || isMeantAsGenerator(given_[k]->assignment.value))
      continue;
    std::optional<tensor::Announced> file = tensor::announcedBy(given_[k]->assignment.value, inputLimit_);
    for (size_t dim = 0; file && file->shape.size() == tensor.extents.size() && dim < file->shape.size(); ++dim)
      sizes[tensor.extents[dim]] = sizes[tensor.extents[dim]].value_or(file->shape[dim]);
    const bool isDivided = !options_.dividedDims(k).empty();
    std::string why = isDivided ? whyNotInBlocks(k) : std::string();
    if (file && (!isDivided || !why.empty()))
      foreseen.push_back({&tensor, std::move(*file), std::move(why)});
  }
  if (options_.blocks)
    return fitsInto(session_, foreseen, options_.packsWhileReading, options_.blocks->memory);
  if (!options_.leavesOutDense && !options_.takesSizesAlone)
    addDense(kernel_, sizes, foreseen);
  return reportMemory(session_, foreseen, options_.packsWhileReading, options_.asks) && !session_.failed();
}

void InputReader::readFile(size_t parameter) {
  const Assignment &assignment = given_[parameter]->assignment;
  const sema::Tensor &tensor = tensorAt(parameter);
  std::optional<std::vector<int64_t>> shape = shapes_[parameter];
  const bool hasHeader = tensor::statesShape(assignment.value);
  Input &input = inputs_.parameters[parameter];
  input.path = assignment.value;
  const bool isInBlocks = !options_.dividedDims(parameter).empty() && whyNotInBlocks(parameter).empty();
  if (isInBlocks ? !openInBlocks(parameter) : !readEntries(parameter, shape, hasHeader))
    return;
  if (input.entries && tensor.order() == 1)
    tensor::asVector(*input.entries);
  const std::vector<int64_t> read = isInBlocks     ? input.blocks->shape()
                                    : input.packed ? input.packed->shape()
                                                   : input.entries->shape;
  if (!checkOrder(tensor, read, "'" + assignment.value + "'", assignment.where))
    return;
  const std::string by = "in " + assignment.value;
  if (hasHeader || shape)
    fixShape(tensor, read, by, assignment.where);
  else
    for (int dim = 0; dim < tensor.order(); ++dim)
      extents_.atLeast(tensor.extents[dim], read[dim], sourceOf(tensor, dim, by, assignment.where));
}

/// Opens a file of which blocks are read later.
bool InputReader::openInBlocks(size_t parameter) {
  Progress::Phase phase(session_.progress(), "reading " + given_[parameter]->assignment.value, WorkUnit::Bytes);
  std::unique_ptr<tensor::BlockReader> &blocks = inputs_.parameters[parameter].blocks;
  blocks = tensor::openBlocks(blocksRequest(parameter), targetOf(parameter, true), diagnostics_, phase.count());
  if (const uint64_t bytes = blocks ? blocks->sortedBytes() : 0)
    log("sorted the entries of '" + tensorAt(parameter).name + "' into a temporary file of " + std::to_string(bytes) +
        " bytes");
  return blocks != nullptr;
}

/// Packs at once where the shape is the tensor's and nothing else is of use.
bool InputReader::readEntries(size_t parameter, const std::optional<std::vector<int64_t>> &shape, bool hasHeader) {
  const std::string &path = given_[parameter]->assignment.value;
  const sema::Tensor &tensor = tensorAt(parameter);
  Input &input = inputs_.parameters[parameter];
  Progress::Phase phase(session_.progress(), "reading " + path, WorkUnit::Bytes);
  if (!tensor.partOf.empty()) { // whose format is the first part's alone
    input.entries = tensor::readTensor(path, shape, diagnostics_, inputLimit_, phase.count());
    return input.entries.has_value();
  }
  const bool packs = options_.packsWhileReading && hasHeader && options_.dividedDims(parameter).empty();
  const tensor::PackTarget target = targetOf(parameter, packs);
  std::optional<tensor::FileTensor> read =
      tensor::readTensorFor(target, path, shape, diagnostics_, inputLimit_, phase.count());
  if (!read)
    return false;
  if (!read->unstorable.empty()) {
    diagnostics_.report(kUnstorable, tensor.where, "'" + tensor.name + "' cannot be stored: " + read->unstorable);
    return false;
  }
  input.packed = std::move(read->packed);
  if (!input.packed)
    input.entries = std::move(read->entries);
  return true;
}

void InputReader::settleExtents() {
  extents_.settle();
  inputs_.extents.resize(kernel_.extents.size());
  for (sema::ExtentId extent : kernel_.extents.ids())
    inputs_.extents[extent] = kernel_.extents[extent].fixed.value_or(0);
  IdVector<sema::ExtentId, bool> used(kernel_.extents.size());
  for (sema::TensorId id : kernel_.parameters)
    for (sema::ExtentId extent : kernel_.tensors[id].extents) {
      std::optional<int64_t> size = extents_.size(extent);
      if (!size && !used[extent])
        diagnostics_
            .report(kSizeMissing, kernel_.tensors[id].where,
                    "nothing says the size of '" + kernel_.extents[extent].name + "'")
            .advise("add --size " + kernel_.extents[extent].name + "=N");
      used[extent] = true;
      inputs_.extents[extent] = size.value_or(0);
    }
}

/// A tensor is held packed, and as a list of entries too where it is generated or, a dense output, written.
void InputReader::checkSizes() {
  double bytes = 0;
  for (size_t k = 0; k < given_.size() && !session_.failed(); ++k) {
    const sema::Tensor &tensor = tensorAt(k);
    const bool isOfBlocks = options_.blocks && (inputs_.parameters[k].blocks || tensor.isWritten);
    if (isOfBlocks || (options_.takesSizesAlone && !given_[k]))
      continue;
    std::vector<int64_t> shape = inputs_.shapeOf(tensor);
    double entries =
        tensor.isWritten && tensor.format.isDense() ? leastBytes(tensor, shape, 0) / sema::bytesOf(tensor.type) : 0;
    if (given_[k] && given_[k]->generator && !isLeftOut(k))
      entries = std::max(entries, tensor::entryCount(*given_[k]->generator, shape));
    bytes += leastBytes(tensor, shape, entries) + entries * (tensor.order() + 1) * sizeof(double);
    checkMemory(session_, tensor, bytes, shape);
  }
}

tensor::Coordinates InputReader::generated(size_t parameter, const std::vector<int64_t> &shape) const {
  const Progress::Phase phase(session_.progress(), "making up " + given_[parameter]->assignment.name, WorkUnit::None);
  tensor::Coordinates entries = tensor::generate(*given_[parameter]->generator, shape);
  tensor::fitValues(entries, tensorAt(parameter).type);
  return entries;
}

void InputReader::finishTensors() {
  for (size_t k = 0; k < given_.size(); ++k) {
    if (!given_[k] || tensorAt(k).order() == 0 || isLeftOut(k) || inputs_.parameters[k].packed ||
        inputs_.parameters[k].blocks)
      continue;
    std::vector<int64_t> shape = inputs_.shapeOf(tensorAt(k));
    std::optional<tensor::Coordinates> &entries = inputs_.parameters[k].entries;
    if (entries)
      entries->shape = shape;
    else
      entries = generated(k, shape);
    if (const std::vector<int> dims = options_.dividedDims(k); !dims.empty())
      inputs_.parameters[k].blocks =
          tensor::blocksOf(*std::exchange(entries, std::nullopt), dims.front(), targetOf(k, true));
    else if (!tensorAt(k).partOf.empty())
      splitIntoParts(kernel_, k, inputs_);
  }
}

} // namespace

std::optional<Inputs> readInputs(Session &session, const sema::Kernel &kernel, const syntax::Kernel &tree,
                                 const InputOptions &options) {
  return InputReader(session, kernel, tree, options).read();
}

} // namespace spc::host
