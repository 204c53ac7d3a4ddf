#include "support/temporary_files.h"

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>
#include <unistd.h>

namespace spc {
namespace {

/// A place for one name, which the handler may read at any time: the text is whole while `taken` is true.
struct Slot {
  std::atomic<bool> taken = false;
  std::array<char, PATH_MAX> path{};
};

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::array<Slot, 8> slots;

/// Only async-signal-safe calls. SA_RESETHAND has put the default action back.
void onSignal(int number) {
  for (Slot &slot : slots)
    if (slot.taken)
      ::unlink(slot.path.data());
  ::raise(number);
}

void installHandlers() {
  for (int number : kSignals) {
    struct sigaction action{};
    ::sigaction(number, nullptr, &action);
    if (action.sa_handler != SIG_DFL)
      continue; // ignored, as nohup does, or handled
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESETHAND | SA_RESTART;
    ::sigaction(number, &action, nullptr);
  }
}

} // namespace

bool removeOnSignal(const std::string &path) {
  if (path.size() >= PATH_MAX)
    return false;
  installHandlers();
  for (Slot &slot : slots) {
    if (slot.taken)
      continue;
    std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
    slot.taken = true;
    return true;
  }
  return false;
}

void keepOnSignal(const std::string &path) {
  for (Slot &slot : slots)
    if (slot.taken && path == slot.path.data())
      slot.taken = false;
}

} // namespace spc
