#include "support/depfile.h"
#include "support/input.h"
#include "support/output_file.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace spc;
namespace fs = std::filesystem;

namespace {

// A folder of its own for one test.
class Folder {
public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "spc-support-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string &name) const { return (path_ / name).string(); }
  size_t entries() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

private:
  fs::path path_;
};

void write(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool commit(std::initializer_list<std::pair<std::string, std::string>> outputs, Diagnostics &diagnostics) {
  OutputSet set;
  for (const auto &[path, bytes] : outputs)
    set.add(path, bytes);
  return set.commit(diagnostics);
}

void checkRefused(const Diagnostics &diagnostics, const std::string &path, const std::string &id = "cannot-write") {
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].kind.id == id);
  CHECK(diagnostics.all()[0].path == path);
}

} // namespace

TEST_CASE("outputs are written whole, replacing older ones, and leave no temporaries") {
  Folder folder;
  Diagnostics diagnostics;
  write(folder / "k.h", "old");
  std::string binary("a\0b\n", 4);
  CHECK(commit({{folder / "k.o", binary}, {folder / "k.h", "new"}, {folder / "empty", ""}}, diagnostics));
  CHECK(read(folder / "k.o") == binary);
  CHECK(read(folder / "k.h") == "new");
  CHECK(fs::exists(folder / "empty"));
  CHECK(folder.entries() == 3);
  CHECK(diagnostics.all().empty());
}

TEST_CASE("an output may come piece by piece, and fails as a whole") {
  Folder folder;
  Diagnostics diagnostics;
  OutputSet set;
  const std::string piece(100000, 'x');
  int asked = 0;
  const auto source = [&](const ByteSink &sink) {
    ++asked;
    for (const std::string_view part : {std::string_view("a"), std::string_view(), std::string_view(piece)})
      sink(part);
  };
  set.add(folder / "text", source);
  CHECK(asked == 0);
  CHECK(set.commit(diagnostics));
  CHECK(asked == 1);
  CHECK(read(folder / "text") == "a" + piece);
  set.add(folder / "other", source);
  set.add("/dev/full", source);
  CHECK_FALSE(set.commit(diagnostics));
  checkRefused(diagnostics, "/dev/full");
  CHECK(folder.entries() == 1);
}

