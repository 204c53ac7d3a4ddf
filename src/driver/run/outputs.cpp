#include "driver/run/outputs.h"

#include "driver/run/print_tensor.h"
#include "format/levels.h"
#include "host/arguments.h"
#include "host/results.h"
#include "support/output_file.h"
#include "tensor/files/compression.h"
#include "tensor/files/files.h"

#include <cmath>

namespace spc::driver {

namespace {

constexpr DiagnosticKind kNoOutput{"no-output", Severity::Error};
constexpr DiagnosticKind kOutputTwice{"output-twice", Severity::Error};
constexpr DiagnosticKind kOutputKind{"output-kind", Severity::Error};
constexpr DiagnosticKind kFill{"fill", Severity::Warning};

/// A tensor as the kernel's text has it: a part stands for the whole that it is of.
sema::Tensor asWhole(sema::Tensor tensor) {
  if (!tensor.partOf.empty())
    tensor.name = tensor.partOf;
  return tensor;
}

/// `-o FILE` without a tensor names the only output.
std::optional<host::Assignment> completed(Session &session, const sema::Kernel &kernel, const std::string &argument) {
  if (argument.find('=') != std::string::npos)
    return host::readAssignment(session, argument, "TENSOR=FILE");
  const sema::Tensor *only = nullptr;
  for (sema::TensorId id : kernel.parameters) {
    const sema::Tensor &tensor = kernel.tensors[id];
    if (tensor.part > 0)
      continue;
    if (tensor.isWritten && only) {
      session
          .usage(kNoOutput, session.find(argument), "the kernel has several outputs; which goes to '" + argument + "'?")
          .advise("write for instance -o " + asWhole(*only).name + "=" + argument);
      return std::nullopt;
    }
    if (tensor.isWritten)
      only = &tensor;
  }
  Span where = session.find(argument);
  return host::Assignment{asWhole(*only).name, argument, where, where};
}

tensor::WriteOptions writeOptions(const sema::Tensor &tensor) {
  tensor::WriteOptions options{.type = tensor.type, .isDense = tensor.format.isDense()};
  if (tensor.hasFill())
    options.comment = "missing entries are " + sema::textOf(tensor.type, tensor.fill);
  return options;
}

/// The kind of the file that an output goes to. Standard output takes text that holds it.
std::optional<tensor::FileName> outputName(const std::string &path, const sema::Tensor &tensor) {
  using tensor::FileKind;
  if (path != "-")
    return tensor::fileNamed(path);
  return tensor::FileName{tensor.order() > 2 ? FileKind::Tns : FileKind::MatrixMarket, tensor::Compression::None};
}

/// What to write in place of a kind that cannot hold a tensor.
std::string kindsFor(const sema::Tensor &tensor) {
  std::string kinds;
  for (const auto &[kind, ending] :
       {std::pair(tensor::FileKind::MatrixMarket, ".mtx"), std::pair(tensor::FileKind::Tns, ".tns"),
        std::pair(tensor::FileKind::Npy, ".npy"), std::pair(tensor::FileKind::Npz, ".npz"),
        std::pair(tensor::FileKind::Hdf5, ".h5")})
    if (tensor::whyNotWritten(kind, tensor.order(), writeOptions(tensor)).empty())
      kinds += (kinds.empty() ? "" : ", ") + std::string(ending);
  return kinds;
}

bool checkKind(Session &session, const sema::Tensor &tensor, const host::Assignment &assignment) {
  const std::optional<tensor::FileName> name = outputName(assignment.value, tensor);
  const std::string why =
      name ? tensor::whyNotWritten(name->kind, tensor.order(), writeOptions(tensor)) : std::string();
  if (name && why.empty()) {
    const std::string missing = tensor::whyNotHere(name->kind);
    if (!missing.empty())
      session.diagnostics().report(kOutputKind, assignment.where, missing);
    return missing.empty();
  }
  const std::string kinds = kindsFor(tensor);
  Diagnostic &wrong = name ? session.diagnostics().report(kOutputKind, assignment.where,
                                                          why + ": '" + tensor.name + "' is " +
                                                              (sema::isComplex(tensor.type) ? "complex, " : "") +
                                                              (tensor.format.isDense() ? "dense" : "sparse") +
                                                              " and of order " + std::to_string(tensor.order()))
                           : session.usage(kOutputKind, assignment.where,
                                           "'" + assignment.value + "' names no kind of file that can be written");
  wrong.advise(kinds.empty() ? "leave out -o to print it"
                             : "kinds of files that hold it: " + kinds + ", with .gz or .zst behind it to compress it");
  return false;
}

/// Says that a file cannot: to whoever reads it, entries that it does not list are 0.
void warnOfFill(Session &session, const sema::Tensor &tensor, const host::Assignment &assignment) {
  const std::string fill = sema::textOf(tensor.type, tensor.fill);
  const std::string written = std::isinf(tensor.fill) ? tensor.fill > 0 ? "inf" : "-inf" : fill;
  const std::optional<tensor::FileName> name = outputName(assignment.value, tensor);
  const bool isText = !name || name->kind == tensor::FileKind::MatrixMarket || name->kind == tensor::FileKind::Tns;
  session.diagnostics()
      .report(kFill, assignment.where,
              "missing entries of '" + tensor.name + "' are " + fill + ", which " +
                  (isText ? "only a comment" : "nothing") + " in '" + assignment.value +
                  "' says: readers take them for 0")
      .advise("where it is read again, declare 'fill " + written + "'; or store it densely: --format " + tensor.name +
              "=dense");
}

/// That output `k` is written to from its arrays, where that is possible.
std::optional<tensor::ArraysFile> fileOfArrays(const host::KernelCall &call, size_t k, tensor::FileKind kind) {
  const sema::Tensor &tensor = call.kernel.tensors[call.kernel.parameters[k]];
  if (tensor.order() == 0 || !tensor.partOf.empty())
    return std::nullopt;
  return tensor::fileOfArrays(kind, *call.arguments[k].tensor);
}

void reportTooLarge(Session &session, const sema::Tensor &tensor, tensor::FileKind kind) {
  session.diagnostics()
      .report(kOutputKind, tensor.where,
              kind == tensor::FileKind::Npz
                  ? "a .npz file holds less than 4 GiB, which '" + tensor.name + "' exceeds"
                  : "libhdf5 makes no file of '" + tensor.name + "': it may not fit into memory")
      .advise("write a .npy file of a dense tensor, else a .mtx or .tns file");
}

/// Plans the file of output `k`, whose entries are listed when it is written; those of an archive or of HDF5 at once,
/// which may turn out not to be possible. `call` outlives `outputs`.
bool addFile(Session &session, const host::KernelCall &call, size_t k, const tensor::FileName &name,
             const std::string &path, int digits, OutputSet &outputs) {
  using tensor::FileKind;
  const sema::Tensor tensor = asWhole(call.kernel.tensors[call.kernel.parameters[k]]);
  const bool toMatrix = name.kind == FileKind::MatrixMarket || name.kind == FileKind::Hdf5 ||
                        (name.kind == FileKind::Npz && !tensor.format.isDense());
  tensor::WriteOptions options = writeOptions(tensor);
  options.digits = digits;
  if (std::optional<tensor::ArraysFile> file = fileOfArrays(call, k, name.kind)) {
    if (file->isTooLarge) {
      reportTooLarge(session, tensor, name.kind);
      return false;
    }
    const auto write = [&session, bytes = std::move(file->bytes), path](const ByteSink &sink) {
      Progress::Phase phase(session.progress(), "writing " + path, WorkUnit::Entries);
      bytes(sink, phase.count());
    };
    outputs.add(path, tensor::compressed(write, name.compression));
    return true;
  }
  const auto write = [&session, &call, k, kind = name.kind, toMatrix, options, path](const ByteSink &sink) {
    std::optional<Progress::Phase> phase;
    if (path != "-") // else the terminal may be in use
      phase.emplace(session.progress(), "writing " + path, WorkUnit::Entries);
    tensor::WriteOptions counted = options;
    counted.count = phase ? phase->count() : nullptr;
    return tensor::writeTensor(kind, host::resultOf(call, k, toMatrix), counted, sink);
  };
  if (name.kind != FileKind::Npz && name.kind != FileKind::Hdf5) {
    outputs.add(path, tensor::compressed(write, name.compression));
    return true;
  }
  std::string bytes;
  if (!write([&](std::string_view piece) { bytes += piece; })) {
    reportTooLarge(session, tensor, name.kind);
    return false;
  }
  const auto give = [bytes = std::move(bytes)](const ByteSink &sink) { sink(bytes); };
  outputs.add(path, tensor::compressed(give, name.compression));
  return true;
}

} // namespace

std::optional<OutputFiles> readOutputFiles(Session &session, const sema::Kernel &kernel,
                                           const RunCommandOptions &options) {
  OutputFiles files(kernel.parameters.size());
  for (const std::string &argument : options.outputs) {
    std::optional<host::Assignment> assignment = completed(session, kernel, argument);
    std::optional<size_t> parameter = assignment ? host::findParameter(session, kernel, *assignment) : std::nullopt;
    if (!parameter)
      continue;
    const sema::Tensor tensor = asWhole(kernel.tensors[kernel.parameters[*parameter]]);
    if (!tensor.isWritten)
      session.diagnostics()
          .report(kNoOutput, assignment->where, "'" + tensor.name + "' is no output of the kernel")
          .advise("for an input, leave out the -o");
    else if (files[*parameter])
      session.diagnostics().report(kOutputTwice, assignment->where, "'" + tensor.name + "' is given two output files");
    else if (checkKind(session, tensor, *assignment)) {
      files[*parameter] = assignment->value;
      if (tensor.hasFill())
        warnOfFill(session, tensor, *assignment);
    }
  }
  if (session.failed())
    return std::nullopt;
  return files;
}

bool deliverOutputs(Session &session, const host::KernelCall &call, const OutputFiles &files,
                    const std::optional<std::string> &report, int digits,
                    std::vector<std::unique_ptr<GrowingFile>> grown) {
  const sema::Kernel &kernel = call.kernel;
  OutputSet outputs;
  std::string text = report.value_or("");
  for (size_t k = 0; k < call.arguments.size(); ++k) {
    const sema::Tensor tensor = asWhole(kernel.tensors[kernel.parameters[k]]);
    if (!tensor.isWritten || tensor.part > 0 || (report && !files[k]))
      continue;
    if (k < grown.size() && grown[k]) {
      outputs.add(std::move(grown[k]));
      continue;
    }
    const std::optional<tensor::FileName> name = files[k] ? outputName(*files[k], tensor) : std::nullopt;
    if (!name)
      text += printTensor(tensor, host::resultOf(call, k), digits);
    else if (!addFile(session, call, k, *name, *files[k], digits, outputs))
      return false;
  }
  if (!text.empty())
    outputs.add("-", std::move(text));
  return outputs.commit(session.diagnostics());
}

} // namespace spc::driver
