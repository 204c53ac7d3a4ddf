#include "tensor/files/hdf5_arrays.h"
#include "tensor/files/hdf5_library.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace spc::tensor {

namespace {

constexpr size_t kElementBytes = 8, kNames = std::size(kBinsparseArrays), kMessageRoom = 200;
constexpr uint64_t kMostElements = uint64_t{1} << 59;
constexpr size_t kLongestAttribute = size_t{1} << 20;
constexpr uint64_t kMostGroups = 10'000;
constexpr const char *kFailed = "libhdf5 fails on it, or takes too much time or memory: it may be damaged";

enum class Outcome : int32_t { None, Read, TooLong, Malformed, Unsupported };

/// What the process that reads hands over in shared memory; the attribute and the arrays follow.
struct Handover {
  Outcome outcome;
  char message[kMessageRoom];
  uint64_t attributeBytes;
  struct {
    char kind; ///< i, u or f; 0 of an array that is not there
    uint64_t count;
    uint64_t given; ///< elements that follow
  } arrays[kNames];
};

constexpr uint64_t aligned(uint64_t bytes) {
  return (bytes + kElementBytes - 1) / kElementBytes * kElementBytes;
}

/// What is read: a file in memory, or some elements of one at a path.
struct Source {
  FileBytes *image;
  std::string path;
  Hdf5Slabs slabs;
};

/// Reads one file in a process that then ends: nothing is closed.
class FileReader {
public:
  FileReader(const Hdf5Library &hdf5, const Source &source, int shared, uint64_t limit)
      : hdf5_(hdf5), source_(source), shared_(shared), limit_(limit) {}

  void read() {
    const Hdf5Id root =
        source_.image ? openImage(*source_.image) : hdf5_.openFile(source_.path.c_str(), 0, kHdf5Default);
    if (root < 0)
      return end(Outcome::Malformed, "libhdf5 finds it damaged or cut short");
    if (!findPlace(root) || !readAttribute())
      return;
    for (size_t k = 0; k < kNames; ++k)
      if (!openArray(k))
        return;
    readArrays();
  }

private:
  Hdf5Id openImage(FileBytes &file) {
    const Hdf5Id access = hdf5_.createProperties(*hdf5_.fileAccess);
    if (hdf5_.setInMemory(access, size_t{1} << 20, false) < 0 || hdf5_.setImage(access, file.data(), file.size()) < 0)
      return -1;
    return hdf5_.openFile("data.h5", 0, access);
  }

  void end(Outcome outcome, const std::string &message) {
    result_.outcome = outcome;
    message.copy(result_.message, kMessageRoom - 1);
    if (pwrite(shared_, &result_, sizeof(result_), 0) != static_cast<ssize_t>(sizeof(result_)))
      _exit(1);
  }

  bool fail(Outcome outcome, const std::string &message) {
    end(outcome, message);
    return false;
  }

  bool isHard(Hdf5Id place, const char *name) {
    Hdf5Link link{};
    return hdf5_.linkInfo(place, name, &link, kHdf5Default) >= 0 && link.type == kHdf5HardLink;
  }

  /// The root, or the only group with the attribute.
  bool findPlace(Hdf5Id root) {
    place_ = root;
    if (hdf5_.attributeExists(root, kBinsparseAttribute) > 0)
      return true;
    Hdf5Group info{};
    if (hdf5_.groupInfo(root, &info) < 0)
      return fail(Outcome::Malformed, "libhdf5 finds its root damaged");
    int found = 0;
    for (uint64_t at = 0; at < std::min(info.links, kMostGroups); ++at) {
      char name[kMessageRoom];
      const ptrdiff_t length = hdf5_.linkName(root, ".", 0, 0, at, name, sizeof(name), kHdf5Default);
      if (length <= 0 || length >= static_cast<ptrdiff_t>(sizeof(name)) || !isHard(root, name))
        continue;
      const Hdf5Id group = hdf5_.openGroup(root, name, kHdf5Default);
      if (group >= 0 && hdf5_.attributeExists(group, kBinsparseAttribute) > 0) {
        place_ = group;
        ++found;
      }
    }
    return found == 1 ||
           fail(Outcome::Unsupported,
                found == 0
                    ? "of HDF5 files those of Binsparse are read, and neither its root nor a group below has the "
                      "attribute 'binsparse'"
                    : "several of its groups hold a tensor; write one to a file");
  }