TEST_CASE("permissions follow the umask") {
  Folder folder;
  Diagnostics diagnostics;
  mode_t old = ::umask(027);
  CHECK(commit({{folder / "k.o", "x"}}, diagnostics));
  ::umask(old);
  struct stat status{};
  REQUIRE(::stat((folder / "k.o").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
}

TEST_CASE("one output that cannot be written keeps the others from appearing") {
  Folder folder;
  write(folder / "k.o", "old");
  fs::create_directory(folder / "dir");
  std::string bad = GENERATE(std::string("none/k.h"), std::string("dir"), std::string("dir/"), std::string("new/"),
                             std::string(300, 'n'), std::string("k.o/k.h"));
  Diagnostics diagnostics;
  CHECK_FALSE(commit({{folder / "k.o", "new"}, {folder / bad, "h"}}, diagnostics));
  checkRefused(diagnostics, folder / bad);
  CHECK(read(folder / "k.o") == "old");
  CHECK(folder.entries() == 2);
}

TEST_CASE("the same file twice, and an empty name") {
  Folder folder;
  Diagnostics twice, empty;
  CHECK_FALSE(commit({{folder / "k", "a"}, {folder / "./k", "b"}}, twice));
  checkRefused(twice, folder / "./k");
  CHECK_FALSE(commit({{"", "a"}}, empty));
  checkRefused(empty, "");
  CHECK(folder.entries() == 0);
}

TEST_CASE("read-only files and folders") {
  if (::geteuid() == 0)
    return; // root may write everywhere
  Folder folder;
  write(folder / "k.o", "old");
  fs::permissions(folder / "k.o", fs::perms::owner_read);
  Diagnostics diagnostics;
  CHECK_FALSE(commit({{folder / "k.o", "new"}}, diagnostics));
  checkRefused(diagnostics, folder / "k.o");
}

TEST_CASE("devices are written to, not replaced; a full one fails the set") {
  Folder folder;
  Diagnostics fine, full;
  CHECK(commit({{"/dev/null", "x"}, {folder / "k.h", "h"}}, fine));
  CHECK(fs::is_character_file("/dev/null"));
  CHECK(fs::exists(folder / "k.h"));
  if (!fs::exists("/dev/full"))
    return;
  CHECK_FALSE(commit({{folder / "k.o", "o"}, {"/dev/full", "x"}}, full));
  checkRefused(full, "/dev/full");
  CHECK(folder.entries() == 1);
}

TEST_CASE("a symbolic link stays one") {
  Folder folder;
  write(folder / "real", "old");
  fs::create_symlink("real", folder / "link");
  Diagnostics diagnostics;
  CHECK(commit({{folder / "link", "new"}}, diagnostics));
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(read(folder / "real") == "new");
}

TEST_CASE("a symbolic link that leads to nothing yet is followed") {
  Folder folder;
  fs::create_directory(folder / "sub");
  fs::create_symlink("sub/second", folder / "first");
  fs::create_symlink("../real", folder / "sub/second");
  Diagnostics diagnostics, circle, twice;
  CHECK(commit({{folder / "first", "new"}}, diagnostics));
  CHECK(fs::is_symlink(folder / "first"));
  CHECK(fs::is_symlink(folder / "sub/second"));
  CHECK(read(folder / "real") == "new");
  fs::create_symlink("circle", folder / "circle");
  CHECK_FALSE(commit({{folder / "circle", "x"}}, circle));
  checkRefused(circle, folder / "circle");
  fs::create_symlink("nothing", folder / "link");
  CHECK_FALSE(commit({{folder / "nothing", "a"}, {folder / "link", "b"}}, twice));
  checkRefused(twice, folder / "link");
  CHECK_FALSE(fs::exists(folder / "nothing"));
}

TEST_CASE("a file above the size that the system allows is refused, and leaves nothing") {
  Folder folder;
  Diagnostics diagnostics;
  struct rlimit old{}, small{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &old) == 0);
  small = {1000, old.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const bool written = commit({{folder / "k.h", "h"}, {folder / "k.o", std::string(2000, 'o')}}, diagnostics);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &old) == 0);
  CHECK_FALSE(written);
  checkRefused(diagnostics, folder / "k.o");
  CHECK(folder.entries() == 0);
}

TEST_CASE("a signal leaves no temporary file") {
  Folder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {             // waits for the pipe's reader with the temporary file written
    ::signal(SIGTERM, SIG_DFL); // Catch handles it
    Diagnostics diagnostics;
    commit({{folder / "k.o", "o"}, {folder / "pipe", "p"}}, diagnostics);
    ::_exit(1);
  }
  while (folder.entries() < 2 && ::kill(child, 0) == 0)
    ::usleep(1000);
  CHECK(folder.entries() == 2);
  ::kill(child, SIGTERM);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGTERM);
  CHECK(folder.entries() == 1);
}

TEST_CASE("pipes: read and written, and not waited for without end") {
  Folder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  Diagnostics fine, silent, unread;
  std::thread writer([&] {
    ::usleep(200000);
    write(pipe, "y = x\n");
  });
  CHECK(readBytes(pipe, fine) == "y = x\n");
  writer.join();
  std::string got;
  std::thread reader([&] { got = read(pipe); });
  CHECK(commit({{pipe, "text"}}, fine));
  reader.join();
  CHECK(got == "text");
  std::optional<std::string> nothing;
  std::thread waiting([&] { nothing = readBytes(pipe, silent); });
  const std::string other = folder / "other";
  REQUIRE(::mkfifo(other.c_str(), 0600) == 0);
  CHECK_FALSE(commit({{other, "text"}}, unread));
  waiting.join();
  CHECK_FALSE(nothing);
  checkRefused(silent, pipe, "cannot-read");
  checkRefused(unread, other);
}

