#include "driver/build/object_file.h"

#include "support/input.h"

namespace spc::driver {
namespace {

constexpr DiagnosticKind kNoObject{"no-object", Severity::Error};
constexpr DiagnosticKind kNoSignature{"no-signature", Severity::Error};

constexpr size_t kLargestObject = size_t{1} << 30; // bytes

} // namespace

std::optional<std::string> readObjectFile(Session &session, const std::string &path) {
  return readBytes(path, session.diagnostics(), kLargestObject);
}

Diagnostic &reportNoObject(Session &session, const std::string &path, const std::string &why) {
  return session.diagnostics().report(kNoObject, {}, "cannot be read as machine code: " + why).at(path);
}

Diagnostic &reportNoSignature(Session &session, const std::string &path, const std::string &what) {
  return session.diagnostics().report(kNoSignature, {}, what).at(path);
}

} // namespace spc::driver
