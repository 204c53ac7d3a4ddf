// Kernels compiled with --checked, called with arguments whose arrays hold anything at all: each call must return a
// status, or the right result. All memory is guarded, and calls run in a process of their own, which a signal may end.
//
// SPC_CORRUPTION_COUNT sets how many corrupted calls a kernel gets (6), SPC_CORRUPTION_SEED the first seed.
// SPC_CORRUPTION_UNCHECKED=1 compiles without --checked and only counts what becomes of the calls.
#include "corruption/corruptions.h"

#include <catch2/catch.hpp>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace spc::testing;

namespace {

uint64_t numberFrom(const char *variable, uint64_t fallback) {
  const char *text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : fallback;
}

bool isUnchecked() {
  return std::getenv("SPC_CORRUPTION_UNCHECKED") != nullptr;
}

/// What became of the calls, by kind of corruption.
struct Tally {
  int64_t calls = 0, statuses = 0, results = 0, wrong = 0, signals = 0;

  void add(const Tally &other) {
    calls += other.calls;
    statuses += other.statuses;
    results += other.results;
    wrong += other.wrong;
    signals += other.signals;
  }
};

std::map<std::string, Tally> &tallies() {
  static std::map<std::string, Tally> all;
  return all;
}

/// One call with what `seed` does to its arguments.
struct Call {
  Call(const KernelUnderTest &kernel, const std::string &phase, uint64_t seed)
      : kernel_(kernel), phase_(phase), random_(seed), chunks_(static_cast<Chunks>(random_.below(3))) {
    trial_.seed = random_.next();
    for (int k = 0; k < kernel.extentClasses(); ++k)
      trial_.extents.push_back(1 + random_.below(12));
    const Fill fills[] = {Fill::Random, Fill::Random, Fill::Full, Fill::EmptyRows, Fill::Diagonal};
    trial_.fill = fills[random_.below(std::size(fills))];
  }

  /// False where the data does not fit the formats.
  bool prepare() {
    for (int attempt = 0; !kernel_.canStore(trial_); ++attempt) {
      if (attempt == 40)
        return false;
      const int64_t square = 1 + random_.below(12);
      for (int64_t &extent : trial_.extents)
        extent = attempt % 2 == 0 ? square : 1 + random_.below(12);
    }
    TestContext context;
    KernelArguments packed(kernel_.kernel(), kernel_.classes(), trial_, context);
    if (!packed.pack().empty())
      return false;
    call_.emplace(kernel_, packed.pointers());
    if (phase_ == "_numeric" && !call_->addPatterns())
      return false;
    for (int64_t times = random_.below(3) == 0 ? 2 : 1; times > 0; --times) {
      const Corruption one = corrupt(*call_, random_);
      text += (text.empty() ? "" : ", ") + one.text;
      kind = kind.empty() || one.kind.empty() ? kind + one.kind : "several";
      hasOddValues_ = hasOddValues_ || one.hasOddValues;
    }
    return !kind.empty();
  }

  /// 's' a status, 'r' a right result, 'w' a wrong one.
  char run() {
    const bool hasTemporaries = kernel_.tree().statements.size() > 1;
    if (call_->run(phase_, chunks_, random_.below(2) == 0) != SPC_OK)
      return 's';
    if (hasOddValues_ || hasTemporaries || phase_ == "_symbolic" || isUnchecked())
      return 'r';
    const std::string problem = call_->check();
    if (!problem.empty())
      std::cerr << problem << "\n";
    return problem.empty() ? 'r' : 'w';
  }

  std::string kind, text;

private:
  const KernelUnderTest &kernel_;
  std::string phase_;
  Random random_;
  Chunks chunks_;
  Trial trial_;
  std::optional<GuardedCall> call_;
  bool hasOddValues_ = false;
};

/// Runs calls from `first` on in a process of its own, which reports one letter each; '-' where there was none.
std::string runApart(const KernelUnderTest &kernel, const std::string &phase, uint64_t first, uint64_t last) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::cout.flush();
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    close(ends[0]);
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL})
      std::signal(signal, SIG_DFL);
    for (uint64_t seed = first; seed < last; ++seed) {
      Call call(kernel, phase, seed);
      const bool isReady = call.prepare();
      alarm(isUnchecked() ? 2 : 20);
      const char letter = isReady ? call.run() : '-';
      if (write(ends[1], &letter, 1) != 1)
        _exit(1);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string letters;
  for (char letter = 0; read(ends[0], &letter, 1) == 1;)
    letters += letter;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status) || letters.size() < last - first)
    letters += '!';
  return letters;
}