  bool readAttribute() {
    const Hdf5Id attribute = hdf5_.openAttribute(place_, kBinsparseAttribute, kHdf5Default);
    const Hdf5Id stored = attribute < 0 ? attribute : hdf5_.attributeType(attribute);
    const Hdf5Id space = stored < 0 ? stored : hdf5_.attributeSpace(attribute);
    if (space < 0 || hdf5_.typeClass(stored) != kHdf5Texts || hdf5_.count(space) != 1)
      return fail(Outcome::Malformed, "its attribute 'binsparse' is no text");
    const Hdf5Id type = hdf5_.nativeType(stored, 0);
    const bool isVariable = hdf5_.isVariableText(stored) > 0;
    const size_t bytes = isVariable ? sizeof(char *) : hdf5_.typeSize(type);
    if (type < 0 || bytes > kLongestAttribute)
      return fail(Outcome::Malformed, "its attribute 'binsparse' is too long");
    const char *text = nullptr;
    attribute_.resize(bytes);
    if (hdf5_.readAttribute(attribute, type, isVariable ? static_cast<void *>(&text) : attribute_.data()) < 0 ||
        (isVariable && !text))
      return fail(Outcome::Malformed, "its attribute 'binsparse' is damaged");
    if (isVariable)
      attribute_.assign(text, strnlen(text, kLongestAttribute));
    attribute_.resize(strnlen(attribute_.data(), attribute_.size()));
    return true;
  }

  bool openArray(size_t at) {
    const std::string name = kBinsparseArrays[at];
    if (hdf5_.linkExists(place_, name.c_str(), kHdf5Default) <= 0)
      return true;
    if (!isHard(place_, name.c_str()))
      return fail(Outcome::Unsupported, "its dataset '" + name + "' is a link, which is not followed");
    const Hdf5Id dataset = datasets_[at] = hdf5_.openDataset(place_, name.c_str(), kHdf5Default);
    const Hdf5Id space = dataset < 0 ? dataset : hdf5_.datasetSpace(dataset);
    const Hdf5Id type = space < 0 ? space : hdf5_.datasetType(dataset);
    const Hdf5Id properties = type < 0 ? type : hdf5_.datasetProperties(dataset);
    const int64_t count = properties < 0 ? -1 : hdf5_.count(space);
    if (count < 0)
      return fail(Outcome::Malformed, "its dataset '" + name + "' is none, or damaged");
    if (hdf5_.countExternal(properties) != 0 || hdf5_.layout(properties) == kHdf5Virtual)
      return fail(Outcome::Unsupported, "its dataset '" + name + "' has its elements in other files");
    if (hdf5_.order(space) != 1)
      return fail(Outcome::Malformed, "its dataset '" + name + "' has not one dimension");
    const int kind = hdf5_.typeClass(type);
    if ((kind != kHdf5Integers && kind != kHdf5Floats) || hdf5_.typeSize(type) > kElementBytes)
      return fail(Outcome::Unsupported,
                  "the elements of its dataset '" + name + "' are neither integers nor floats of 64 bits or less");
    result_.arrays[at].kind = kind == kHdf5Floats ? 'f' : hdf5_.isSigned(type) != 0 ? 'i' : 'u';
    result_.arrays[at].count = static_cast<uint64_t>(count);
    const uint64_t given = result_.arrays[at].given = slabOf(at).count;
    if (given > (limit_ - total_) / kElementBytes)
      return fail(Outcome::TooLong, "");
    total_ += given * kElementBytes;
    return true;
  }

