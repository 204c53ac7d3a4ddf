#include "driver/build/derivative_check.h"

#include "driver/shell/written_kernel.h"

namespace spc::driver {
namespace {

constexpr DiagnosticKind kGradUnwritable{"grad-unwritable", Severity::Error};

} // namespace

bool checkDerivative(Session &session, const std::string &path, const std::string &text,
                     const std::vector<format::StoredTensor> &stored, const std::vector<format::GivenType> &types,
                     bool verifies) {
  Diagnostics found;
  sema::Options options;
  options.function = "derivative";
  options.types = types;
  options.verify |= verifies;
  planWritten(session, path, text, stored, options, found);
  session.diagnostics().appendInternal(found);
  for (const Diagnostic &one : found.all())
    if (one.severity == Severity::Error) {
      session.diagnostics()
          .report(kGradUnwritable, {}, "spc could not compile the derivative: " + one.message)
          .note(one.where, "in what would be written")
          .advise("split the kernel into statements with temporaries, or take fewer operands");
      return false;
    }
  return !session.failed();
}

} // namespace spc::driver
