// MLIR modules as kernels: what front ends of other languages write, linalg on tensors with sparse encodings, as the
// syntax trees of kernels that a text could have said. The header includes nothing of MLIR.
#pragma once

#include "format/format_file.h"
#include "support/diagnostic.h"
#include "syntax/ast.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spc::ingress {

/// A public function of a module. Its places are in the module's text.
struct ModuleKernel {
  syntax::Kernel tree;                   ///< with a signature: the function's name, arguments and results
  std::vector<format::Binding> bindings; ///< what the encodings of arguments and results say
  bool isStrict = false; ///< floats are added up in the order of the text: no operation allows another one
};

/// Whether a file holds a module: by its name, *.mlir or *.mlirbc, or as it begins as bytecode does.
bool isModule(const std::string &path, std::string_view contents);

/// What a module has.
struct Module {
  std::vector<std::string> functions; ///< all public ones that have bodies, in its order
  std::vector<ModuleKernel> kernels;  ///< of those that are wanted
};

/// Which functions of a module are to become kernels.
struct Wanted {
  std::string name;     ///< the one; empty: the only one
  bool several = false; ///< without a name: all
};

/// The public functions of a module, text or bytecode, with those that they call taken in, and kernels of those that
/// are wanted; none where several are not. Bytecode is printed, and `sources` keeps the text that places are in.
/// nullopt with errors reported, a module without a public function being one.
std::optional<Module> readModule(const SourceFile &file, const Wanted &wanted, SourceManager &sources,
                                 Diagnostics &diagnostics);

} // namespace spc::ingress
