#include "driver/shell/crash_guard.h"

#include "driver/shell/session.h"

#include "llvm-c/ErrorHandling.h"

#include <csignal>
#include <cstring>
#include <unistd.h>

namespace spc::driver {

namespace {

alignas(16) char signalStack[65536];

/// Only async-signal-safe calls: this also runs in signal handlers.
void say(const char *text) {
  ssize_t ignored = ::write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(ignored);
}

const char *describeSignal(int number) {
  switch (number) {
  case SIGSEGV:
    return "segmentation fault, or the stack ran out";
  case SIGABRT:
    return "abort";
  case SIGFPE:
    return "arithmetic fault";
  case SIGILL:
    return "illegal instruction";
  default:
    return "bus error";
  }
}

void onSignal(int number) {
  reportInternalError(describeSignal(number));
  _exit(host::kInternalError);
}

void onLlvmError(const char *reason) {
  reportInternalError(reason);
  _exit(host::kInternalError);
}

} // namespace

void installCrashGuard() {
  stack_t stack{};
  stack.ss_sp = signalStack;
  stack.ss_size = sizeof(signalStack);
  sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  for (int number : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS})
    sigaction(number, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN); // a file above what ulimit allows is a write that fails
  LLVMInstallFatalErrorHandler(onLlvmError);
}

void reportInternalError(const char *what) {
  say("spc: internal error: ");
  say(what);
  say("\nThis is a bug of spc, not of the kernel. Please report it with the kernel, the formats, the command line\n"
      "and the output of 'spc --version'.\n");
}

} // namespace spc::driver