/// All corrupted calls of one kernel, or of a phase of it.
void examine(const KernelSpec &spec, const KernelUnderTest &kernel, const std::string &phase) {
  uint64_t begin = numberFrom("SPC_CORRUPTION_SEED", 1);
  for (const char letter : describe(spec) + phase) // FNV-1a: each kernel gets corruptions of its own
    begin = (begin ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  const uint64_t end = begin + numberFrom("SPC_CORRUPTION_COUNT", 6);
  for (uint64_t seed = begin; seed < end;) {
    // Without checks one call may spoil the memory of the next.
    const std::string letters = runApart(kernel, phase, seed, isUnchecked() ? seed + 1 : end);
    for (const char letter : letters) {
      Call call(kernel, phase, seed);
      if (letter != '-' && call.prepare()) {
        Tally &tally = tallies()[call.kind];
        ++tally.calls;
        ++(letter == 's'   ? tally.statuses
           : letter == 'r' ? tally.results
           : letter == 'w' ? tally.wrong
                           : tally.signals);
        if ((letter == 'w' || letter == '!') && !isUnchecked()) {
          INFO(describe(spec) << "\n" << phase << " seed " << seed << ": " << call.text);
          FAIL_CHECK((letter == 'w' ? "a wrong result" : "a signal"));
        }
      }
      ++seed;
    }
  }
}

void examine(KernelSpec spec) {
  spec.checked = !isUnchecked();
  spec.chunk = 1;
  spec.optLevel = 0;
  const KernelUnderTest kernel(spec);
  INFO(describe(spec));
  if (kernel.outcome() == KernelUnderTest::Outcome::Broken)
    FAIL_CHECK(kernel.diagnostics());
  if (kernel.outcome() != KernelUnderTest::Outcome::Compiled)
    return;
  examine(spec, kernel, "");
  for (const char *phase : {"_symbolic", "_numeric"})
    if (kernel.code().phase(phase))
      examine(spec, kernel, phase);
}

const std::vector<std::string> &everyMatrixFormat() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> formats = kMatrixFormats;
    formats.insert(formats.end(), kLooseMatrixFormats.begin(), kLooseMatrixFormats.end());
    for (const char *more : {"ell4+coo", "dia+csr", "@0=d,1=c?", "@0=c?,1=c?"})
      formats.emplace_back(more);
    return formats;
  }();
  return all;
}

/// So many of the choices, other ones each time; all of them with SPC_TEST_ALL=1.
std::vector<std::string> some(const std::vector<std::string> &choices, size_t count) {
  static size_t next = 0;
  std::vector<std::string> chosen;
  while (chosen.size() < count)
    chosen.push_back(choices[next++ % choices.size()]);
  return std::getenv("SPC_TEST_ALL") ? choices : chosen;
}

struct Pair {
  const char *first, *second;
};
const std::vector<Pair> kPairs = {{"csr", "csr"},      {"csr", "csc"},     {"coo", "csr"},      {"dcsr", "coo"},
                                  {"bsr2x3", "csr"},   {"dia", "csr"},     {"ell4q", "ellq"},   {"coo-unsorted", "csr"},
                                  {"ell4+coo", "csr"}, {"sym-csr", "csr"}, {"csr-len", "dcsc"}, {"lower", "csr"}};

} // namespace

TEST_CASE("corrupted operands of products with dense tensors") {
  for (const std::string &format : everyMatrixFormat())
    for (const std::string &statements : some({"y(i) = A(i,j) * x(j)", "y(j) = A(i,j) * x(i)",
                                               "C(i,k) = A(i,j) * B(j,k)", "s = A(i,j)", "y(i) = A(i,i)"},
                                              2))
      examine({statements, {{"A", format}}});
}

TEST_CASE("corrupted operands of results that share their pattern") {
  for (const std::string &format : everyMatrixFormat()) {
    examine({"D(i,j) = S(i,j) * A(i,k) * B(j,k)", {{"S", format}, {"D", format}}});
    examine({"D(i,j) += 2 * S(i,j)", {{"S", format}, {"D", format}}});
    examine({"D(i,j) = S(i,j) * T(i,j)", {{"S", format}, {"T", "structure of S"}, {"D", "structure of S"}}});
  }
}

