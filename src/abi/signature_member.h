// Members of signatures as JSON, which may hold anything where files were changed.
#pragma once

#include <nlohmann/json.hpp>

namespace spc::abi {

using Json = nlohmann::ordered_json;

/// A member; null where `object` has no such one or is none.
inline const Json &memberOf(const Json &object, const char *key) {
  static const Json kNone;
  const auto member = object.is_object() ? object.find(key) : object.end();
  return member == object.end() ? kNone : *member;
}

} // namespace spc::abi
