#include "support/progress.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <poll.h>
#include <unistd.h>

using namespace spc;
using namespace std::chrono_literals;

namespace {

/// What would be on a terminal, read back.
class Screen {
public:
  Screen() { REQUIRE(pipe(ends_) == 0); }
  Screen(const Screen &) = delete;
  ~Screen() {
    close(ends_[0]);
    close(ends_[1]);
  }

  int file() const { return ends_[1]; }

  /// What has been written since the last call; waits for `text` to be in it.
  std::string read(const std::string &text = "") {
    std::string all;
    char bytes[4096];
    pollfd ready{ends_[0], POLLIN, 0};
    while (poll(&ready, 1, all.find(text) == std::string::npos ? 60'000 : 0) > 0)
      all.append(bytes, static_cast<size_t>(std::max<ssize_t>(::read(ends_[0], bytes, sizeof bytes), 0)));
    return all;
  }

private:
  int ends_[2];
};

constexpr const char *kErased = "\r\033[K";

} // namespace

TEST_CASE("progress says what is done, how fast, and what is left") {
  CHECK(progressText(WorkUnit::None, {0, 0, 0, 75, 75}) == "1 min 15 s");
  CHECK(progressText(WorkUnit::Bytes, {0, 0, 1, 3, 3}) == "3 s");
  CHECK(progressText(WorkUnit::Bytes, {0, 5000, 1, 3, 3}) == "0 B of 5 kB, 3 s");
  CHECK(progressText(WorkUnit::Bytes, {2'000'000'000, 3'456'000'000, 1, 10, 10}) ==
        "2 GB of 3.46 GB, 200 MB/s, 7 s left");
  CHECK(progressText(WorkUnit::Bytes, {999'900, 0, 1, 2, 2}) == "1 MB, 500 kB/s, 2 s");
  CHECK(progressText(WorkUnit::Bytes, {700, 600, 1, 1, 1}) == "700 B of 600 B, 700 B/s, 1 s"); // a file that grows
  CHECK(progressText(WorkUnit::Entries, {1000, 7'201'000, 1, 1, 1}) ==
        "1000 of 7201000 entries, 1 k/s, 2 h 0 min left");
  CHECK(progressText(WorkUnit::Tasks, {3, 4, 1, 6, 6}) == "3 of 4 tasks, 2 s left");
  CHECK(progressText(WorkUnit::Tasks, {3, 4, 2, 60, 6}) == "3 of 4 tasks of loop 2, 2 s left");
  CHECK(progressText(WorkUnit::Calls, {4, 4, 1, 6, 6}) == "4 of 4 calls, 0 s left");
}

TEST_CASE("a line of progress is drawn over, and removed at the end") {
  Screen screen;
  Progress progress(screen.file(), {0ms, 1ms});
  progress.turnOn();
  {
    Progress::Phase phase(progress, "reading a.mtx", WorkUnit::Bytes);
    REQUIRE(phase.count());
    phase.count()->begin(4000);
    CHECK(screen.read("of 4 kB").find("\rreading a.mtx: ") != std::string::npos);
    phase.count()->add(1000);
    CHECK(screen.read("\rreading a.mtx: 1 kB of 4 kB, ").find(" left\033[K") != std::string::npos);
  }
  CHECK(screen.read().ends_with(kErased));
}

TEST_CASE("work that is done soon is not shown") {
  Screen screen;
  Progress progress(screen.file(), {1h, 1ms});
  progress.turnOn();
  {
    const Progress::Phase phase(progress, "packing A", WorkUnit::None);
  }
  CHECK(screen.read().empty());
}

TEST_CASE("progress that is off shows nothing and counts nothing") {
  Screen screen;
  const Progress progress(screen.file(), {0ms, 1ms});
  {
    Progress::Phase phase(progress, "packing A", WorkUnit::None);
    CHECK(phase.count() == nullptr);
  }
  progress.draw("packing A");
  progress.clear();
  CHECK(screen.read().empty());
}

TEST_CASE("a line of progress is no wider than the terminal and steers it nowhere") {
  Screen screen;
  Progress progress(screen.file());
  progress.turnOn();
  progress.draw("reading \n\033[2J\u202e" + std::string(200, 'a'));
  const std::string line = screen.read();
  CHECK(line.starts_with("\rreading \\x0a\\x1b[2J<U+202E>aaa"));
  CHECK(line.size() == 79 + std::string_view(kErased).size()); // of the 80 that what is no terminal counts as
}
