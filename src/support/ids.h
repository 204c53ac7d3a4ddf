// Numbers that name the elements of a list, of a type of their own for each list.
#pragma once

#include <compare>
#include <cstddef>
#include <utility>
#include <vector>

namespace spc {

/// The place of an element in a list. `Tag` tells the lists apart, so that no id is taken for one of another list.
template <typename Tag> class Id {
public:
  constexpr Id() = default;
  constexpr explicit Id(size_t index) : index_(index) {}

  constexpr size_t index() const { return index_; }
  auto operator<=>(const Id &) const = default;

private:
  size_t index_ = 0;
};

/// The ids from the first to the last of a list, for a range-based loop.
template <typename IdType> class IdRange {
public:
  class Iterator {
  public:
    explicit Iterator(size_t index) : index_(index) {}
    IdType operator*() const { return IdType(index_); }
    Iterator &operator++() {
      ++index_;
      return *this;
    }
    bool operator!=(const Iterator &other) const { return index_ != other.index_; }

  private:
    size_t index_;
  };

  explicit IdRange(size_t count) : count_(count) {}
  Iterator begin() const { return Iterator(0); }
  Iterator end() const { return Iterator(count_); }

private:
  size_t count_;
};

/// A list whose elements are named by ids.
template <typename IdType, typename T> class IdVector : public std::vector<T> {
  using Base = std::vector<T>;

public:
  using Base::Base;

  typename Base::reference operator[](IdType id) { return Base::operator[](id.index()); }
  typename Base::const_reference operator[](IdType id) const { return Base::operator[](id.index()); }

  /// Appends an element.
  IdType add(T element) {
    Base::push_back(std::move(element));
    return IdType(Base::size() - 1);
  }

  bool has(IdType id) const { return id.index() < Base::size(); }
  IdRange<IdType> ids() const { return IdRange<IdType>(Base::size()); }
};

} // namespace spc
