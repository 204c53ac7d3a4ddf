// Syntax tree + format bindings to a program, and to a planned kernel.
#pragma once

#include "format/format_file.h"
#include "language/declarations.h"
#include "sema/kernel.h"
#include "support/diagnostic.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spc::syntax {
struct Kernel;
}

namespace spc::sema {

struct Program;

/// A constant whose numbers are in a file.
struct ConstantFile {
  const language::TensorDecl &declaration;
  const format::Format &format;                     ///< that it is stored in
  const std::optional<std::vector<int64_t>> &shape; ///< where the declaration has numbers alone
};

/// Gives what a constant's file has: without the zeros of dense files where the format is sparse. Null with an error
/// reported.
using ConstantReader =
    std::function<std::shared_ptr<const language::ConstantEntries>(const ConstantFile &, Diagnostics &)>;

/// The type of pointers and indices: of one tensor, `A=i64`, or of all that are bound to a format.
struct GivenIndexType {
  std::optional<std::string> tensor;
  format::IndexType type;
  Span where; ///< the argument's text
};

/// Whether plans are verified where nobody says: in builds with assertions.
#ifdef NDEBUG
inline constexpr bool kVerifiesPlans = false;
#else
inline constexpr bool kVerifiesPlans = true;
#endif

/// The command line's options for the analysis.
struct Options {
  std::string function; ///< the C name of the kernel function, checked by the driver
  bool strictFp = false;
  bool distributes = false;                  ///< products of sums are multiplied out though their addends may cancel
  bool dropZeros = false;                    ///< assembled outputs do not store elements that come out as 0
  bool checked = false;                      ///< the entry looks at what arrays hold
  std::vector<format::GivenType> types = {}; ///< by --type; these win over those of bindings
  std::vector<GivenIndexType> indexTypes = {};
  ConstantReader readConstant = {}; ///< without it constants have no files
  bool fuses = true;                ///< temporaries into what reads them, where that saves work or memory
  bool asWritten = false; ///< sums are taken where the text has them, and each statement as a whole, though others
                          ///< orders save steps or memory
  bool trusts = true;     ///< sums without entries are taken for 0 where infinities beside them would show
  std::optional<size_t> alternative = std::nullopt; ///< the one, from 0, that is compiled alone
  bool verify = kVerifiesPlans;                     ///< a plan with a broken invariant (verify.h) is an internal error
};

/// Checks the whole kernel, reporting every error that it finds. nullopt exactly when errors were reported (a warning
/// raised to an error counts). program.h has the result.
std::optional<Program> check(const syntax::Kernel &kernel, const std::vector<format::Binding> &bindings,
                             const Options &options, Diagnostics &diagnostics);

/// Plans the loops of a program. nullopt exactly when errors were reported.
std::optional<Kernel> plan(const Program &program, const Options &options, Diagnostics &diagnostics);

/// Both.
std::optional<Kernel> analyze(const syntax::Kernel &kernel, const std::vector<format::Binding> &bindings,
                              const Options &options, Diagnostics &diagnostics);

/// The plan in text (--emit=plan): a line a tensor, with its format and its role, then a paragraph a step, with a line
/// a loop nest. A + marks the loops that are summed over.
std::string describe(const Kernel &kernel);

/// The computation of a statement's term at each point of its loops: "C(i,k) += A(i,j)*B(j,k)".
std::string describe(const Kernel &kernel, const Statement &statement, const Term &term);

} // namespace spc::sema
