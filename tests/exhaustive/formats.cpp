#include "exhaustive/formats.h"

#include <algorithm>
#include <stdexcept>

namespace spc::testing {

ShippedFormats::ShippedFormats() : loader_({}, sources_, diagnostics_) {
  for (const auto &[name, folder] : loader_.known()) {
    const std::vector<format::Binding> bindings = loader_.load(name);
    if (bindings.size() != 1 || diagnostics_.hasErrors())
      throw std::runtime_error("cannot read the format " + name);
    const std::optional<format::Format> format = bindings.front().family->instantiate(2);
    if (!format || hasTwin(*format))
      continue;
    names_.push_back(name);
    formats_.push_back(*format);
    loaded_[name] = bindings;
  }
}

/// Whether some format has the same levels, with other types of pointers and indices: its kernels have the same loops.
bool ShippedFormats::hasTwin(const format::Format &format) const {
  return std::any_of(formats_.begin(), formats_.end(), [&](const format::Format &other) {
    format::Format same = format;
    same.pointers = other.pointers;
    same.indices = other.indices;
    return same.sameStorage(other) && !format.sameStorage(other);
  });
}

int ShippedFormats::numberOf(const std::string &name) const {
  const auto place = std::find(names_.begin(), names_.end(), name);
  if (place == names_.end())
    throw std::runtime_error("no format " + name);
  return static_cast<int>(place - names_.begin());
}

format::Binding ShippedFormats::bind(const std::string &tensor, const std::string &name) {
  format::Binding binding = loaded_.at(name).front();
  binding.tensor = tensor;
  return binding;
}

} // namespace spc::testing
