// The polyhedral optimiser that Debian's archives of LLVM ask for when lld optimises bitcode, and that they do not
// hold.
#include "llvm/Plugins/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo();

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {.APIVersion = LLVM_PLUGIN_API_VERSION,
          .PluginName = "none",
          .PluginVersion = LLVM_VERSION_STRING,
          .RegisterPassBuilderCallbacks = [](llvm::PassBuilder &) {},
          .PreCodeGenCallback = nullptr};
}
