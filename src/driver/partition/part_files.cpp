#include "driver/partition/part_files.h"

#include "host/log.h"
#include "support/output_file.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

namespace spc::driver {
namespace {

namespace fs = std::filesystem;

constexpr DiagnosticKind kPartFile{"part-file", Severity::Error};

/// Which coordinates of an extent each part has.
struct Cut {
  Owners owners;
  std::vector<int64_t> places;             ///< of each coordinate among those of its part
  std::vector<std::vector<int64_t>> lists; ///< by part

  Cut(const Owners &owners, int64_t parts) : owners(owners), lists(static_cast<size_t>(parts)) {
    for (size_t at = 0; at < owners.size(); ++at) {
      std::vector<int64_t> &list = lists[static_cast<size_t>(owners[at])];
      places.push_back(static_cast<int64_t>(list.size()));
      list.push_back(static_cast<int64_t>(at));
    }
  }
};

class PartWriter {
public:
  PartWriter(host::Session &session, const sema::Kernel &kernel, const sema::IndexDivision &division,
             const host::Inputs &inputs, const Owners &owners, int64_t parts, fs::path folder, tensor::FileKind kind)
      : session_(session), kernel_(kernel), division_(division), inputs_(inputs), owners_(owners), parts_(parts),
        folder_(std::move(folder)), kind_(kind) {}

  bool run() {
    std::error_code unknown;
    if (const fs::file_status status = fs::status(folder_, unknown); fs::exists(status) && !fs::is_directory(status)) {
      session_.diagnostics().report(kPartFile, session_.findValue("-o", folder_.string()),
                                    "'" + folder_.string() + "' is no folder");
      return false;
    }
    for (size_t k = 0; k < kernel_.parameters.size(); ++k)
      if (inputs_.parameters[k].entries && !writeParameter(k))
        return false;
    cutOf(division_.extent);
    for (const sema::Halo &halo : division_.halos)
      cutOf(halo.extent);
    for (const auto &[extent, cut] : cuts_)
      for (int64_t part = 0; part < parts_; ++part)
        addList(part, kernel_.extents[extent].name, cut.lists[static_cast<size_t>(part)]);
    for (int64_t part = 0; part < parts_; ++part) {
      std::error_code error;
      fs::create_directories(folderOf(part), error); // what is wrong shows when files are written
    }
    if (!outputs_.commit(session_.diagnostics()))
      return false;
    host::log("wrote " + std::to_string(parts_) + " parts in " + folder_.string());
    return true;
  }

private:
  fs::path folderOf(int64_t part) const { return folder_ / std::to_string(part); }

  const Cut &cutOf(sema::ExtentId extent) {
    const auto found = cuts_.find(extent);
    return found != cuts_.end()
               ? found->second
               : cuts_.emplace(extent, Cut(ownersAlong(division_, inputs_, extent, owners_, parts_), parts_))
                     .first->second;
  }

  /// The dimensions of an argument of which a part has its own coordinates alone.
  std::vector<int> dimsCut(const ArgumentPart &part) const {
    if (part.role == ArgumentPart::Role::Slice)
      return part.dims;
    for (const sema::Halo &halo : division_.halos)
      if (const int dim = exchangedDim(kernel_, part, halo); dim >= 0)
        return {dim};
    return {};
  }

  bool writeParameter(size_t parameter) {
    const sema::TensorId id = kernel_.parameters[parameter];
    const sema::Tensor &tensor = kernel_.tensors[id];
    const tensor::Coordinates &all = *inputs_.parameters[parameter].entries;
    std::vector<int> dims;
    for (const ArgumentPart &part : division_.arguments)
      if (part.tensor == id)
        dims = dimsCut(part);
    if (dims.empty())
      return true;
    const Cut &cut = cutOf(tensor.extents[static_cast<size_t>(dims.front())]);
    std::vector<std::shared_ptr<tensor::Coordinates>> own;
    for (const std::vector<int64_t> &list : cut.lists) {
      own.push_back(std::make_shared<tensor::Coordinates>());
      own.back()->shape = all.shape;
      for (int dim : dims)
        own.back()->shape[static_cast<size_t>(dim)] = static_cast<int64_t>(list.size());
    }
    deal(all, dims, cut, own);
    const std::string name = tensor.partOf.empty() ? tensor.name : tensor.partOf + std::to_string(tensor.part);
    for (int64_t part = 0; part < parts_; ++part)
      if (!addTensor(part, name, tensor, own[static_cast<size_t>(part)]))
        return false;
    return true;
  }

