#include "fixtures.h"

#include "storages.h"

#include <limits>
#include <numeric>

namespace spc::abi::test {
namespace {

using format::Extent;
using format::Format;
using format::IndexType;
using format::Level;
using format::Storage;
using sema::Kernel;
using sema::Tensor;
using sema::TensorId;
using sema::ValueType;

TensorId add(Kernel &kernel, const std::string &name, ValueType type, Format format,
             const std::vector<size_t> &extents) {
  Tensor tensor;
  tensor.name = name;
  tensor.type = type;
  tensor.format = std::move(format);
  for (size_t extent : extents)
    tensor.extents.push_back(sema::ExtentId(extent));
  tensor.isRead = true;
  const TensorId id = kernel.tensors.add(std::move(tensor));
  kernel.parameters.push_back(id);
  return id;
}

void makeOutput(Kernel &kernel, TensorId id, bool isRead) {
  kernel.tensors[id].isWritten = true;
  kernel.tensors[id].isRead = isRead;
}

void addStatement(Kernel &kernel, const SourceFile &file, const std::string &text, TensorId target) {
  const auto begin = static_cast<uint32_t>(file.text().find(text));
  sema::Statement statement;
  statement.target = target;
  statement.where = {&file, begin, begin + static_cast<uint32_t>(text.size())};
  kernel.steps.emplace_back(std::move(statement));
}

Kernel named(const std::string &function, const std::string &file, IdVector<sema::ExtentId, sema::Extent> extents) {
  Kernel kernel;
  kernel.function = function;
  kernel.kernelFile = file;
  kernel.extents = std::move(extents);
  return kernel;
}

} // namespace

Format makeFormat(const std::string &letters, std::vector<int> modes, IndexType pointers, IndexType indices) {
  if (modes.empty()) {
    modes.resize(letters.size());
    std::iota(modes.begin(), modes.end(), 0);
  }
  Format format;
  format.name = "whatever";
  format.pointers = pointers;
  format.indices = indices;
  for (size_t k = 0; k < letters.size(); ++k) {
    Level level;
    level.dim = modes[k];
    level.storage = letters[k] == 'd' ? Storage::Dense : Storage::Compressed;
    level.extent = letters[k] == 'c' ? Extent::Ragged : Extent::Fixed;
    level.unique = k + 1 == letters.size() || letters[k + 1] != 's';
    format.levels.push_back(level);
  }
  return format;
}

Kernel sddmm(SourceManager &sources) {
  const std::string statement = "D(i,j) = S(i,j) * # sampled */ ?\?/\n    (A(i,k)*B(j,k))";
  const SourceFile &file = sources.add("kernels/sddmm.tex", "# one head\n" + statement + "\n");
  Kernel kernel = named("sddmm", "some/folder/sddmm.tex", {{"m", {}}, {"n", {}}, {"k", 64}});
  const TensorId s = add(kernel, "S", ValueType::F32, makeFormat("dc"), {0, 1});
  add(kernel, "A", ValueType::F32, makeFormat("dd"), {0, 2});
  add(kernel, "B", ValueType::F32, makeFormat("dd"), {1, 2});
  const TensorId d = add(kernel, "D", ValueType::F32, makeFormat("dc"), {0, 1});
  makeOutput(kernel, d, false);
  kernel.tensors[d].structure = sema::SharedWith{s};
  addStatement(kernel, file, statement, d);
  return kernel;
}

Kernel scaledSpmv(SourceManager &sources) {
  const SourceFile &file = sources.add("-", "y(i) += alpha*M(i,j)*x(j); nrm = y(i)*y(i)\n");
  Kernel kernel = named("spmv", "-", {{"i", {}}, {"j", {}}});
  add(kernel, "alpha", ValueType::F64, makeFormat(""), {});
  add(kernel, "M", ValueType::F64, makeFormat("cs"), {0, 1});
  add(kernel, "x", ValueType::F64, makeFormat("d"), {1});
  const TensorId y = add(kernel, "y", ValueType::F64, makeFormat("d"), {0});
  const TensorId norm = add(kernel, "nrm", ValueType::F64, makeFormat(""), {});
  makeOutput(kernel, y, true);
  makeOutput(kernel, norm, false);
  addStatement(kernel, file, "y(i) += alpha*M(i,j)*x(j)", y);
  addStatement(kernel, file, "nrm = y(i)*y(i)", norm);
  return kernel;
}

Kernel csfProduct(SourceManager &sources) {
  const SourceFile &file = sources.add("csf.tex", "Y(i,j) = T(i,j,k)*V(j)");
  Kernel kernel = named("csf_product", "csf.tex", {{"i", {}}, {"j", {}}, {"k", {}}});
  add(kernel, "T", ValueType::F64, makeFormat("ccc", {2, 0, 1}, IndexType::I64), {0, 1, 2});
  add(kernel, "V", ValueType::F64, makeFormat("c"), {1});
  const TensorId y = add(kernel, "Y", ValueType::F64, makeFormat("dd", {1, 0}), {0, 1});
  makeOutput(kernel, y, false);
  addStatement(kernel, file, "Y(i,j) = T(i,j,k)*V(j)", y);
  return kernel;
}

Kernel product(SourceManager &sources) {
  const SourceFile &file = sources.add("product.tex", "A(i,j) = B(i,k)*C(k,j)");
  Kernel kernel = named("product", "product.tex", {{"i", {}}, {"j", {}}, {"k", {}}});
  add(kernel, "B", ValueType::F64, makeFormat("dc"), {0, 2});
  add(kernel, "C", ValueType::F64, makeFormat("dc"), {2, 1});
  const TensorId a = add(kernel, "A", ValueType::F64, makeFormat("dc"), {0, 1});
  makeOutput(kernel, a, false);
  kernel.tensors[a].structure = sema::Assembled{};
  addStatement(kernel, file, "A(i,j) = B(i,k)*C(k,j)", a);
  std::get<sema::Statement>(kernel.steps.back()).collecting = {{0, 1}, 1};
  return kernel;
}

Kernel shortestPaths(SourceManager &sources) {
  const std::string statement = "C(i,j) = min(k, M(i,j)*minplus(A(i,k), B(k,j)))";
  const SourceFile &file = sources.add("paths.tex", statement);
  Kernel kernel = named("paths", "paths.tex", {{"i", {}}, {"j", {}}, {"k", {}}});
  add(kernel, "M", ValueType::I32, makeFormat("dc"), {0, 1});
  const TensorId a = add(kernel, "A", ValueType::I32, makeFormat("dc"), {0, 2});
  const TensorId b = add(kernel, "B", ValueType::I32, makeFormat("dc"), {2, 1});
  const TensorId c = add(kernel, "C", ValueType::I32, makeFormat("dc"), {0, 1});
  for (const TensorId tensor : {a, b, c})
    kernel.tensors[tensor].fill = std::numeric_limits<double>::infinity();
  makeOutput(kernel, c, false);
  kernel.tensors[c].structure = sema::Assembled{};
  addStatement(kernel, file, statement, c);
  std::get<sema::Statement>(kernel.steps.back()).collecting = {{0, 1}, 1};
  return kernel;
}

Kernel accumulated(SourceManager &sources) {
  const SourceFile &file = sources.add("acc.tex", "A(i,j) += B(i,k)*B(k,j)\ny(i) = A(i,j)*A(i,j)");
  Kernel kernel = named("accumulated", "acc.tex", {{"n", {}}});
  add(kernel, "B", ValueType::F32, makeFormat("dc"), {0, 0});
  const TensorId a = add(kernel, "A", ValueType::F32, makeFormat("cs"), {0, 0});
  const TensorId y = add(kernel, "y", ValueType::F32, makeFormat("d"), {0});
  makeOutput(kernel, a, true);
  makeOutput(kernel, y, false);
  kernel.tensors[a].structure = sema::Assembled{};
  addStatement(kernel, file, "A(i,j) += B(i,k)*B(k,j)", a);
  std::get<sema::Statement>(kernel.steps.back()).collecting = {{0, 1}, 1};
  addStatement(kernel, file, "y(i) = A(i,j)*A(i,j)", y);
  return kernel;
}

Kernel sharedParts(SourceManager &sources) {
  const std::string statement = "C(i,j) = alpha*A(i,j)*B(i,j)";
  const SourceFile &file = sources.add("parts.tex", statement);
  Kernel kernel = named("shared_parts", "parts.tex", {{"i", {}}, {"j", {}}});
  add(kernel, "alpha", ValueType::CF64, makeFormat(""), {});
  const TensorId first = add(kernel, "A_0", ValueType::CF64, ell(2), {0, 1});
  const TensorId second = add(kernel, "A_1", ValueType::CF64, makeFormat("cs"), {0, 1});
  const TensorId b = add(kernel, "B", ValueType::CF64, makeFormat("cs"), {0, 1});
  const TensorId c = add(kernel, "C", ValueType::CF64, makeFormat("cs"), {0, 1});
  kernel.tensors[first].partOf = kernel.tensors[second].partOf = "A";
  kernel.tensors[second].part = 1;
  kernel.tensors[b].structure = kernel.tensors[c].structure = sema::SharedWith{second, true};
  makeOutput(kernel, c, false);
  addStatement(kernel, file, statement, c);
  return kernel;
}

Kernel productInParts(SourceManager &sources) {
  const SourceFile &file = sources.add("parts.tex", "A(i,j) = B(i,k)*C(k,j)");
  Kernel kernel = named("product_in_parts", "parts.tex", {{"i", {}}, {"j", {}}, {"k", {}}});
  add(kernel, "B", ValueType::F32, makeFormat("dc"), {0, 2});
  add(kernel, "C", ValueType::F32, makeFormat("dc"), {2, 1});
  const TensorId first = add(kernel, "A_0", ValueType::F32, ell(8), {0, 1});
  const TensorId second = add(kernel, "A_1", ValueType::F32, makeFormat("cs"), {0, 1});
  for (const TensorId part : {first, second}) {
    makeOutput(kernel, part, false);
    kernel.tensors[part].structure = sema::Assembled{};
    kernel.tensors[part].partOf = "A";
  }
  kernel.tensors[second].part = 1;
  Tensor computed = kernel.tensors[first];
  computed.name = "A";
  computed.partOf.clear();
  computed.role = sema::Temporary{};
  computed.format = makeFormat("dc");
  const TensorId whole = kernel.tensors.add(std::move(computed));
  addStatement(kernel, file, "A(i,j) = B(i,k)*C(k,j)", whole);
  std::get<sema::Statement>(kernel.steps.back()).collecting = {{0, 1}, 1};
  kernel.steps.emplace_back(sema::Distribution{whole, {first, second}});
  return kernel;
}

} // namespace spc::abi::test
