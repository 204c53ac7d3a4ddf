/// Which context an array comes from, as far as contexts of this library know. Part of spc/spc.hpp.
/// SPDX-License-Identifier: Apache-2.0
#ifndef SPC_CPP_SOURCES_HPP
#define SPC_CPP_SOURCES_HPP

#include "../spc.h"

#include <mutex>

namespace spc::detail {

/// A context that knows the arrays which it has given out, in the list of all that the program has.
class memory_source {
public:
  using owns_function = bool(void *user, const void *array);

  /// `user` is that of the context's hooks.
  memory_source(void *user, owns_function *owns) noexcept : user_(user), owns_(owns) {
    const std::lock_guard<std::mutex> held(mutex());
    next_ = first();
    first() = this;
  }
  memory_source(const memory_source &) = delete;
  memory_source &operator=(const memory_source &) = delete;
  ~memory_source() {
    const std::lock_guard<std::mutex> held(mutex());
    memory_source **place = &first();
    while (*place != this)
      place = &(*place)->next_;
    *place = next_;
  }

  /// False where an array is known to come from another context than this one; true where nothing is known.
  static bool may_release(const spc_context &context, const void *array) noexcept {
    const std::lock_guard<std::mutex> held(mutex());
    for (const memory_source *source = first(); source != nullptr; source = source->next_) {
      const bool is_own = context.deallocate != nullptr && context.user == source->user_;
      if (source->owns_(source->user_, array) != is_own)
        return false;
    }
    return true;
  }

private:
  static std::mutex &mutex() noexcept {
    static std::mutex all;
    return all;
  }
  static memory_source *&first() noexcept {
    static memory_source *all = nullptr;
    return all;
  }

  void *user_;
  owns_function *owns_;
  memory_source *next_;
};

} // namespace spc::detail

#endif
