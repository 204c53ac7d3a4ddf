#include "harness.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <mutex>
#include <numeric>
#include <random>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace {

double seconds(const std::function<void()> &work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Of all threads of the process.
double pageFaults() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return double(used.ru_minflt + used.ru_majflt);
}

double bytesInHugePages() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("AnonHugePages:", 0) == 0)
      return std::strtod(line.c_str() + line.find(':') + 1, nullptr) * 1024;
  return 0;
}

} // namespace

void check(bool right, const char *what) {
  if (right)
    return;
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
  std::exit(1);
}

std::vector<double> randomValues(size_t count, uint64_t seed) {
  std::vector<double> values(count);
  uint64_t state = seed;
  for (double &value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = double(int64_t(state >> 11)) / double(int64_t(1) << 52) - 1;
  }
  return values;
}

Comparison compare(int rounds, const std::function<void()> &reference, const std::function<void()> &candidate) {
  double once = std::max(seconds(reference), seconds(candidate));
  int repeat = std::max(1, int(5e-3 / std::max(once, 1e-9)));
  auto run = [&](const std::function<void()> &work) {
    return seconds([&] {
             for (int n = 0; n < repeat; ++n)
               work();
           }) /
           repeat;
  };
  std::vector<double> references, candidates, ratios;
  for (int round = 0; round < rounds; ++round) {
    double first = run(round % 2 ? candidate : reference);
    double second = run(round % 2 ? reference : candidate);
    references.push_back(round % 2 ? second : first);
    candidates.push_back(round % 2 ? first : second);
    ratios.push_back(references.back() / candidates.back());
  }
  return {median(references), median(candidates), median(ratios)};
}

double shorterOfTwo(const Job &job) {
  double least = std::numeric_limits<double>::infinity();
  for (int call = 0; call < 2; ++call) {
    least = std::min(least, seconds(job.run));
    job.release();
  }
  return least;
}

std::vector<Measured> measureTogether(int rounds, const std::vector<Job> &jobs, double roundSeconds) {
  std::vector<Measured> measured(jobs.size());
  std::vector<int> repeats, most;
  double first = 0;
  for (size_t n = 0; n < jobs.size(); ++n) {
    const double once = std::max(seconds(jobs[n].run), 1e-9);
    measured[n].hugeBytes = bytesInHugePages();
    jobs[n].release();
    first = n ? first : once;
    repeats.push_back(std::max(1, int(roundSeconds / once)));
    most.push_back(repeats[n] == 1 && once > kPatience * first ? std::min(rounds, kLeastRounds) : rounds);
  }
  std::vector<size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::mt19937_64 random(1);
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (size_t n : order) {
      if (round >= most[n])
        continue;
      jobs[n].run();
      jobs[n].release();
      double total = 0;
      for (int call = 0; call < repeats[n]; ++call) {
        const double before = pageFaults();
        total += seconds(jobs[n].run);
        measured[n].faults += (pageFaults() - before) / repeats[n] / most[n];
        jobs[n].release();
      }
      measured[n].seconds.push_back(total / repeats[n]);
    }
  }
  return measured;
}

std::vector<std::vector<double>> timeTogether(int rounds, const std::vector<Job> &jobs, double roundSeconds) {
  std::vector<std::vector<double>> times;
  for (Measured &job : measureTogether(rounds, jobs, roundSeconds))
    times.push_back(std::move(job.seconds));
  return times;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

double quartileSpread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[values.size() * 3 / 4] - values[values.size() / 4]) / values[values.size() / 2];
}

void pinToOneCore() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(sched_getcpu(), &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

void pinThreads(char **argv) {
  constexpr const char *kept = "SPC_BENCH_CORES";
  cpu_set_t cores;
  if (const char *list = std::getenv(kept)) {
    CPU_ZERO(&cores);
    for (char *rest; *list; list = rest + (*rest == ','))
      CPU_SET(std::strtoul(list, &rest, 10), &cores);
    sched_setaffinity(0, sizeof cores, &cores);
    unsetenv(kept);
    return;
  }
  if (std::getenv("OMP_PROC_BIND") || sched_getaffinity(0, sizeof cores, &cores) != 0)
    return;
  std::string list;
  for (size_t core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &cores))
      list += (list.empty() ? "" : ",") + std::to_string(core);
  setenv(kept, list.c_str(), 1);
  setenv("OMP_PROC_BIND", "true", 1);
  setenv("OMP_PLACES", "cores", 1);
  execv("/proc/self/exe", argv);
}

void checkThreadsApart(int threads) {
  struct Team {
    std::mutex mutex;
    cpu_set_t cores;
    int size = 0;
  };
  auto note = [](void *data) {
    Team &team = *static_cast<Team *>(data);
    cpu_set_t own;
    const std::lock_guard<std::mutex> lock(team.mutex);
    ++team.size;
    if (sched_getaffinity(0, sizeof own, &own) == 0)
      CPU_OR(&team.cores, &team.cores, &own);
  };
  for (const char *library : {"libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so"}) {
    void *loaded = dlopen(library, RTLD_NOLOAD | RTLD_LAZY);
    if (!loaded)
      continue;
    // Compilers' calls of GNU's library for a parallel region, which the others have too.
    using Parallel = void(void (*body)(void *), void *data, unsigned threads, unsigned flags);
    auto *parallel = reinterpret_cast<Parallel *>(dlsym(loaded, "GOMP_parallel"));
    if (parallel) {
      Team team;
      CPU_ZERO(&team.cores);
      parallel(note, &team, unsigned(threads), 0);
      check(team.size >= threads && CPU_COUNT(&team.cores) >= threads,
            (std::to_string(threads) + " threads of " + library + " share " + std::to_string(CPU_COUNT(&team.cores)) +
             " cores; see OMP_PROC_BIND and OMP_PLACES")
                .c_str());
    }
    dlclose(loaded);
  }
}
