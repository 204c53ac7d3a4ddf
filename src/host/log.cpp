#include "host/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace spc::host {

namespace {
std::shared_ptr<spdlog::logger> logger;
}

void enableLog() {
  logger = spdlog::stderr_logger_st("spc");
  logger->set_pattern("spc: [%o ms] %v");
}

void log(std::string_view message) {
  if (!logger)
    return;
  while (!message.empty()) {
    size_t end = message.find('\n');
    logger->info("{}", message.substr(0, end));
    message.remove_prefix(end == std::string_view::npos ? message.size() : end + 1);
  }
}

} // namespace spc::host
