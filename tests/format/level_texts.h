// Texts of levels that several tests put together to matrices.
#pragma once

#include <string>

namespace spc::format {

inline std::string levels(const std::string &first, const std::string &second) {
  return R"({"dims": ["i", "j"], "levels": [)" + first + ", " + second + "]}";
}

inline const std::string kDense = R"({"dim": "i", "storage": "dense"})";
inline const std::string kRows = R"({"dim": "i", "storage": "compressed"})";
inline const std::string kRepeatedRows = R"({"dim": "i", "storage": "compressed", "unique": false})";
inline const std::string kColumns = R"({"dim": "j", "storage": "compressed"})";
inline const std::string kSingleton = R"({"dim": "j", "storage": "compressed", "extent": "fixed", "width": 1})";

} // namespace spc::format
