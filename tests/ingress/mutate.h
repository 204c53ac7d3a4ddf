// Damaged modules.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace spc::testing {

/// The words and signs of a text, with the blanks behind them.
std::vector<std::string> tokensOf(const std::string &text);

/// One to four changes: tokens left out, repeated, exchanged, or put in from `others`.
std::string damaged(const std::string &text, const std::vector<std::string> &others, std::mt19937_64 &random);

} // namespace spc::testing
