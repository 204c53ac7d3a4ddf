// A signature as data, for programs that learn at run time how to call a kernel.
#pragma once

#include "abi/signature.h"

#include <string>

namespace spc::abi {

/// The signature as JSON on one line: docs/abi.md, "Signatures as data", says what each key is. Depends on nothing but
/// `signature` and `kernel` (same input, same bytes).
std::string signatureJson(const Signature &signature, const sema::Kernel &kernel);

} // namespace spc::abi
