#include "parts/parts.h"

#include "evaluators/agreement.h"
#include "harness/data.h"
#include "harness/number_types.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace spc::testing {
namespace {

const std::string &nameInText(const sema::Tensor &tensor) {
  return tensor.partOf.empty() ? tensor.name : tensor.partOf;
}

/// The extents of a tensor of the text.
const std::vector<sema::ExtentId> &extentsOf(const AnalyzedKernel &analyzed, const std::string &name) {
  for (const sema::Tensor &tensor : analyzed.program->tensors)
    if (tensor.name == name)
      return tensor.extents;
  throw std::logic_error("the text has no tensor " + name);
}

std::vector<int64_t> allOf(int64_t size) {
  std::vector<int64_t> all(static_cast<size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The coordinates of a dimension that a part has.
std::vector<int64_t> coordinatesOf(const PartData &part, sema::ExtentId extent, int64_t size) {
  const auto known = part.coordinates.find(extent);
  return known == part.coordinates.end() ? allOf(size) : known->second;
}

std::vector<std::vector<int64_t>> placesOf(const AnalyzedKernel &analyzed, const PartData &part,
                                           const std::string &name, const std::vector<int64_t> &shape) {
  std::vector<std::vector<int64_t>> places;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    places.push_back(coordinatesOf(part, extentsOf(analyzed, name)[dim], shape[dim]));
  return places;
}

/// Calls `visit` with the element of a part and that of the whole.
template <typename Visit>
void forEachElement(const std::vector<std::vector<int64_t>> &places, const std::vector<int64_t> &shape, Visit visit) {
  std::vector<int64_t> sizes, at(places.size(), 0);
  for (const std::vector<int64_t> &coordinates : places)
    sizes.push_back(static_cast<int64_t>(coordinates.size()));
  if (!hasElements(sizes))
    return;
  do {
    std::vector<int64_t> global;
    for (size_t dim = 0; dim < at.size(); ++dim)
      global.push_back(places[dim][static_cast<size_t>(at[dim])]);
    visit(static_cast<size_t>(offsetOf(at.data(), sizes)), static_cast<size_t>(offsetOf(global.data(), shape)));
  } while (advance(at, sizes));
}

DenseTensor cut(const DenseTensor &whole, const std::vector<std::vector<int64_t>> &places) {
  DenseTensor part = whole;
  for (size_t dim = 0; dim < places.size(); ++dim)
    part.shape[dim] = static_cast<int64_t>(places[dim].size());
  const auto size = static_cast<size_t>(part.size());
  part.values.assign(size, 0);
  part.stored.assign(size, 0);
  part.errors.clear();
  forEachElement(places, whole.shape, [&](size_t own, size_t all) {
    part.values[own] = whole.values[all];
    part.stored[own] = whole.stored[all];
  });
  return part;
}

/// The coordinates that entries of a part's slices have.
std::vector<int64_t> listed(const AnalyzedKernel &analyzed, const sema::Halo &halo, const PartData &part,
                            const TensorMap &whole) {
  std::set<int64_t> found;
  int64_t size = 0;
  for (const auto &[tensor, dim] : halo.listedBy) {
    const std::string &name = nameInText(analyzed.kernel->tensors[tensor]);
    const DenseTensor &all = whole.at(name);
    size = all.shape[static_cast<size_t>(dim)];
    const std::vector<std::vector<int64_t>> places = placesOf(analyzed, part, name, all.shape);
    forEachElement(places, all.shape, [&](size_t, size_t at) {
      if (!all.stored[at])
        return;
      auto rest = static_cast<int64_t>(at);
      for (size_t k = all.shape.size(); k-- > static_cast<size_t>(dim) + 1; rest /= all.shape[k])
        ;
      found.insert(rest % all.shape[static_cast<size_t>(dim)]);
    });
  }
  if (halo.needsOne && found.empty() && size > 0)
    found.insert(0);
  return {found.begin(), found.end()};
}

double identityOf(Joining joining, const DenseTensor &like) {
  switch (joining) {
  case Joining::Min:
    return endOf(like.type, false);
  case Joining::Max:
    return endOf(like.type, true);
  case Joining::Product:
  case Joining::And:
    return 1;
  default:
    return like.sparse ? like.fill : 0;
  }
}

/// Adds the value of a part, with its error.
void take(Joining joining, std::complex<double> &value, double &error, std::complex<double> part, double partError,
          sema::ValueType type) {
  const double epsilon = sema::isInteger(type) || type == sema::ValueType::Bool ? 0 : epsilonOf(type);
  switch (joining) {
  case Joining::Whole:
  case Joining::Slice:
    value = part;
    error = partError;
    break;
  case Joining::Sum:
    value += part;
    error += partError + epsilon * (std::abs(value) + std::abs(part));
    break;
  case Joining::Product:
    error = std::abs(value) * partError + std::abs(part) * error + error * partError +
            epsilon * std::abs(value) * std::abs(part);
    value *= part;
    break;
  case Joining::Min:
  case Joining::Max: {
    const bool isNaN = std::isnan(value.real()) || std::isnan(part.real());
    value = isNaN                     ? std::numeric_limits<double>::quiet_NaN()
            : joining == Joining::Min ? std::min(value.real(), part.real())
                                      : std::max(value.real(), part.real());
    error = std::max(error, partError);
    break;
  }
  case Joining::Or:
    value = value != 0.0 || part != 0.0 ? 1 : 0;
    error = std::max(error, partError);
    break;
  case Joining::And:
    value = value != 0.0 && part != 0.0 ? 1 : 0;
    error = std::max(error, partError);
    break;
  }
  constexpr double kExact = 0x1p53; // integers beyond are no doubles
  if (sema::isInteger(type) && (std::abs(value.real()) >= kExact || std::abs(part.real()) >= kExact))
    error = kInf;
  if (sema::isInteger(type) && std::isfinite(value.real()))
    value = converted(value, type);
}

} // namespace

PartData partOf(const AnalyzedKernel &analyzed, const sema::IndexDivision &division, const TensorMap &whole,
                std::vector<int64_t> coordinates) {
  PartData part;
  part.coordinates[division.extent] = std::move(coordinates);
  std::map<sema::ExtentId, std::vector<int64_t>> halos;
  for (const sema::Halo &halo : division.halos)
    halos[halo.extent] = listed(analyzed, halo, part, whole);
  part.coordinates.merge(halos);
  for (sema::TensorId id : analyzed.kernel->parameters) {
    const std::string &name = nameInText(analyzed.kernel->tensors[id]);
    const DenseTensor &all = whole.at(name);
    part.tensors[name] = cut(all, placesOf(analyzed, part, name, all.shape));
  }
  return part;
}

Joining joiningOf(const sema::ArgumentPart &part) {
  if (part.role == sema::ArgumentPart::Role::Whole)
    return Joining::Whole;
  if (part.role == sema::ArgumentPart::Role::Slice)
    return Joining::Slice;
  switch (part.reduction) {
  case sema::Reduction::Product:
    return Joining::Product;
  case sema::Reduction::Min:
    return Joining::Min;
  case sema::Reduction::Max:
    return Joining::Max;
  case sema::Reduction::Any:
    return Joining::Or;
  case sema::Reduction::All:
    return Joining::And;
  default:
    return Joining::Sum;
  }
}

DenseTensor joined(const AnalyzedKernel &analyzed, const std::string &name, const std::vector<PartData> &parts,
                   const std::vector<TensorMap> &results, Joining joining, const DenseTensor &like) {
  DenseTensor all = like;
  const auto size = static_cast<size_t>(like.size());
  all.values.assign(size, identityOf(joining, like));
  all.errors.assign(size, 0);
  for (size_t p = 0; p < parts.size(); ++p) {
    const DenseTensor &result = results[p].at(name);
    forEachElement(placesOf(analyzed, parts[p], name, like.shape), like.shape, [&](size_t own, size_t at) {
      const double error = result.errors.empty() ? 0 : result.errors[own];
      take(joining, all.values[at], all.errors[at], result.values[own], error, like.type);
    });
  }
  return all;
}

TensorMap expectedResults(const AnalyzedKernel &analyzed, const TensorMap &tensors) {
  const reference::Tensors computed = referenceResults(analyzed, tensors);
  TensorMap results;
  for (const std::string &name : resultsOf(analyzed)) {
    DenseTensor &result = results[name] = tensors.at(name);
    const reference::Tensor &values = computed.at(name);
    result.errors.assign(result.values.size(), 0);
    for (size_t at = 0; at < result.values.size(); ++at) {
      const reference::Value value = values.at(static_cast<int64_t>(at));
      result.values[at] = value.number;
      result.errors[at] = std::isfinite(value.error) && !value.alternatives ? value.error : kInf;
    }
  }
  return results;
}

std::string differenceOf(const DenseTensor &one, const DenseTensor &other, int64_t &compared) {
  constexpr double kExact = 0x1p53; // integers beyond are no doubles
  for (size_t at = 0; at < one.values.size(); ++at) {
    const double allowed = (one.errors.empty() ? 0 : one.errors[at]) + (other.errors.empty() ? 0 : other.errors[at]);
    const std::complex<double> a = one.values[at], b = other.values[at];
    if (!std::isfinite(allowed) || (sema::isInteger(one.type) && std::abs(a) >= kExact))
      continue;
    ++compared;
    const bool isNumber = std::isfinite(std::abs(a)), isOther = std::isfinite(std::abs(b));
    if (isNumber != isOther || (isNumber && !(std::abs(a - b) <= allowed + std::numeric_limits<float>::min())))
      return "element " + std::to_string(at) + " is " + std::to_string(a.real()) + " of the whole, and " +
             std::to_string(b.real()) + " of its parts, up to " + std::to_string(allowed);
  }
  return {};
}

std::vector<int64_t> cutsOf(int64_t size, int64_t parts, uint64_t seed) {
  Random random(seed);
  std::vector<int64_t> cuts = {0, size};
  const int64_t kind = random.below(4);
  for (int64_t k = 1; k < parts; ++k)
    cuts.push_back(kind == 0   ? size * k / parts // equal ones
                   : kind == 1 ? 0                // one with everything
                               : random.below(size + 1));
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

std::vector<std::string> resultsOf(const AnalyzedKernel &analyzed) {
  std::vector<std::string> names;
  for (sema::TensorId id : analyzed.kernel->parameters) {
    const sema::Tensor &tensor = analyzed.kernel->tensors[id];
    if (tensor.isWritten && tensor.part == 0)
      names.push_back(nameInText(tensor));
  }
  return names;
}

} // namespace spc::testing
