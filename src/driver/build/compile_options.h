// The options of `spc compile`, and the paths of what it writes.
#pragma once

#include "driver/shell/options.h"
#include "driver/shell/session.h"
#include "pipeline/compiler.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::driver {

/// The values of --emit.
enum class Emit { Ast, Kernel, Plan, Signature, Linalg, Sparse, Loops, Llvm, Assembly, Object, Shared };

/// The name of a value, as it is written after --emit=.
const char *spelling(Emit emit);

/// The pipeline's stage, of a library that of its objects; requires: neither Ast, Kernel nor Plan.
pipeline::Stage stageOf(Emit emit);

/// Whether machine code is made, which several kernels of a file can be.
bool isBinary(Emit emit);

/// The command line of `spc compile`.
struct CompileCommandOptions {
  SharedOptions shared;
  Emit emit = Emit::Object;
  std::string output;
  std::string header;
  codegen::TargetOptions target; ///< with the level of `shared` once options are checked
  codegen::Sanitizers sanitizers;
  bool debugInfo = false;
  bool isVisible = false; ///< --visibility=default
  bool writeDepfile = false;
  std::string depfile;
  std::vector<std::string> depfileTargets;
  bool phonyTargets = false;
};

/// Declares the options of `spc compile` beyond the shared ones; `finish` checks them after parsing.
class CompileOptionReader {
public:
  CompileOptionReader(CLI::App &app, CompileCommandOptions &options);

  /// False with usage errors reported.
  bool finish(Session &session);

private:
  bool readSanitizers(Session &session);
  bool checkTarget(Session &session);

  CompileCommandOptions &options_;
  std::vector<std::string> sanitizers_;
  std::string emit_ = "obj";
  std::string visibility_ = "hidden";
  bool positionIndependent_ = true;
};

/// The paths of outputs: "-" is standard output, an empty path is not written.
struct OutputPaths {
  std::string output;
  std::string header;
  std::string depfile;
};

/// The paths after all defaults. nullopt with a usage error where one cannot be derived or two are the same.
std::optional<OutputPaths> outputPaths(Session &session, const CompileCommandOptions &options);

} // namespace spc::driver