TEST_CASE("reading files") {
  Folder folder;
  SourceManager sources;
  Diagnostics diagnostics;
  std::string bytes = std::string("a\0b", 3) + std::string(300000, 'x');
  write(folder / "k.tex", bytes);
  const SourceFile *file = readSource(folder / "k.tex", sources, diagnostics);
  REQUIRE(file != nullptr);
  CHECK(file->text() == bytes);
  CHECK(file->name() == folder / "k.tex");
  CHECK(readBytes(folder / "k.tex", diagnostics, bytes.size()) == bytes);
  write(folder / "empty", "");
  CHECK(readBytes(folder / "empty", diagnostics) == "");
  CHECK(diagnostics.all().empty());
}

TEST_CASE("what cannot be read is reported with its path") {
  Folder folder;
  SourceManager sources;
  write(folder / "kernel.tex", "y = x\n");
  Diagnostics missing, directory, large, nowhere, endless;
  CHECK(readSource(folder / "kernal.tex", sources, missing) == nullptr);
  checkRefused(missing, folder / "kernal.tex", "cannot-read");
  CHECK(missing.all()[0].help == "did you mean '" + (folder / "kernel.tex") + "'?");
  CHECK(readSource(folder / "", sources, directory) == nullptr);
  checkRefused(directory, folder / "", "cannot-read");
  CHECK(readBytes(folder / "kernel.tex", large, 5) == std::nullopt);
  checkRefused(large, folder / "kernel.tex", "cannot-read");
  CHECK(readBytes(folder / "no/such/file", nowhere) == std::nullopt);
  CHECK(nowhere.all()[0].help.empty());
  CHECK(readBytes("/dev/zero", endless, 100000) == std::nullopt);
  checkRefused(endless, "/dev/zero", "cannot-read");
  Diagnostics unnamed;
  CHECK(readBytes("", unnamed) == std::nullopt);
}

TEST_CASE("dependency text") {
  CHECK(makefileText({{"k.o"}, {"k.tex"}, false}) == "k.o: k.tex\n");
  CHECK(makefileText({{"k.o", "k.h"}, {"k.tex", "csr.json", "csr.json"}, true}) ==
        "k.o k.h: k.tex \\\n  csr.json\ncsr.json:\n");
  CHECK(makefileText({{"k.o"}, {}, true}) == "k.o:\n");
  CHECK(makefileText({{"k.o"}, {"a\nb", "c"}, false}) == "k.o: c\n");
  // What would become a recipe, a variable or a pattern.
  CHECK(makefileText({{"k.o"}, {";touch x", "a=b", "c", "d%"}, true}) == "k.o: c \\\n  d% \\\n  a=b\nc:\n");
  CHECK(makefileText({{"k.o"}, {"a=b"}, true}) == "k.o:\n");
}

TEST_CASE("names are escaped as gcc does") {
  CHECK(escapeForMake("a b") == "a\\ b");
  CHECK(escapeForMake("a#b") == "a\\#b");
  CHECK(escapeForMake("a$b") == "a$$b");
  CHECK(escapeForMake("a\\b") == "a\\b");
  CHECK(escapeForMake("a\\ b") == "a\\\\\\ b");
  CHECK(escapeForMake("a\tb") == "a\\\tb");
}

TEST_CASE("make reads back the names that we escape") {
  if (std::system("make --version >/dev/null 2>&1") != 0)
    return;
  Folder folder;
  std::vector<std::string> names{"k.tex", "a b",      "c#d", "e$f", "g\\h", "i\\ j", "k:l",
                                 "m\\#n", "\xC3\xA9", "p*q", "r?s", "t[u]", "v%w",   "x=y"};
  Dependencies dependencies{{"out"}, {}, true};
  for (const std::string &name : names) {
    write(folder / name, "");
    dependencies.prerequisites.push_back(name);
  }
  // Were a name misread, its empty rule would be the only thing that makes it; without -MP make would refuse.
  for (bool phony : {false, true}) {
    dependencies.phony = phony;
    write(folder / "Makefile", makefileText(dependencies) + "\t@touch out\n");
    if (phony)
      write(folder / "Makefile", "all: out ; @touch made\n" + makefileText(dependencies));
    CHECK(std::system(("make -s -C '" + (folder / "") + "' >/dev/null 2>&1").c_str()) == 0);
    if (phony)
      CHECK(fs::exists(folder / "made"));
  }
}