TEST_CASE("corrupted operands of assembled results") {
  for (const Pair &pair : kPairs)
    for (const char *statements : {"C(i,j) = A(i,k) * B(k,j)", "C(i,j) = A(i,j) + B(i,j)", "C(i,j) = A(i,j) * B(i,j)",
                                   "C(i,j) = max(A(i,j), B(i,j))"})
      for (const std::string &output : some({"csr", "dcsr", "coo", "bsr2x3", "ell", "csc"}, 1))
        examine({statements, {{"A", pair.first}, {"B", pair.second}, {"C", output}}});
}

TEST_CASE("corrupted results that are updated") {
  for (const char *output : {"csr", "dcsr", "coo", "csc"}) {
    examine({"C(i,j) += A(i,k) * B(k,j)", {{"A", "csr"}, {"B", "csr"}, {"C", output}}});
    examine({"C(i,j) += A(i,j)", {{"A", "coo-unsorted"}, {"C", output}}});
  }
}

TEST_CASE("corrupted operands of conversions") {
  for (const std::string &format : everyMatrixFormat())
    for (const char *statements : {"C(i,j) = A(i,j)", "C(j,i) = A(i,j)"})
      for (const std::string &output : some({"csr", "csc", "coo", "ell", "bsr2x3", "dcsr", "coo-aos"}, 1))
        examine({statements, {{"A", format}, {"C", output}}});
}

TEST_CASE("corrupted operands of order 3 and 4") {
  for (const std::string &format : kThirdOrderFormats) {
    examine({"M(i,r) = T(i,j,k) * B(j,r) * C(k,r)", {{"T", format}}});
    examine({"Y(i,j) = T(i,j,k) * x(k)", {{"T", format}}});
    examine({"Y(k,j) = T(i,j,k) * x(i)", {{"T", format}, {"Y", "csr"}}});
    examine({"Y(i,j,k) = T(i,j,k) + S(i,j,k)", {{"T", format}, {"S", "csf"}, {"Y", "csf"}}});
  }
  for (const std::string &format : kFourthOrderFormats)
    examine({"Y(i,l) = T(i,j,k,l) * x(j) * z(k)", {{"T", format}}});
  for (const std::string &format : kVectorFormats)
    examine({"s = v(i) * w(i)", {{"v", format}, {"w", "sv"}}});
}

TEST_CASE("corrupted operands of functions, masks and several statements") {
  for (const std::string &format : {"csr", "coo", "coo-unsorted", "bsr2x3", "ell4", "dia", "csr-len", "sym-csr"}) {
    examine({"y(i) = max(j, A(i,j) * x(j))", {{"A", format}}});
    examine({"z(i) = A(i,j)\ny(i) = A(i,j) * z(j)", {{"A", format}}});
    examine({"Z(i,j) = relu(A(i,j) - B(i,j))", {{"A", format}, {"B", "csr"}, {"Z", "csr"}}});
  }
}

TEST_CASE("corrupted indices of every width") {
  using enum spc::format::IndexType;
  for (const IndexTypes types : {IndexTypes{U8, U8}, {U16, U8}, {I32, U16}, {I64, I32}, {I64, I64}})
    for (const char *format : {"csr", "csc", "coo", "csr-len", "ell4", "bsr2x3", "dcsr"}) {
      KernelSpec spec{"y(i) = A(i,j) * x(j)", {{"A", format}}};
      spec.index = types;
      examine(spec);
      spec = {"C(i,j) = A(i,k) * B(k,j)", {{"A", format}, {"B", "csr"}, {"C", "csr"}}};
      spec.index = types;
      examine(spec);
    }
}

TEST_CASE("what became of all corrupted calls") {
  Tally all;
  std::ostringstream text;
  for (const auto &[kind, tally] : tallies()) {
    all.add(tally);
    text << kind << ": " << tally.calls << " calls, " << tally.statuses << " statuses, " << tally.results
         << " results, " << tally.wrong << " wrong, " << tally.signals << " signals\n";
  }
  text << "in all: " << all.calls << " calls, " << all.statuses << " statuses, " << all.results << " results, "
       << all.wrong << " wrong, " << all.signals << " signals";
  WARN(text.str());
  if (!isUnchecked() && !std::getenv("SPC_CORRUPTION_COUNT"))
    CHECK(all.calls >= 2000);
}
