// The way from the command line to a checked kernel, the same for every subcommand.
#pragma once

#include "driver/shell/options.h"
#include "driver/shell/session.h"
#include "driver/shell/timer.h"
#include "format/format_file.h"
#include "sema/analyze.h"
#include "sema/program.h"
#include "syntax/ast.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace spc::driver {

/// Folders in which formats are found by name, before the built-in ones: those of --format-path, then of
/// SPC_FORMAT_PATH.
std::vector<std::filesystem::path> formatFolders(const std::vector<std::string> &given);

/// The input as read: the kernel's tree, the bindings, and every file that was read, the kernel (unless standard input)
/// first. The executable stands for built-in formats.
struct KernelInput {
  syntax::Kernel tree;
  std::vector<format::Binding> bindings;
  std::vector<format::GivenType> types;
  std::vector<sema::GivenIndexType> indexTypes;
  std::vector<std::string> filesRead;
  sema::ConstantReader readConstant; ///< of the kernel's constants in files, which are among those that were read
  bool isStrict = false;             ///< what the kernel was made from wants floats to be added up in its order
};

/// Reads and parses the kernel and the format files. nullopt with errors reported.
std::optional<KernelInput> readKernel(Session &session, const SharedOptions &options, PhaseTimer &timer);

/// The same where the kernel may be a module with several public functions, of which none is chosen: where
/// `takesSeveral`, each is a kernel. Formats and types that are given by names are for those that have tensors of these
/// names.
std::optional<std::vector<KernelInput>> readKernels(Session &session, const SharedOptions &options, PhaseTimer &timer,
                                                    bool takesSeveral);

/// Whether --verify or the environment wants plans to be verified.
bool verifiesPlans(const SharedOptions &options);

/// The command line's options for the analysis under a function name; it fuses, and looks at no arrays.
sema::Options checksOf(const KernelInput &input, const SharedOptions &options, const std::string &function);

/// Checks the kernel under a function name, and plans nothing. nullopt with errors reported.
std::optional<sema::Program> checkProgram(Session &session, const KernelInput &input, const std::string &function,
                                          const SharedOptions &options);

/// Plans the loops of a kernel that was checked. nullopt with errors reported. `fuses`: temporaries into what reads
/// them.
std::optional<sema::Kernel> planKernel(Session &session, const sema::Program &program, const KernelInput &input,
                                       const SharedOptions &options, PhaseTimer &timer, bool fuses = true);

/// Both.
std::optional<sema::Kernel> checkKernel(Session &session, const KernelInput &input, const std::string &function,
                                        const SharedOptions &options, PhaseTimer &timer);

/// Why `name` cannot be that of a function in a kernel's header; empty when it can.
std::string objectionToFunction(const std::string &name);

/// The function's name: --name, else that of the kernel's signature, else the kernel file's stem. nullopt with an error
/// when that is no name that C and C++ allow.
std::optional<std::string> functionName(Session &session, const SharedOptions &options, const syntax::Kernel &tree);

/// The name under which a format is found, where it is one that has a name; else empty.
std::string knownNameOf(format::FormatLoader &loader, const format::Format &format);

/// The kernel file's name without folders and suffix; empty for standard input.
std::string kernelStem(const SharedOptions &options);

} // namespace spc::driver
