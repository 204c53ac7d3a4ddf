/// Kernels from C++20: views over arrays, spans and mdspans, owners of what kernels assemble, errors, threads and
/// memory. docs/cpp.md shows all of it. Header only; may be included before and after the headers of kernels.
/// spc/eigen.hpp adds Eigen's matrices, spc/tbb.hpp oneTBB's threads. SPDX-License-Identifier: Apache-2.0
#ifndef SPC_HPP
#define SPC_HPP

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "spc/spc.hpp needs C++20 (-std=c++20)"
#else

#include "cpp/context.hpp"
#include "cpp/dense.hpp"
#include "cpp/error.hpp"
#include "cpp/fields.hpp"
#include "cpp/formats.hpp"
#include "cpp/names.hpp"
#include "cpp/owner.hpp"
#include "cpp/plan.hpp"
#include "cpp/scalars.hpp"
#include "cpp/sparse.hpp"
#include "cpp/thread_pool.hpp"

#endif
#endif
