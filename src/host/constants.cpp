#include "host/constants.h"

#include "format/footprint.h"
#include "support/quantities.h"
#include "tensor/files/files.h"
#include "tensor/pack/constants.h"

#include <map>
#include <memory>
#include <tuple>

namespace spc::host {
namespace {

constexpr DiagnosticKind kConstantFormat{"constant-format", Severity::Error};
constexpr DiagnosticKind kConstantsTooLarge{"constants-too-large", Severity::Error};

using Entries = std::shared_ptr<const language::ConstantEntries>;
using Shape = std::optional<std::vector<int64_t>>;

std::string pathOf(const std::filesystem::path &folder, const std::string &file) {
  return (folder / file).lexically_normal().string();
}

/// Reads a file; what is reported of it also says which constant asks for it.
Entries read(const std::string &path, const sema::ConstantFile &wanted, Diagnostics &diagnostics) {
  Diagnostics found = diagnostics.alike();
  const tensor::PackTarget target{wanted.format, sema::ValueType::F64, /*isPacked=*/false};
  const Shape shape = tensor::statesShape(path) ? std::nullopt : wanted.shape; // which else would be made larger
  std::optional<tensor::FileTensor> file = tensor::readTensorFor(target, path, shape, found);
  for (const Diagnostic &one : found.all()) {
    Diagnostic &reported = diagnostics.report(one.kind, one.where, one.message);
    reported = one;
    reported.note(wanted.declaration.constant->where,
                  "the constant '" + wanted.declaration.name.text + "' is read from it");
  }
  if (!file || !file->unstorable.empty())
    return nullptr;
  tensor::Coordinates &entries = file->entries;
  if (wanted.declaration.extents.size() == 1)
    (void)tensor::asVector(entries);
  return std::make_shared<const language::ConstantEntries>(
      language::ConstantEntries{std::move(entries.shape), std::move(entries.coordinates), std::move(entries.values),
                                std::move(entries.imaginary), std::move(entries.rests)});
}

/// How many bytes a constant's arrays take.
double bytesOf(const sema::Program &program, const sema::Tensor &tensor) {
  const language::ConstantEntries &entries = *tensor.as<sema::Constant>()->entries;
  if (!tensor.format.isDense())
    return static_cast<double>(entries.size()) * (sema::bytesOf(tensor.type) + 8);
  double bytes = sema::bytesOf(tensor.type);
  for (sema::ExtentId extent : tensor.extents)
    bytes *= static_cast<double>(program.extents[extent].fixed.value_or(0));
  return bytes;
}

} // namespace

std::filesystem::path constantFolder(const std::string &kernel) {
  return kernel == "-" ? std::filesystem::path() : std::filesystem::path(kernel).parent_path();
}

std::vector<std::string> constantFiles(const syntax::Kernel &kernel, const std::filesystem::path &folder) {
  std::vector<std::string> files;
  for (const language::TensorDecl &declaration : kernel.declarations)
    if (declaration.constant && !declaration.constant->file.empty()) {
      std::string path = pathOf(folder, declaration.constant->file);
      std::error_code error;
      if (std::filesystem::exists(path, error) && std::find(files.begin(), files.end(), path) == files.end())
        files.push_back(std::move(path));
    }
  return files;
}

std::string fileFrom(const std::string &file, const std::filesystem::path &from, const std::filesystem::path &to) {
  if (std::filesystem::path(file).is_absolute() || from == to)
    return file;
  std::error_code error;
  const std::filesystem::path known = std::filesystem::absolute(from / file, error).lexically_normal();
  const std::filesystem::path beside =
      known.lexically_relative(std::filesystem::absolute(to / "", error).lexically_normal());
  return beside.empty() ? known.string() : beside.string();
}

sema::ConstantReader constantReader(std::filesystem::path folder) {
  using Key = std::tuple<std::string, bool, size_t, Shape>; // of a file, and what is asked of it
  auto known = std::make_shared<std::map<Key, Entries>>();
  return [folder = std::move(folder), known](const sema::ConstantFile &wanted, Diagnostics &diagnostics) {
    const std::string path = pathOf(folder, wanted.declaration.constant->file);
    const Key key{path, wanted.format.isDense(), wanted.declaration.extents.size(), wanted.shape};
    if (const auto found = known->find(key); found != known->end())
      return found->second;
    Entries entries = read(path, wanted, diagnostics);
    if (entries)
      known->emplace(key, entries);
    return entries;
  };
}

bool checkConstants(const sema::Program &program, Diagnostics &diagnostics) {
  double bytes = 0;
  bool isFine = true;
  for (sema::TensorId id : program.tensors.ids()) {
    const sema::Tensor &tensor = program.tensors[id];
    if (!tensor.is<sema::Constant>())
      continue;
    bytes += bytesOf(program, tensor);
    if (bytes > static_cast<double>(kMostConstantBytes)) {
      diagnostics
          .report(kConstantsTooLarge, tensor.where,
                  "the constants of a kernel take at most " + std::to_string(kMostConstantBytes >> 20) +
                      " MiB of its object, and with '" + tensor.name + "' they take more")
          .advise("pass it as an argument: 'tensor " + tensor.name + "(...)'");
      return false;
    }
    const std::string why = tensor::whyNotPacked(program, id);
    isFine &= why.empty();
    if (!why.empty())
      diagnostics.report(kConstantFormat, tensor.where, "'" + tensor.name + "' cannot be stored: " + why);
  }
  return isFine;
}

} // namespace spc::host
