#include "driver/shell/front_end.h"

#include "abi/names.h"
#include "host/constants.h"
#include "host/log.h"
#include "ingress/module.h"
#include "sema/given_types.h"
#include "support/input.h"
#include "syntax/parser.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace spc::driver {

namespace {

constexpr DiagnosticKind kFunctionName{"function-name", Severity::Error};
constexpr DiagnosticKind kModuleFunction{"mlir-function", Severity::Error};
constexpr DiagnosticKind kUnusedOption{"unused-option", Severity::Warning};

bool isIdentifier(std::string_view name) {
  auto letter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (name.empty() || !letter(name[0]))
    return false;
  for (char c : name)
    if (!letter(c) && !(c >= '0' && c <= '9'))
      return false;
  return true;
}

/// `my-kernel.v2` as `my_kernel_v2`, `a__b` as `a_b`.
std::string nearestName(const std::string &given) {
  std::string name;
  for (char c : given) {
    const bool fits = isIdentifier(std::string("a") + c) && c != '_';
    if (fits)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  if (name.empty())
    return "kernel";
  return objectionToFunction(name).empty() ? name : "kernel_" + name;
}

/// Why --drop-zeros leaves nothing out of an output; empty where it does.
std::string whyNotDropped(const sema::Kernel &kernel, sema::TensorId id) {
  const sema::Tensor &output = kernel.tensors[id];
  if (output.format.isDense())
    return "is dense";
  if (output.isAssembled())
    return output.hasFill() ? "has missing entries that are " + sema::textOf(output.type, output.fill) + ", not 0" : "";
  const sema::TensorId owner = sema::structureOwner(kernel, id);
  return owner == id ? "keeps its own pattern" : "shares the pattern of '" + kernel.tensors[owner].name + "'";
}

/// Warns of outputs that nothing is left out of: sparse ones, and dense ones where there are no others.
void checkDropZeros(Session &session, const sema::Kernel &kernel) {
  std::vector<std::pair<sema::TensorId, std::string>> kept;
  bool drops = false;
  for (sema::TensorId id : kernel.parameters)
    if (kernel.tensors[id].isWritten) {
      kept.emplace_back(id, whyNotDropped(kernel, id));
      drops |= kept.back().second.empty();
    }
  std::erase_if(kept, [&](const auto &output) {
    return output.second.empty() || (drops && kernel.tensors[output.first].format.isDense());
  });
  if (kept.empty())
    return;
  std::string names;
  for (const auto &[id, why] : kept)
    names += (names.empty() ? "'" : ", '") + kernel.tensors[id].name + "'";
  Diagnostic &unused = session.diagnostics().report(
      kUnusedOption, session.find("--drop-zeros"),
      drops ? "--drop-zeros leaves nothing out of " + names
            : "--drop-zeros does nothing: the kernel assembles no output whose missing entries are 0");
  for (const auto &[id, why] : kept)
    unused.note(kernel.tensors[id].where, "'" + kernel.tensors[id].name + "' " + why);
}

/// Why a module gives no kernel: it has none of that name, or several, of which `why` allows one.
void reportFunctions(Session &session, const SharedOptions &options, const std::vector<std::string> &functions,
                     const std::string &why) {
  std::string names;
  for (const std::string &name : functions)
    names += (names.empty() ? "" : ", ") + name;
  const bool isGiven = !options.function.empty();
  session
      .usage(kModuleFunction, session.find(isGiven ? options.function : options.kernel),
             isGiven ? "the module has no function '" + options.function + "'; it has " + names
                     : "the module has several functions: " + names + why)
      .advise("choose one with --function=NAME");
}

/// Reads a module's kernels: its only one, that of --function, or all.
std::vector<KernelInput> readFunctions(Session &session, const SharedOptions &options, const SourceFile &file,
                                       bool takesSeveral) {
  const bool isNamed = !options.name.empty();
  session.diagnostics().presumeOff("broadcast"); // a module's maps say what is
  std::optional<ingress::Module> module =
      ingress::readModule(file, {options.function, takesSeveral && !isNamed}, session.sources(), session.diagnostics());
  std::vector<KernelInput> inputs;
  if (module && module->kernels.empty())
    reportFunctions(session, options, module->functions, takesSeveral ? ", and --name names one" : "");
  if (!module)
    return inputs;
  for (ingress::ModuleKernel &kernel : module->kernels) {
    KernelInput &input = inputs.emplace_back();
    input.tree = std::move(kernel.tree);
    input.bindings = std::move(kernel.bindings);
    input.isStrict = kernel.isStrict;
    std::string &name = input.tree.signature->name.text;
    if (!objectionToFunction(name).empty())
      name = "kernel_" + name;
  }
  return inputs;
}

/// The kernels of a file, which is among the files that were read for each.
std::vector<KernelInput> readSourceFile(Session &session, const SharedOptions &options, bool takesSeveral) {
  const SourceFile *file = readSource(options.kernel, session.sources(), session.diagnostics());
  std::vector<KernelInput> inputs;
  if (file && ingress::isModule(options.kernel, file->text()))
    inputs = readFunctions(session, options, *file, takesSeveral);
  else if (file)
    inputs.emplace_back().tree = syntax::parse(*file, session.diagnostics());
  const std::filesystem::path folder = host::constantFolder(options.kernel);
  for (KernelInput &input : inputs) {
    if (options.kernel != "-")
      input.filesRead.push_back(options.kernel);
    for (std::string &path : host::constantFiles(input.tree, folder))
      input.filesRead.push_back(std::move(path));
    input.readConstant = host::constantReader(folder);
  }
  return inputs;
}

/// Whether a name that an option gives is another kernel's alone.
bool isOfOther(const std::optional<std::string> &name, const KernelInput &input,
               const std::vector<KernelInput> &inputs) {
  const auto has = [&](const KernelInput &kernel) {
    return std::any_of(kernel.tree.declarations.begin(), kernel.tree.declarations.end(),
                       [&](const language::TensorDecl &tensor) { return tensor.name.text == *name; });
  };
  return name && !has(input) && std::any_of(inputs.begin(), inputs.end(), has);
}

/// Whether a kernel may have a tensor of that name: its text has the word.
bool mayHave(const SharedOptions &options, const KernelInput &input, const std::string &name) {
  const SourceFile *file = input.tree.statements.empty() ? nullptr : input.tree.statements.front().where.file;
  if (!file || ingress::isModule(options.kernel, file->text()))
    return true;
  const std::string_view text = file->text();
  const auto isPart = [&](size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1))
    if (!isPart(at - 1) && !isPart(at + name.size()))
      return true;
  return false;
}

/// Reads --type and --index; reports what is no type.
void readGivenTypes(Session &session, const SharedOptions &options, std::vector<KernelInput> &inputs) {
  for (const std::string &argument : options.types)
    if (const auto given = sema::readGivenType(argument, session.sources(), session.diagnostics()))
      for (KernelInput &input : inputs)
        if (!isOfOther(given->name, input, inputs))
          input.types.push_back(*given);
  for (const std::string &argument : options.indexTypes)
    if (const auto given = sema::readGivenIndexType(argument, session.sources(), session.diagnostics()))
      for (KernelInput &input : inputs)
        if (!isOfOther(given->tensor, input, inputs))
          input.indexTypes.push_back(*given);
}

/// Formats of the command line win over those that the kernel comes with.
void preferGiven(KernelInput &input, const std::vector<format::Binding> &given,
                 const std::vector<KernelInput> &inputs) {
  std::erase_if(input.bindings, [&](const format::Binding &own) {
    return std::any_of(given.begin(), given.end(),
                       [&](const format::Binding &other) { return other.tensor && other.tensor == own.tensor; });
  });
  for (const format::Binding &binding : given)
    if (!isOfOther(binding.tensor, input, inputs))
      input.bindings.push_back(binding);
}

} // namespace

