#include "hand.h"

#include "harness.h"
#include "task.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace assembly {
namespace {

constexpr int kRehearsals = 3;

template <class T> hand::View<T> viewOf(const Csr<T> &a) {
  return {a.rows, a.columns, a.pointers.data(), a.indices.data(), a.values.data()};
}

template <class T> hand::Entries<T> viewOf(const Coo<T> &a) {
  return {a.rows, a.columns, int64_t(a.values.size()), a.row.data(), a.column.data(), a.values.data()};
}

/// One of the ways that a result can be computed in.
struct Way {
  hand::Noting noting;
  hand::Pages pages;
};

template <class T> hand::Matrix<T> compute(Operation operation, const Input<T> &input, Way way, int threads) {
  const hand::View<T> a = viewOf(input.csr);
  const auto [noting, pages] = way;
  switch (operation) {
  case Operation::Square:
    return hand::multiply(a, a, noting, pages, threads);
  case Operation::TimesTranspose:
    return hand::multiply(a, hand::transpose(a, pages, threads).view(), noting, pages, threads);
  case Operation::Plus:
    return hand::add(a, viewOf(input.other), pages, threads);
  case Operation::PlusTranspose:
    return hand::add(a, hand::transpose(a, pages, threads).view(), pages, threads);
  case Operation::ToColumns:
    return hand::transpose(a, pages, threads);
  case Operation::FromSorted:
    return hand::fromSorted(viewOf(input.coo), pages, threads);
  case Operation::FromShuffled:
    return hand::fromShuffled(viewOf(input.coo), pages, threads);
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

/// The fastest way for this very input in a few rounds, in which those take part that are not far behind in two calls.
/// Only products note columns.
template <class T> Way fastestWay(Operation operation, const Input<T> &input, int threads) {
  const bool notes = operation == Operation::Square || operation == Operation::TimesTranspose;
  std::vector<Way> ways;
  for (hand::Pages pages : hand::kPages)
    for (hand::Noting noting : hand::kNotings)
      if (notes || noting == hand::Noting::Each)
        ways.push_back({noting, pages});
  std::vector<hand::Matrix<T>> results(ways.size());
  std::vector<Job> jobs, close;
  for (size_t n = 0; n < ways.size(); ++n)
    jobs.push_back({[&, n] { results[n] = compute(operation, input, ways[n], threads); }, [&, n] { results[n] = {}; }});
  std::vector<double> times;
  for (const Job &job : jobs)
    times.push_back(shorterOfTwo(job));
  const double least = *std::min_element(times.begin(), times.end());
  std::vector<Way> closeWays;
  for (size_t n = 0; n < ways.size(); ++n)
    if (times[n] < 1.2 * least) {
      close.push_back(jobs[n]);
      closeWays.push_back(ways[n]);
    }
  times.clear();
  for (const std::vector<double> &rounds : timeTogether(kRehearsals, close))
    times.push_back(*std::min_element(rounds.begin(), rounds.end()));
  return closeWays[size_t(std::min_element(times.begin(), times.end()) - times.begin())];
}

} // namespace

template <class T> std::optional<Contender<T>> handContender(Operation operation, const Input<T> &input, int threads) {
  const Way way = fastestWay(operation, input, threads);
  auto result = std::make_shared<hand::Matrix<T>>();
  return Contender<T>{"hand", [=, &input] { *result = compute(operation, input, way, threads); },
                      [=] { return copyOf(*result); }, [=] { *result = {}; }};
}

template std::optional<Contender<double>> handContender(Operation, const Input<double> &, int);
template std::optional<Contender<float>> handContender(Operation, const Input<float> &, int);

} // namespace assembly
