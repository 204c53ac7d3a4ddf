// The matrix formats that come with spc.
#pragma once

#include "format/format_file.h"
#include "support/diagnostic.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace spc::testing {

class ShippedFormats {
public:
  /// Reads every one that has matrices and differs from the others by more than index types. Throws std::runtime_error
  /// where one cannot be read.
  ShippedFormats();

  const std::vector<std::string> &names() const { return names_; }
  /// The format for matrices, by its number in names().
  const std::vector<format::Format> &formats() const { return formats_; }
  /// The number of a name. Throws std::runtime_error.
  int numberOf(const std::string &name) const;

  /// What `--format TENSOR=NAME` binds.
  format::Binding bind(const std::string &tensor, const std::string &name);

private:
  bool hasTwin(const format::Format &format) const;

  SourceManager sources_;
  Diagnostics diagnostics_;
  format::FormatLoader loader_;
  std::vector<std::string> names_;
  std::vector<format::Format> formats_;
  std::map<std::string, std::vector<format::Binding>> loaded_;
};

} // namespace spc::testing
