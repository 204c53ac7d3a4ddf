#include "hand.h"

#include "harness.h"
#include "task.h"

#include <algorithm>
#include <limits>

namespace assembly {
namespace {

constexpr int kRehearsals = 5;

template <class T> hand::View<T> viewOf(const Csr<T> &a) {
  return {a.rows, a.columns, a.pointers.data(), a.indices.data(), a.values.data()};
}

template <class T> hand::Entries<T> viewOf(const Coo<T> &a) {
  return {a.rows, a.columns, int64_t(a.values.size()), a.row.data(), a.column.data(), a.values.data()};
}

template <class T>
hand::Matrix<T> compute(Operation operation, const Input<T> &input, hand::Noting noting, int threads) {
  const hand::View<T> a = viewOf(input.csr);
  switch (operation) {
  case Operation::Square:
    return hand::multiply(a, a, noting, threads);
  case Operation::TimesTranspose:
    return hand::multiply(a, hand::transpose(a, threads).view(), noting, threads);
  case Operation::Plus:
    return hand::add(a, viewOf(input.other), threads);
  case Operation::PlusTranspose:
    return hand::add(a, hand::transpose(a, threads).view(), threads);
  case Operation::ToColumns:
    return hand::transpose(a, threads);
  case Operation::FromSorted:
    return hand::fromSorted(viewOf(input.coo), threads);
  case Operation::FromShuffled:
    return hand::fromShuffled(viewOf(input.coo), threads);
  }
  return {};
}

template <class T> Csr<T> copyOf(const hand::Matrix<T> &a) {
  const int32_t count = a.pointers[a.rows];
  return {a.rows,
          a.columns,
          {a.pointers.get(), a.pointers.get() + a.rows + 1},
          {a.indices.get(), a.indices.get() + count},
          {a.values.get(), a.values.get() + count}};
}

/// The fastest way of noting columns for this very product.
template <class T> hand::Noting fastestNoting(Operation operation, const Input<T> &input, int threads) {
  hand::Noting fastest = hand::Noting::Each;
  if (operation != Operation::Square && operation != Operation::TimesTranspose)
    return fastest;
  std::vector<Job> jobs;
  for (hand::Noting noting : hand::kNotings)
    jobs.push_back({[&, noting] { compute(operation, input, noting, threads); }, [] {}});
  double least = std::numeric_limits<double>::max();
  const std::vector<std::vector<double>> times = timeTogether(kRehearsals, jobs);
  for (size_t n = 0; n < times.size(); ++n) {
    const double time = *std::min_element(times[n].begin(), times[n].end());
    if (time < least) {
      least = time;
      fastest = hand::kNotings[n];
    }
  }
  return fastest;
}

} // namespace

template <class T> std::optional<Contender<T>> handContender(Operation operation, const Input<T> &input, int threads) {
  const hand::Noting noting = fastestNoting(operation, input, threads);
  auto result = std::make_shared<hand::Matrix<T>>();
  return Contender<T>{"hand", [=, &input] { *result = compute(operation, input, noting, threads); },
                      [=] { return copyOf(*result); }, [=] { *result = {}; }};
}

template std::optional<Contender<double>> handContender(Operation, const Input<double> &, int);
template std::optional<Contender<float>> handContender(Operation, const Input<float> &, int);

} // namespace assembly