  /// The elements of an array that are wanted, as far as there are such.
  Hdf5Slab slabOf(size_t at) const {
    const uint64_t count = result_.arrays[at].count;
    if (source_.image)
      return {0, count};
    const Hdf5Slab wanted = source_.slabs[at].value_or(Hdf5Slab());
    const uint64_t begin = std::min(wanted.begin, count);
    return {begin, std::min(wanted.count, count - begin)};
  }

  bool readSlab(size_t at, char *to) {
    const char kind = result_.arrays[at].kind;
    const Hdf5Id type = kind == 'f' ? *hdf5_.f64 : kind == 'i' ? *hdf5_.i64 : *hdf5_.u64;
    const Hdf5Slab slab = slabOf(at);
    const Hdf5Id space = hdf5_.datasetSpace(datasets_[at]), memory = hdf5_.createExtents(1, &slab.count, nullptr);
    return space >= 0 && memory >= 0 &&
           hdf5_.selectBlock(space, /*operation: set=*/0, &slab.begin, nullptr, &slab.count, nullptr) >= 0 &&
           hdf5_.readDataset(datasets_[at], type, memory, space, kHdf5Default, to) >= 0;
  }

  void readArrays() {
    const uint64_t begin = sizeof(Handover) + aligned(attribute_.size());
    const uint64_t all = begin + total_;
    void *memory = ftruncate(shared_, static_cast<off_t>(all)) == 0
                       ? mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_SHARED, shared_, 0)
                       : MAP_FAILED;
    if (memory == MAP_FAILED)
      _exit(1);
    char *at = static_cast<char *>(memory) + begin;
    for (size_t k = 0; k < kNames; ++k) {
      if (result_.arrays[k].kind != 0 && result_.arrays[k].given > 0 && !readSlab(k, at))
        return end(Outcome::Malformed, "libhdf5 cannot read its dataset '" + std::string(kBinsparseArrays[k]) +
                                           "': it is damaged, or needs a plugin");
      at += result_.arrays[k].given * kElementBytes;
    }
    result_.attributeBytes = attribute_.size();
    attribute_.copy(static_cast<char *>(memory) + sizeof(Handover), attribute_.size());
    end(Outcome::Read, "");
  }

  const Hdf5Library &hdf5_;
  const Source &source_;
  int shared_;
  uint64_t limit_, total_ = 0;
  Hdf5Id place_ = -1;
  std::string attribute_;
  Hdf5Id datasets_[kNames] = {-1, -1, -1, -1};
  Handover result_{};
};

/// Grants a process that reads hostile bytes some more memory than it needs, time by how much it reads, and no dump.
void limitProcess(uint64_t fileBytes, uint64_t limit) {
  limit = std::min(limit, uint64_t{1} << 48); // as much as if there were none
  constexpr uint64_t kSomeMemory = uint64_t{512} << 20, kSomeSeconds = 60, kBytesASecond = 4 << 20;
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const uint64_t used = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t memory = used + 3 * fileBytes + 2 * limit + kSomeMemory;
  const uint64_t seconds = kSomeSeconds + (fileBytes + limit) / kBytesASecond;
  for (const auto &[resource, most] :
       {std::pair(RLIMIT_AS, memory), std::pair(RLIMIT_CPU, seconds), std::pair(RLIMIT_CORE, uint64_t{0})}) {
    rlimit limits{};
    if (getrlimit(resource, &limits) == 0 && (limits.rlim_cur == RLIM_INFINITY || limits.rlim_cur > most)) {
      limits.rlim_cur = most;
      setrlimit(resource, &limits);
    }
  }
}

[[noreturn]] void readAndEnd(const Hdf5Library &hdf5, const Source &source, int shared, uint64_t limit) {
  for (int number = 1; number < NSIG; ++number) // this process has no files to remove
    std::signal(number, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    limitProcess(source.image ? source.image->size() : 0, limit);
    FileReader(hdf5, source, shared, limit).read();
  } catch (const std::exception &) {
    _exit(1);
  }
  _exit(0);
}

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
};

