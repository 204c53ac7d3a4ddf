#include "ingress/module.h"

#include "ingress/raiser.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/InliningUtils.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/SourceMgr.h"

namespace spc::ingress {

namespace {

constexpr DiagnosticKind kModuleSyntax{"mlir-syntax", Severity::Error};
constexpr DiagnosticKind kModuleFunction{"mlir-function", Severity::Error};

/// MLIR does not say that operations on sparse tensors may be taken in from functions that are called.
struct SparseInliner : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(mlir::Operation *, mlir::Region *, bool, mlir::IRMapping &) const final { return true; }
  bool isLegalToInline(mlir::Region *, mlir::Region *, bool, mlir::IRMapping &) const final { return true; }
};

void registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::arith::ArithDialect, mlir::bufferization::BufferizationDialect, mlir::cf::ControlFlowDialect,
                  mlir::complex::ComplexDialect, mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                  mlir::math::MathDialect, mlir::ml_program::MLProgramDialect, mlir::scf::SCFDialect,
                  mlir::sparse_tensor::SparseTensorDialect, mlir::tensor::TensorDialect>();
  mlir::func::registerInlinerExtension(registry);
  registry.addExtension(+[](mlir::MLIRContext *, mlir::sparse_tensor::SparseTensorDialect *dialect) {
    dialect->addInterfaces<SparseInliner>();
  });
}

/// A module on its way to kernels.
class Reader {
public:
  Reader(const SourceFile &file, SourceManager &sources, Diagnostics &diagnostics)
      : sources_(sources), file_(&file), diagnostics_(diagnostics),
        context_(registry(), mlir::MLIRContext::Threading::DISABLED),
        handler_(&context_, [this](mlir::Diagnostic &said) { take(said); }) {
    context_.printOpOnDiagnostic(false);
    context_.allowUnregisteredDialects(); // whose operations are refused by their names
  }

  /// Parses the module and brings it to the form that is raised. False with what is wrong reported. MLIR's parsers end
  /// in crashes on some modules that are not valid; these come back here, and nothing of the reader may be used, or
  /// freed, any more (`crashed`).
  bool open(bool &crashed) {
    if (!checkNesting())
      return false;
    bool opened = false;
    llvm::CrashRecoveryContext::Enable();
    llvm::CrashRecoveryContext recovery;
    crashed = !recovery.RunSafely([&] { opened = parse() && prepare(); });
    llvm::CrashRecoveryContext::Disable();
    if (crashed && !diagnostics_.hasErrors())
      fail({file_, 0, 0}, "MLIR's parser breaks off without a word on this module");
    return opened && !crashed;
  }

  std::optional<Module> run(const Wanted &wanted) {
    Module module;
    llvm::SmallVector<mlir::func::FuncOp> functions;
    for (auto function : module_->getOps<mlir::func::FuncOp>())
      if (!function.isPrivate() && !function.isExternal()) {
        functions.push_back(function);
        module.functions.push_back(Raiser::nameOf(function));
      }
    if (functions.empty()) {
      diagnostics_.report(kModuleFunction, {file_, 0, 0}, "the module has no public function with a body")
          .advise("each public func.func becomes a kernel");
      return std::nullopt;
    }
    bool failed = false;
    for (size_t k = 0; k < functions.size(); ++k) {
      if (wanted.name.empty() ? functions.size() > 1 && !wanted.several : module.functions[k] != wanted.name)
        continue;
      if (std::optional<ModuleKernel> kernel = raise(functions[k]))
        module.kernels.push_back(std::move(*kernel));
      else
        failed = true;
    }
    return failed ? std::nullopt : std::optional(std::move(module));
  }

private:
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  /// Parsers go down as deep as a text does.
  bool checkNesting() {
    constexpr int kDeepest = 256;
    int depth = 0;
    const std::string_view text = file_->text();
    for (size_t at = 0; at < text.size(); ++at) {
      const char c = text[at];
      depth += c == '{' || c == '(' || c == '[' || c == '<' ? 1 : c == '}' || c == ')' || c == ']' ? -1 : 0;
      if (c == '>' && at > 0 && text[at - 1] != '-')
        --depth;
      if (depth > kDeepest)
        return fail({file_, static_cast<uint32_t>(at), static_cast<uint32_t>(at + 1)},
                    "brackets are nested more than 256 deep");
    }
    return true;
  }

