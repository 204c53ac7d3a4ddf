#include "format/format_file.h"

namespace spc::format {

namespace {

class OneFormat final : public FormatFamily {
public:
  explicit OneFormat(Format format) : format_(std::move(format)) {}
  std::string name() const override { return format_.name; }
  std::optional<int> order() const override { return format_.order(); }
  std::optional<Format> instantiate(int order) const override {
    return order == format_.order() ? std::optional(format_) : std::nullopt;
  }

private:
  Format format_;
};

} // namespace

Binding bindingOf(std::string tensor, Format format) {
  return {std::move(tensor), std::make_shared<OneFormat>(std::move(format)), {}};
}

} // namespace spc::format
