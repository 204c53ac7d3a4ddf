// What arguments of the command line say: assignments, numbers, sizes and shapes.
#pragma once

#include "host/session.h"
#include "sema/kernel.h"
#include "tensor/numbers.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spc::host {

/// `name=value`, with its place for diagnostics.
struct Assignment {
  std::string name;
  std::string value;
  Span where;
  Span nameWhere;
};

/// Splits at the first '='. nullopt with a usage error that shows `form`.
std::optional<Assignment> readAssignment(Session &session, const std::string &argument, const std::string &form);

/// The kernel's parameter of that name, as an index into Kernel::parameters; nullopt with an error, which names the
/// nearest one.
std::optional<size_t> findParameter(Session &session, const sema::Kernel &kernel, const Assignment &assignment);

/// The value of an option that is a number from 1 to `most`; `otherwise` where it is empty. nullopt with a usage error.
std::optional<int> readCount(Session &session, const std::string &option, const std::string &value, int most,
                             int otherwise);

/// A positive or zero integer that fits; nullopt for anything else.
std::optional<int64_t> readSize(std::string_view text);

/// A number of bytes, "500", or "500K", "500M", "500G" and "500T" with powers of 1024; nullopt for anything else.
std::optional<uint64_t> readByteCount(std::string_view text);

/// "5x4", or "5"; nullopt for anything else.
std::optional<std::vector<int64_t>> readShape(std::string_view text);

/// "34 x 34"; "scalar" for order 0.
std::string describeShape(const std::vector<int64_t> &shape);

/// A number, or `1+2i` where the scalar is complex; nullopt of other text.
std::optional<tensor::Number> readNumber(const std::string &text, bool mayBeComplex);

} // namespace spc::host
