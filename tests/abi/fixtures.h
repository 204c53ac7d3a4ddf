// Formats and checked kernels, put together by hand.
#pragma once

#include "format/format.h"
#include "sema/kernel.h"
#include "support/source.h"

#include <string>
#include <vector>

namespace spc::abi::test {

/// One level a letter, storing the dimensions in `modes` (default: in order): 'd' dense, 'c' compressed, 's' one
/// coordinate for each parent. A level above an 's' is not unique.
format::Format makeFormat(const std::string &letters, std::vector<int> modes = {},
                          format::IndexType pointers = format::IndexType::I32,
                          format::IndexType indices = format::IndexType::I32);

/// D(i,j) = S(i,j)*A(i,k)*B(j,k), f32, S in CSR; D shares S's pattern. `sources` keeps the text.
sema::Kernel sddmm(SourceManager &sources);

/// y(i) += alpha * M(i,j)*x(j), f64, M in COO; and nrm = y(i)*y(i).
sema::Kernel scaledSpmv(SourceManager &sources);

/// Y(i,j) = T(i,j,k)*V(j), f64, T in CSF with modes 2, 0, 1 and 64-bit pointers.
sema::Kernel csfProduct(SourceManager &sources);

/// A(i,j) = B(i,k)*C(k,j), f64, all in CSR; A is assembled.
sema::Kernel product(SourceManager &sources);

/// C(i,j) = min(k, minplus(A(i,k), B(k,j))) under a mask M, i32, in CSR; missing entries of all but M are infinite.
sema::Kernel shortestPaths(SourceManager &sources);

/// A(i,j) += B(i,k)*B(k,j) and y(i) = A(i,j)*A(i,j), f32; A is assembled, in COO.
sema::Kernel accumulated(SourceManager &sources);

/// C(i,j) = alpha * (A_0(i,j) + A_1(i,j)) * B(i,j), complex; A is a sum of ELL and COO, B has the structure of A_1.
sema::Kernel sharedParts(SourceManager &sources);

/// A(i,j) = B(i,k)*C(k,j), f32; A is assembled, as a sum of ELL and COO.
sema::Kernel productInParts(SourceManager &sources);

} // namespace spc::abi::test
