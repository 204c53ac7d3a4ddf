/// Attributes for the compiler on objects that others refer to. Part of spc/spc.hpp. SPDX-License-Identifier:
/// Apache-2.0
#ifndef SPC_CPP_LIFETIME_HPP
#define SPC_CPP_LIFETIME_HPP

/// Behind a member function, or a parameter: what is returned refers to the object. clang warns where that is a
/// temporary which is gone when the result is used, as in `const spc_csr_f64_i32 *a = spc::view(A);`.
#ifdef __has_cpp_attribute
#if __has_cpp_attribute(clang::lifetimebound)
#define SPC_LIFETIMEBOUND [[clang::lifetimebound]]
#endif
#endif
#ifndef SPC_LIFETIMEBOUND
#define SPC_LIFETIMEBOUND
#endif

#endif