std::vector<std::filesystem::path> formatFolders(const std::vector<std::string> &given) {
  std::vector<std::filesystem::path> folders(given.begin(), given.end());
  if (const char *variable = std::getenv("SPC_FORMAT_PATH")) {
    std::istringstream list(variable);
    for (std::string folder; std::getline(list, folder, ':');)
      if (!folder.empty())
        folders.emplace_back(folder);
  }
  return folders;
}

std::optional<std::vector<KernelInput>> readKernels(Session &session, const SharedOptions &options, PhaseTimer &timer,
                                                    bool takesSeveral) {
  std::vector<KernelInput> inputs = readSourceFile(session, options, takesSeveral);
  timer.phase("read and parse the kernel");
  std::vector<std::filesystem::path> folders = formatFolders(options.formatFolders);
  for (const std::filesystem::path &folder : folders)
    host::log("formats by name: " + folder.string());
  format::FormatLoader loader(folders, session.sources(), session.diagnostics());
  std::vector<format::Binding> given;
  const auto isKnown = [&](const std::string &name) {
    return inputs.size() != 1 || mayHave(options, inputs.front(), name);
  };
  for (const std::string &argument : options.formats)
    for (format::Binding &binding : loader.load(argument, isKnown))
      given.push_back(std::move(binding));
  std::vector<std::string> files = loader.filesRead().paths;
  for (const std::string &path : files)
    host::log("format file: " + path);
  std::error_code unknown;
  if (loader.filesRead().builtin)
    if (std::filesystem::path self = std::filesystem::canonical("/proc/self/exe", unknown); !unknown)
      files.push_back(self.string());
  for (KernelInput &input : inputs) {
    preferGiven(input, given, inputs);
    input.filesRead.insert(input.filesRead.end(), files.begin(), files.end());
  }
  readGivenTypes(session, options, inputs);
  timer.phase("read the formats");
  return session.failed() ? std::nullopt : std::optional(std::move(inputs));
}

std::optional<KernelInput> readKernel(Session &session, const SharedOptions &options, PhaseTimer &timer) {
  std::optional<std::vector<KernelInput>> inputs = readKernels(session, options, timer, /*takesSeveral=*/false);
  return inputs ? std::optional(std::move(inputs->front())) : std::nullopt;
}