/// The arrays in memory of which another process has written each byte, and which is taken for hostile.
std::optional<Hdf5Contents> contentsOf(int shared, bool holdsAll, bool &isTooLong, FileProblem &problem) {
  const off_t bytes = lseek(shared, 0, SEEK_END);
  Handover result{};
  if (pread(shared, &result, sizeof(result), 0) != static_cast<ssize_t>(sizeof(result)))
    result.outcome = Outcome::None;
  isTooLong = result.outcome == Outcome::TooLong;
  if (result.outcome != Outcome::Read) {
    result.message[kMessageRoom - 1] = '\0';
    problem.kind =
        result.outcome == Outcome::Unsupported ? FileProblem::Kind::Unsupported : FileProblem::Kind::Malformed;
    problem.message = result.outcome == Outcome::None ? kFailed : result.message;
    return std::nullopt;
  }
  void *memory = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ, MAP_SHARED, shared, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  Hdf5Contents contents;
  contents.storage.reset(memory, [bytes](const void *at) { munmap(const_cast<void *>(at), bytes); });
  std::string_view rest(static_cast<const char *>(memory), static_cast<size_t>(bytes));
  rest.remove_prefix(sizeof(Handover));
  contents.attribute = rest.substr(0, result.attributeBytes);
  rest.remove_prefix(std::min<uint64_t>(rest.size(), aligned(contents.attribute.size())));
  for (size_t k = 0; k < kNames; ++k) {
    if (result.arrays[k].kind == 0)
      continue;
    NumpyArray array;
    array.kind = result.arrays[k].kind == 'f' ? 'f' : result.arrays[k].kind == 'i' ? 'i' : 'u';
    const uint64_t given = std::min<uint64_t>(result.arrays[k].given, rest.size() / kElementBytes);
    array.count = static_cast<int64_t>(holdsAll ? given : std::min<uint64_t>(result.arrays[k].count, kMostElements));
    array.shape = {array.count};
    array.bytes = rest.substr(0, given * kElementBytes);
    rest.remove_prefix(array.bytes.size());
    contents.arrays[kBinsparseArrays[k]] = std::move(array);
  }
  return contents;
}

/// Reads in a process of its own.
std::optional<Hdf5Contents> readApart(const Source &source, uint64_t limit, bool &isTooLong, FileProblem &problem) {
  const Hdf5Library *hdf5 = hdf5Library();
  if (!hdf5) {
    problem = {FileProblem::Kind::Unsupported, kNoHdf5};
    return std::nullopt;
  }
  std::signal(SIGCHLD, SIG_DFL); // where it is ignored, waitpid finds no child
  const Descriptor shared{memfd_create("hdf5", MFD_CLOEXEC)};
  const pid_t child = shared.number < 0 ? -1 : fork();
  if (child == 0)
    readAndEnd(*hdf5, source, shared.number, limit);
  if (child < 0) {
    problem = {FileProblem::Kind::Unsupported,
               std::string("no process can be started to read HDF5: ") + strerror(errno)};
    return std::nullopt;
  }
  int status = 0;
  pid_t ended = -1;
  while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
  }
  if (ended != child || status != 0) {
    problem = {FileProblem::Kind::Malformed, kFailed};
    return std::nullopt;
  }
  if (source.image)
    FileBytes().swap(*source.image);
  return contentsOf(shared.number, source.image != nullptr, isTooLong, problem);
}

} // namespace

std::optional<Hdf5Contents> readHdf5(FileBytes &file, uint64_t limit, bool &isTooLong, FileProblem &problem) {
  return readApart({&file, {}, {}}, limit, isTooLong, problem);
}

std::optional<Hdf5Contents> readHdf5(const std::string &path, const Hdf5Slabs &slabs, FileProblem &problem) {
  constexpr uint64_t kSome = uint64_t{64} << 20;
  uint64_t limit = kSome;
  for (const std::optional<Hdf5Slab> &slab : slabs)
    limit += slab && slab->count < kMostElements ? slab->count * kElementBytes : 0;
  bool isTooLong = false;
  return readApart({nullptr, path, slabs}, limit, isTooLong, problem);
}

} // namespace spc::tensor
