#include "sema/divide/halos.h"

#include "sema/divide/absent_values.h"
#include "sema/divide/storage.h"

#include <algorithm>

namespace spc::sema {
namespace {

int countOf(const Tensor &tensor, ExtentId extent) {
  return static_cast<int>(std::count(tensor.extents.begin(), tensor.extents.end(), extent));
}

class HaloFinder {
public:
  HaloFinder(const Program &program, const Kernel &kernel, ExtentId divided, ExtentId extent, const PartValues &values)
      : program_(program), kernel_(kernel), divided_(divided), extent_(extent), values_(values) {}

  std::optional<Halo> run() const {
    if (!whyNotSized(program_, extent_).empty() || !areStoredFreely())
      return std::nullopt;
    std::vector<TensorId> listers;
    for (TensorId id : program_.tensors.ids())
      if (mayList(id))
        listers.push_back(id);
    for (TensorId lister : listers)
      if (suffice({lister}))
        return haloBy({lister});
    return listers.size() > 1 && suffice(listers) ? std::optional(haloBy(listers)) : std::nullopt;
  }

private:
  /// Whether what stores the extent may store some of its coordinates; of what a call adds to nothing says which.
  bool areStoredFreely() const {
    const auto isFree = [&](const Tensor &tensor) {
      for (size_t dim = 0; dim < tensor.extents.size(); ++dim)
        if (tensor.extents[dim] == extent_ && (!mayRenumber(tensor, static_cast<int>(dim)) ||
                                               (tensor.isRead && tensor.isWritten && tensor.is<Parameter>())))
          return false;
      return true;
    };
    for (TensorId id : program_.tensors.ids())
      if (!isFree(kernel_.tensors[id]))
        return false;
    return std::all_of(kernel_.parameters.begin(), kernel_.parameters.end(),
                       [&](TensorId id) { return isFree(kernel_.tensors[id]); });
  }

  bool mayList(TensorId id) const {
    const Tensor &tensor = program_.tensors[id];
    return tensor.is<Parameter>() && tensor.isRead && !tensor.isWritten && !tensor.format.isDense() &&
           countOf(tensor, extent_) == 1 && countOf(tensor, divided_) == 1;
  }

  bool suffice(const std::vector<TensorId> &listers) const {
    AbsentValues absent(program_, kernel_, divided_, extent_, listers);
    if (!absent.changeNothing())
      return false;
    for (TensorId id : program_.parameters) {
      const Tensor &tensor = kernel_.tensors[id];
      for (size_t dim = 0; dim < tensor.extents.size(); ++dim)
        if (tensor.isWritten && tensor.extents[dim] == extent_ && (!expected(id) || absent.of(id, dim) != expected(id)))
          return false;
    }
    return true;
  }

  /// What a result is taken to be where no part has it; nullopt of a slice that has all elements.
  std::optional<double> expected(TensorId result) const {
    const Tensor &tensor = kernel_.tensors[result];
    const PartValue &value = values_.of(result);
    if (!tensor.format.isDense())
      return tensor.fill;
    return value.isPartial() ? std::optional(AbsentValues::identity(value.by, tensor.type)) : std::nullopt;
  }

  Halo haloBy(const std::vector<TensorId> &listers) const {
    Halo halo{extent_, {}};
    for (TensorId id : kernel_.parameters)
      if (has(listers, sourceIn(program_, kernel_, id)))
        halo.listedBy.emplace_back(id, dimOf(kernel_.tensors[id], extent_));
    for (TensorId id : program_.tensors.ids())
      halo.needsOne |= needsOneOf(kernel_.tensors[id]);
    for (TensorId id : kernel_.parameters)
      halo.needsOne |= needsOneOf(kernel_.tensors[id]);
    return halo;
  }

  bool needsOneOf(const Tensor &tensor) const {
    for (size_t dim = 0; dim < tensor.extents.size(); ++dim)
      if (tensor.extents[dim] == extent_ && needsOne(tensor, static_cast<int>(dim)))
        return true;
    return false;
  }

  const Program &program_;
  const Kernel &kernel_;
  const ExtentId divided_, extent_;
  const PartValues &values_;
};

} // namespace

std::optional<Halo> haloOf(const Program &program, const Kernel &kernel, ExtentId divided, ExtentId extent,
                           const PartValues &values) {
  return HaloFinder(program, kernel, divided, extent, values).run();
}

} // namespace spc::sema