bool verifiesPlans(const SharedOptions &options) {
  return options.verify || std::getenv("SPC_VERIFY_PLANS") != nullptr;
}

sema::Options checksOf(const KernelInput &input, const SharedOptions &options, const std::string &function) {
  sema::Options checks;
  checks.function = function;
  checks.strictFp = options.strictFp || (input.isStrict && !options.allowsFast);
  checks.distributes = options.distributes;
  checks.asWritten = options.asWritten;
  checks.alternative = options.alternative;
  checks.dropZeros = options.dropZeros;
  checks.types = input.types;
  checks.indexTypes = input.indexTypes;
  checks.readConstant = input.readConstant;
  checks.verify |= verifiesPlans(options);
  return checks;
}

/// Does what reports of the kernel as a whole: what has no place is said of its file.
template <typename Work> static auto aboutKernel(Session &session, const SharedOptions &options, const Work &work) {
  session.flush();
  session.setSubject(options.kernel == "-" ? "<stdin>" : options.kernel);
  auto result = work();
  session.flush();
  session.setSubject("");
  return result;
}

std::optional<sema::Program> checkProgram(Session &session, const KernelInput &input, const std::string &function,
                                          const SharedOptions &options) {
  sema::Options checks = checksOf(input, options, function);
  checks.checked = options.checked;
  return aboutKernel(session, options, [&] {
    std::optional<sema::Program> program = sema::check(input.tree, input.bindings, checks, session.diagnostics());
    if (program && !host::checkConstants(*program, session.diagnostics()))
      program.reset();
    return program;
  });
}

std::optional<sema::Kernel> planKernel(Session &session, const sema::Program &program, const KernelInput &input,
                                       const SharedOptions &options, PhaseTimer &timer, bool fuses) {
  sema::Options checks = checksOf(input, options, program.function);
  checks.fuses = fuses;
  checks.checked = options.checked;
  std::optional<sema::Kernel> kernel =
      aboutKernel(session, options, [&] { return sema::plan(program, checks, session.diagnostics()); });
  timer.phase("check the kernel");
  if (!kernel)
    return std::nullopt;
  if (options.dropZeros)
    checkDropZeros(session, *kernel);
  host::log(sema::describe(*kernel));
  return kernel;
}

std::optional<sema::Kernel> checkKernel(Session &session, const KernelInput &input, const std::string &function,
                                        const SharedOptions &options, PhaseTimer &timer) {
  const std::optional<sema::Program> program = checkProgram(session, input, function, options);
  return program ? planKernel(session, *program, input, options, timer) : std::nullopt;
}

std::string knownNameOf(format::FormatLoader &loader, const format::Format &format) {
  if (format.sameStorage(format::denseFormat(format.order())))
    return "dense";
  for (const format::KnownFormat &known : loader.known())
    if (known.name == format.name)
      for (const format::Binding &binding : loader.load(known.name))
        if (binding.family)
          if (const auto same = binding.family->instantiate(format.order()); same && same->sameStorage(format))
            return known.name;
  return "";
}

std::string kernelStem(const SharedOptions &options) {
  return options.kernel == "-" ? "" : std::filesystem::path(options.kernel).stem().string();
}

std::string objectionToFunction(const std::string &name) {
  if (!isIdentifier(name))
    return "is no C identifier";
  if (name == "main")
    return "is the program's own function";
  if (name == "spc")
    return "is the namespace of spc's own C++ headers";
  if (name == "arguments") // as C++'s calls with names have a parameter
    return "is one that headers use";
  if (abi::isReservedName(name))
    return "is reserved by C, C++ or spc";
  for (const char *suffix :
       {"", "_ctx", "_argv", "_arguments", "_free", "_symbolic", "_numeric"}) // what headers may declare
    if (abi::isLibraryName(name + suffix))
      return "is one that the C or C++ library uses";
  return "";
}

std::optional<std::string> functionName(Session &session, const SharedOptions &options, const syntax::Kernel &tree) {
  const bool isGiven = !options.name.empty(), isSaid = !isGiven && tree.signature;
  const std::string name = isGiven ? options.name : isSaid ? tree.signature->name.text : kernelStem(options);
  if (name.empty() && options.kernel == "-") {
    session.usage(kFunctionName, {}, "a kernel from standard input needs a name for its function")
        .advise("give one with --name=NAME, or a line 'kernel NAME(...) -> (...)'");
    return std::nullopt;
  }
  const std::string why = objectionToFunction(name);
  if (why.empty())
    return name;
  const std::string what =
      isGiven || isSaid ? "the name '" + name + "'" : "the kernel file's stem '" + name + "', the function's name,";
  const Span where = session.find(isGiven ? "--name=" + name : options.kernel);
  Diagnostic &wrong = isSaid ? session.diagnostics().report(kFunctionName, tree.signature->name.where, what + " " + why)
                             : session.usage(kFunctionName, where ? where : session.find(name), what + " " + why);
  wrong.advise("give another with --name, for instance --name=" + nearestName(name));
  return std::nullopt;
}

} // namespace spc::driver
