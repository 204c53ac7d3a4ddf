// The comment at the head of a generated header.
#pragma once

#include "abi/signature.h"

#include <string>

namespace spc::abi {

/// The origin of the header, the kernel's statements and what each argument is, as one C comment.
std::string headerComment(const Signature &signature, const sema::Kernel &kernel);

} // namespace spc::abi
