// Whether the arrays of a C struct are what its type promises. It reads the struct's fields alone.
#pragma once

#include "abi/signature.h"
#include "harness/test_context.h"

#include <cstdint>
#include <string>
#include <vector>

namespace spc::testing {

/// A struct of the calling convention, field by field.
struct StructFields {
  const abi::StructType &type;
  const std::vector<uint64_t> &slots;

  /// An integer field; 0 where there is none of that role.
  int64_t number(abi::FieldRole role, int index = 0) const;
  /// An array field's pointer; null where there is none of that role.
  const void *array(abi::FieldRole role, int index = 0) const;
};

/// Checks a sparse struct without symmetry, lengths and closed forms, of `shape` by dimension, whose arrays are all
/// memory of `context`: sizes; counts; pointers that start at 0, do not descend, and name no empty list below a list;
/// coordinates that are inside of their extents, ascend and do not repeat where the format says so; each array NULL
/// exactly where it has no elements, else long enough. Returns the empty string or the first thing that is wrong.
std::string checkStructure(const StructFields &fields, const std::vector<int64_t> &shape, const TestContext &context);

} // namespace spc::testing
