#include "tune/sentences.h"

#include <cstdio>

namespace spc::tune {

namespace {

std::string listed(const std::string &what, const std::vector<std::string> &names) {
  std::string text = names.empty() ? "" : what + (names.size() == 1 ? " " : "s ");
  for (size_t k = 0; k < names.size(); ++k)
    text += (k == 0 ? "" : ", ") + names[k];
  return text;
}

std::string counted(size_t number, const std::string &what, const std::string &rest = "") {
  return number == 0 ? "" : std::to_string(number) + " " + what + (number == 1 ? "" : "s") + rest;
}

} // namespace

std::string leftOutLine(const LeftOut &leftOut) {
  std::string text;
  for (const std::string &part :
       {listed("the format", leftOut.formats), listed("the order", leftOut.orders),
        counted(leftOut.orderedFormats, "format", " in other orders"), counted(leftOut.schedules, "schedule")})
    if (!part.empty())
      text += (text.empty() ? "" : "; ") + part;
  return text.empty() ? "" : "left out for want of time, a longer --budget has it: " + text + "\n";
}

std::string keptDefaultLine(const std::string &name, const Rounds &rounds) {
  const std::string head = "kept: the default; nothing else is faster beyond noise";
  if (rounds.fallback.empty())
    return head + "\n";
  char text[128];
  std::snprintf(text, sizeof text, " took %.2f of its time in turns with it, and less in %zu rounds of %zu\n",
                ratioOf(rounds), wins(rounds), rounds.fallback.size());
  return head + ": " + name + text;
}

} // namespace spc::tune
