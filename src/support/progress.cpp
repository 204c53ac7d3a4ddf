#include "support/progress.h"

#include "support/utf8.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>

namespace spc {

namespace {

constexpr unsigned kUsualColumns = 80;

unsigned columnsOf(int terminal) {
  winsize size{};
  return ::ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualColumns;
}

/// A shell's prompt is on the terminal then.
bool isInBackground(int terminal) {
  const pid_t front = ::tcgetpgrp(terminal);
  return front >= 0 && front != ::getpgrp();
}

/// What has room in the line. The last column stays free: terminals go on to the next line behind it.
std::string cutToWidth(std::string_view text, unsigned columns) {
  std::string line;
  for (size_t at = 0, used = 0; at < text.size();) {
    const CodePoint character = decodeUtf8(text, at);
    const Glyph glyph = printable(text, at, character);
    used += glyph.columns;
    if (used >= columns)
      break;
    line += glyph.text;
    at += character.length;
  }
  return line;
}

void writeLine(int file, std::string_view text) {
  const std::string line = "\r" + std::string(text) + "\033[K";
  [[maybe_unused]] const ssize_t written = ::write(file, line.data(), line.size()); // a lost line does no harm
}

/// With three digits that count: "1.23 G".
std::string withPrefix(double number) {
  constexpr const char *kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  size_t prefix = 0;
  for (; number >= 999.5 && prefix + 1 < std::size(kPrefixes); ++prefix)
    number /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %s", number, kPrefixes[prefix]);
  return text;
}

std::string amount(WorkUnit unit, uint64_t number) {
  if (unit == WorkUnit::Bytes)
    return withPrefix(static_cast<double>(number)) + "B";
  return std::to_string(number);
}

const char *nameOf(WorkUnit unit) {
  return unit == WorkUnit::Entries ? " entries" : unit == WorkUnit::Tasks ? " tasks" : " calls";
}

std::string elapsedText(double seconds) {
  const long long whole = std::llround(std::min(seconds, 1e15));
  if (whole < 60)
    return std::to_string(whole) + " s";
  if (whole < 3600)
    return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

} // namespace

std::string progressText(WorkUnit unit, const WorkState &state) {
  if (unit == WorkUnit::None || (state.done == 0 && state.total == 0))
    return elapsedText(state.seconds);
  std::string text = amount(unit, state.done);
  if (state.total > 0)
    text += " of " + amount(unit, state.total);
  if (unit != WorkUnit::Bytes)
    text += nameOf(unit);
  if (unit == WorkUnit::Tasks && state.part > 1)
    text += " of loop " + std::to_string(state.part);
  const double rate = state.partSeconds > 0 ? static_cast<double>(state.done) / state.partSeconds : 0;
  if (unit == WorkUnit::Bytes && rate > 0)
    text += ", " + withPrefix(rate) + "B/s";
  else if (unit == WorkUnit::Entries && rate > 0)
    text += ", " + withPrefix(rate) + "/s";
  if (rate == 0 || state.total < state.done)
    return text + ", " + elapsedText(state.seconds);
  return text + ", " + elapsedText(static_cast<double>(state.total - state.done) / rate) + " left";
}

void Progress::draw(std::string_view text) const {
  if (isOn_ && !isInBackground(file_))
    writeLine(file_, cutToWidth(text, columnsOf(file_)));
}

void Progress::clear() const {
  if (isOn_ && !isInBackground(file_))
    writeLine(file_, "");
}

Progress::Phase::Phase(const Progress &progress, std::string what, WorkUnit unit)
    : progress_(progress), what_(std::move(what)), unit_(unit) {
  if (!progress.isOn())
    return;
  try {
    thread_ = std::thread(&Phase::show, this);
  } catch (const std::system_error &) {
    what_.clear(); // there are no more threads: the work goes on unseen
  }
}

Progress::Phase::~Phase() {
  if (!thread_.joinable())
    return;
  {
    const std::lock_guard lock(mutex_);
    hasEnded_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

/// What the thread does.
void Progress::Phase::show() {
  const auto hasEnded = [this] { return hasEnded_; };
  std::unique_lock lock(mutex_);
  if (ended_.wait_until(lock, begin_ + progress_.times_.patience, hasEnded))
    return;
  do
    progress_.draw(what_ + ": " + progressText(unit_, state()));
  while (!ended_.wait_for(lock, progress_.times_.between, hasEnded));
  progress_.clear();
}

WorkState Progress::Phase::state() const {
  const auto since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  return {count_.done(), count_.total(), count_.part(), since(begin_), since(count_.partBegin())};
}

} // namespace spc