  bool parse() {
    mlir::ParserConfig config(&context_);
    if (mlir::isBytecode(llvm::MemoryBufferRef(llvm::StringRef(file_->text()), file_->name()))) {
      auto binary = mlir::parseSourceString<mlir::ModuleOp>(llvm::StringRef(file_->text()), config, file_->name());
      if (!binary)
        return false;
      std::string text;
      llvm::raw_string_ostream out(text);
      binary->print(out);
      file_ = &sources_.add(file_->name(), std::move(text));
    }
    places_.emplace(*file_);
    llvm::SourceMgr manager;
    manager.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(file_->text()), file_->name(), false),
                               {});
    // A file without `module { }` around its functions is one all the same.
    mlir::Block block;
    mlir::AsmParserState state;
    if (mlir::failed(mlir::parseAsmSourceFile(manager, &block, config, &state)))
      return false;
    mlir::OpBuilder builder(&context_);
    if (llvm::hasSingleElement(block) && mlir::isa<mlir::ModuleOp>(block.front())) {
      module_ = mlir::cast<mlir::ModuleOp>(block.front());
      nameArguments(*module_, state);
      places_->mark(*module_, state);
      module_->getOperation()->remove();
    } else {
      module_ = mlir::ModuleOp::create(builder.getUnknownLoc());
      for (mlir::Operation &operation : block) {
        nameArguments(&operation, state);
        places_->mark(&operation, state);
      }
      module_->getBody()->getOperations().splice(module_->getBody()->end(), block.getOperations());
    }
    return mlir::succeeded(mlir::verify(*module_));
  }

  /// Gives arguments the names that they have in the text.
  void nameArguments(mlir::Operation *root, const mlir::AsmParserState &state) {
    root->walk([&](mlir::func::FuncOp function) {
      if (function.isExternal())
        return;
      const auto *block = state.getBlockDef(&function.front());
      for (unsigned k = 0; block && k < function.getNumArguments() && k < block->arguments.size(); ++k) {
        if (const std::string name = Places::nameAt(block->arguments[k].loc);
            !name.empty() && !function.getArgAttr(k, "spc.name"))
          function.setArgAttr(k, "spc.name", mlir::StringAttr::get(&context_, name));
      }
    });
    root->walk([&](mlir::sparse_tensor::AssembleOp assembly) {
      const auto *definition = state.getOpDef(assembly);
      if (!definition || definition->resultGroups.empty())
        return;
      if (const std::string name = Places::nameAt(definition->resultGroups.front().definition.loc); !name.empty())
        assembly->setAttr("spc.name", mlir::StringAttr::get(&context_, name));
    });
  }

  /// Calls are taken in, and each structured operation is spelled as linalg.generic, or several where it stands for
  /// several, as softmax does.
  bool prepare() {
    mlir::IRRewriter rewriter(&context_);
    llvm::SmallVector<mlir::linalg::AggregatedOpInterface> aggregated;
    module_->walk([&](mlir::linalg::AggregatedOpInterface operation) { aggregated.push_back(operation); });
    for (mlir::linalg::AggregatedOpInterface operation : aggregated) {
      rewriter.setInsertionPoint(operation);
      if (auto parts = operation.decomposeOperation(rewriter); mlir::succeeded(parts))
        rewriter.replaceOp(operation, *parts);
    }
    mlir::PassManager passes(&context_);
    passes.addPass(mlir::createInlinerPass());
    passes.addNestedPass<mlir::func::FuncOp>(mlir::createLinalgGeneralizeNamedOpsPass());
    return mlir::succeeded(passes.run(*module_));
  }

  std::optional<ModuleKernel> raise(mlir::func::FuncOp function) {
    if (!llvm::hasSingleElement(function.getBody())) {
      diagnostics_.report(kModuleFunction, places_->of(function), "the function has branches: kernels have none");
      return std::nullopt;
    }
    return Raiser(function, *places_, diagnostics_).run();
  }

  bool fail(Span where, std::string message) {
    diagnostics_.report(kModuleSyntax, where, std::move(message));
    return false;
  }

  /// MLIR's own words.
  void take(mlir::Diagnostic &said) {
    if (said.getSeverity() == mlir::DiagnosticSeverity::Error) {
      Diagnostic &wrong =
          diagnostics_.report(kModuleSyntax, places_ ? places_->of(said.getLocation()) : Span(), said.str());
      for (mlir::Diagnostic &note : said.getNotes())
        wrong.note(places_ ? places_->of(note.getLocation()) : Span(), note.str());
    }
  }

  SourceManager &sources_;
  const SourceFile *file_;
  Diagnostics &diagnostics_;
  mlir::MLIRContext context_;
  mlir::ScopedDiagnosticHandler handler_;
  std::optional<Places> places_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

} // namespace

bool isModule(const std::string &path, std::string_view contents) {
  const llvm::StringRef name(path);
  return name.ends_with(".mlir") || name.ends_with(".mlirbc") || llvm::StringRef(contents).starts_with("ML\xefR");
}

std::optional<Module> readModule(const SourceFile &file, const Wanted &wanted, SourceManager &sources,
                                 Diagnostics &diagnostics) {
  auto reader = std::make_unique<Reader>(file, sources, diagnostics);
  bool crashed = false;
  std::optional<Module> module;
  if (reader->open(crashed))
    module = reader->run(wanted);
  if (crashed) [[maybe_unused]]
    Reader *const leftAlone = reader.release();
  return module;
}

} // namespace spc::ingress
