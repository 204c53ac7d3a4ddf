/// Rows that processes exchange by spc/mpi.hpp against what they are by their global numbers.
/// SPDX-License-Identifier: Apache-2.0
#include <spc/mpi.hpp>

#include <cstdio>
#include <cstdlib>
#include <functional>

namespace {

int rank = 0, size = 1, checks = 0;

void expect(bool holds, const char *what) {
  ++checks;
  if (holds)
    return;
  std::fprintf(stderr, "process %d of %d: %s\n", rank, size, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// What all processes throw, with the same text.
void expect_error(const char *text, const std::function<void()> &call) {
  std::string found = "nothing";
  try {
    call();
  } catch (const spc::mpi::error &error) {
    found = error.what();
  }
  expect(found.find(text) != std::string::npos, (std::string(text) + " expected, found: " + found).c_str());
}

/// `count` columns, pseudo-random and repeated, other ones on each process.
std::vector<int32_t> columns_of(int64_t rows, int count) {
  std::vector<int32_t> result;
  uint32_t state = static_cast<uint32_t>(rank) * 2654435761U + 12345U;
  for (int k = 0; rows > 0 && k < count; ++k) {
    state = state * 1664525U + 1013904223U;
    result.push_back(static_cast<int32_t>((state >> 8) % static_cast<uint32_t>(rows)));
  }
  return result;
}

template <typename Value> Value value_of(int64_t row, int64_t column) {
  return static_cast<Value>(row * 7 + column + 1);
}

/// The operand's rows arrive where renumber says, and sums go back to those who have them.
template <typename Value>
void exchange(const spc::mpi::owners &rows, const std::vector<int64_t> &mine, int count, int64_t width,
              int64_t longest) {
  const std::vector<int32_t> columns = columns_of(rows.rows(), count);
  spc::mpi::halo halo(rows, columns, longest);
  const std::vector<int32_t> local = halo.renumber(columns);
  std::vector<Value> operand(static_cast<size_t>(halo.size() * width), Value(-1));
  for (size_t k = 0; k < mine.size(); ++k)
    for (int64_t c = 0; c < width; ++c)
      operand[k * static_cast<size_t>(width) + static_cast<size_t>(c)] = value_of<Value>(mine[k], c);
  for (int again = 0; again < 2; ++again) {
    halo.start(operand.data(), width);
    halo.finish();
  }
  for (size_t k = 0; k < columns.size(); ++k)
    for (int64_t c = 0; c < width; ++c)
      expect(operand[static_cast<size_t>(local[k] * width + c)] == value_of<Value>(columns[k], c), "a row of the halo");

  // Each column is listed so many times in all: one for each, summed by row, is what comes back.
  std::vector<Value> sums(static_cast<size_t>(halo.size() * width));
  std::vector<int64_t> wanted(static_cast<size_t>(rows.rows())), total(wanted.size());
  for (size_t k = 0; k < columns.size(); ++k) {
    ++wanted[static_cast<size_t>(columns[k])];
    for (int64_t c = 0; c < width; ++c)
      sums[static_cast<size_t>(local[k] * width + c)] += Value(1);
  }
  MPI_Allreduce(wanted.data(), total.data(), static_cast<int>(wanted.size()), MPI_INT64_T, MPI_SUM, rows.comm());
  halo.start_sum(sums.data(), width);
  halo.finish_sum(sums.data());
  for (size_t k = 0; k < mine.size(); ++k)
    for (int64_t c = 0; c < width; ++c)
      expect(sums[k * static_cast<size_t>(width) + static_cast<size_t>(c)] ==
                 static_cast<Value>(total[static_cast<size_t>(mine[k])]),
             "a sum of the halo's");
}

void all_widths(const spc::mpi::owners &rows, const std::vector<int64_t> &mine) {
  expect(rows.local() == static_cast<int64_t>(mine.size()), "the number of own rows");
  const int64_t any = std::numeric_limits<int>::max();
  exchange<double>(rows, mine, 100, 1, any);
  exchange<float>(rows, mine, rank % 2 == 0 ? 60 : 0, 5, any);
  exchange<int64_t>(rows, mine, 200, 3, 2);
  exchange<double>(rows, mine, 10, 0, 1);
}

void consecutive(int64_t local) {
  const auto rows = spc::mpi::owners::ranges(MPI_COMM_WORLD, local);
  int64_t begin = 0;
  MPI_Exscan(&local, &begin, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  std::vector<int64_t> mine;
  for (int64_t k = 0; k < local; ++k)
    mine.push_back((rank == 0 ? 0 : begin) + k);
  all_widths(rows, mine);
}

void scattered(int64_t count) {
  std::vector<int> owner;
  std::vector<int64_t> mine;
  for (int64_t row = 0; row < count; ++row) {
    owner.push_back(static_cast<int>((row * row + row / 3) % size));
    if (owner.back() == rank)
      mine.push_back(row);
  }
  all_widths(spc::mpi::owners::of(MPI_COMM_WORLD, owner), mine);
}

/// What the last process gets wrong, all of them hear of, and the halo works afterwards.
void mistakes() {
  const bool last = rank == size - 1;
  const auto rows = spc::mpi::owners::ranges(MPI_COMM_WORLD, 10);
  expect_error("a negative number of rows", [&] { spc::mpi::owners::ranges(MPI_COMM_WORLD, last ? -1 : 10); });
  expect_error("a row of process 99",
               [&] { spc::mpi::owners::of(MPI_COMM_WORLD, std::vector<int>{0, last ? 99 : 0}); });
  if (size > 1)
    expect_error("the same owners", [&] { spc::mpi::owners::of(MPI_COMM_WORLD, std::vector<int>{0, last ? 0 : 1}); });
  expect_error("column 10000 of", [&] { spc::mpi::halo(rows, std::vector<int64_t>{0, last ? 10000 : 1}); });
  expect_error("column -1 of", [&] { spc::mpi::halo(rows, std::vector<int32_t>{last ? -1 : 1}); });
  const auto many = spc::mpi::owners::ranges(MPI_COMM_WORLD, 300);
  expect_error("too many for the type", [&] { spc::mpi::halo(many, std::vector<int8_t>{1}); });

  const std::vector<int32_t> columns = columns_of(rows.rows(), 50);
  spc::mpi::halo halo(rows, columns);
  std::vector<double> operand(static_cast<size_t>(halo.size() * 4));
  if (size > 1)
    for (const int64_t other : {1, 3}) {
      expect_error("rows of 16 bytes", [&] {
        halo.start(operand.data(), last ? other : 2);
        halo.finish();
      });
      expect_error("rows of 16 bytes", [&] {
        halo.start_sum(operand.data(), last ? other : 2);
        halo.finish_sum(operand.data());
      });
    }
  expect_error("no operand", [&] {
    halo.start(last ? nullptr : operand.data(), 2);
    halo.finish();
  });
  expect_error("a wrong width", [&] {
    halo.start(operand.data(), last ? -2 : 2);
    halo.finish();
  });
  int thrown = 0;
  try {
    halo.finish();
  } catch (const std::logic_error &) {
    ++thrown;
  }
  halo.start(operand.data(), 2);
  try {
    halo.start(operand.data(), 2);
  } catch (const std::logic_error &) {
    ++thrown;
  }
  halo.finish();
  expect(thrown == 2, "what was not started, or not finished");
}

void blocks() {
  const std::vector<int32_t> pointers{0, 2, 3, 3, 5, 6, 6, 7}, columns{0, 1, 9, 3, 2, 9, 1};
  const spc::mpi::runs one = spc::mpi::split(pointers, columns, 5, 1), two = spc::mpi::split(pointers, columns, 5, 2);
  const auto is = [](const std::vector<spc::mpi::run> &runs, std::vector<std::pair<int64_t, int64_t>> wanted) {
    return std::equal(runs.begin(), runs.end(), wanted.begin(), wanted.end(), [](const auto &run, const auto &pair) {
      return run.begin == pair.first && run.end == pair.second;
    });
  };
  expect(is(one.interior, {{0, 1}, {2, 4}, {5, 7}}) && is(one.boundary, {{1, 2}, {4, 5}}), "runs of rows");
  expect(is(two.interior, {{2, 4}, {6, 7}}) && is(two.boundary, {{0, 2}, {4, 6}}), "runs of two rows");
  expect(spc::mpi::split(std::vector<int64_t>{0}, columns, 5).interior.empty(), "runs of no rows");
}

} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  consecutive(20);
  consecutive(rank);
  consecutive(rank == size / 2 ? 31 : 0);
  consecutive(0);
  consecutive(rank == size - 1 ? 1 : 0);
  scattered(40);
  scattered(3);
  scattered(0);
  mistakes();
  blocks();
  if (rank == 0)
    std::printf("ok: %d checks\n", checks);
  MPI_Finalize();
  return 0;
}