  /// Gives each entry to the part that has all of its coordinates.
  static void deal(const tensor::Coordinates &all, const std::vector<int> &dims, const Cut &cut,
                   const std::vector<std::shared_ptr<tensor::Coordinates>> &own) {
    const size_t order = all.shape.size();
    std::vector<int64_t> at(order);
    for (size_t entry = 0; entry < all.size(); ++entry) {
      std::copy_n(all.coordinates.begin() + static_cast<ptrdiff_t>(entry * order), order, at.begin());
      const int32_t part = cut.owners[static_cast<size_t>(at[static_cast<size_t>(dims.front())])];
      bool isOwn = true;
      for (int dim : dims) {
        int64_t &coordinate = at[static_cast<size_t>(dim)];
        isOwn &= cut.owners[static_cast<size_t>(coordinate)] == part;
        coordinate = cut.places[static_cast<size_t>(coordinate)];
      }
      if (isOwn)
        own[static_cast<size_t>(part)]->append(at.data(), all.value(entry));
    }
  }

  bool addTensor(int64_t part, const std::string &name, const sema::Tensor &tensor,
                 const std::shared_ptr<tensor::Coordinates> &entries) {
    tensor::WriteOptions options;
    options.type = tensor.type;
    options.isDense = tensor.format.isDense();
    if (options.isDense)
      fillElements(*entries);
    const tensor::FileKind kind = options.isDense ? tensor::FileKind::Npy
                                  : tensor::whyNotWritten(kind_, tensor.order(), options).empty()
                                      ? kind_
                                      : tensor::FileKind::Tns;
    for (const std::string &why : {tensor::whyNotWritten(kind, tensor.order(), options), tensor::whyNotHere(kind)})
      if (!why.empty()) {
        session_.diagnostics().report(kPartFile, tensor.where, "parts of '" + name + "' are not written: " + why);
        return false;
      }
    const char *ending = kind == tensor::FileKind::Npy    ? ".npy"
                         : kind == tensor::FileKind::Npz  ? ".npz"
                         : kind == tensor::FileKind::Hdf5 ? ".h5"
                                                          : ".tns";
    outputs_.add((folderOf(part) / (name + ending)).string(), [kind, options, entries](const ByteSink &sink) {
      tensor::writeTensor(kind, *entries, options, sink);
    });
    return true;
  }

  /// Makes a list of all elements, in row-major order, of those that are not 0.
  static void fillElements(tensor::Coordinates &entries) {
    tensor::Coordinates all;
    all.shape = entries.shape;
    const int64_t count = tensor::elementCount(entries.shape).value_or(0);
    const size_t order = entries.shape.size();
    std::vector<tensor::Number> numbers(static_cast<size_t>(count));
    for (size_t entry = 0; entry < entries.size(); ++entry) {
      int64_t place = 0;
      for (size_t dim = 0; dim < order; ++dim)
        place = place * entries.shape[dim] + entries.coordinates[entry * order + dim];
      numbers[static_cast<size_t>(place)] = entries.value(entry);
    }
    std::vector<int64_t> at(order);
    for (int64_t place = 0; place < count; ++place) {
      int64_t rest = place;
      for (size_t dim = order; dim-- > 0; rest /= entries.shape[dim])
        at[dim] = rest % entries.shape[dim];
      all.append(at.data(), numbers[static_cast<size_t>(place)]);
    }
    entries = std::move(all);
  }

  void addList(int64_t part, const std::string &name, const std::vector<int64_t> &list) {
    auto entries = std::make_shared<tensor::Coordinates>();
    entries->shape = {static_cast<int64_t>(list.size())};
    for (int64_t place = 0; place < entries->shape[0]; ++place)
      entries->append(&place, {static_cast<double>(list[static_cast<size_t>(place)])});
    tensor::WriteOptions options;
    options.type = sema::ValueType::I64;
    options.isDense = true;
    outputs_.add((folderOf(part) / (name + ".npy")).string(), [options, entries](const ByteSink &sink) {
      tensor::writeTensor(tensor::FileKind::Npy, *entries, options, sink);
    });
  }

  host::Session &session_;
  const sema::Kernel &kernel_;
  const sema::IndexDivision &division_;
  const host::Inputs &inputs_;
  const Owners &owners_;
  const int64_t parts_;
  const fs::path folder_;
  const tensor::FileKind kind_;
  std::map<sema::ExtentId, Cut> cuts_;
  OutputSet outputs_;
};

} // namespace

bool writeParts(host::Session &session, const sema::Kernel &kernel, const sema::IndexDivision &division,
                const host::Inputs &inputs, const Owners &owners, int64_t parts, const std::string &folder,
                tensor::FileKind kind) {
  return PartWriter(session, kernel, division, inputs, owners, parts, folder, kind).run();
}

} // namespace spc::driver
