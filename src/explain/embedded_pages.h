// The sections of the pages in docs/ whose sections of the third order are about one id each, as spc holds them.
#pragma once

#include <span>
#include <string_view>

namespace spc::explain {

std::span<const std::string_view> embeddedPages();

} // namespace spc::explain
