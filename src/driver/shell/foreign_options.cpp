#include "driver/shell/foreign_options.h"

#include <algorithm>
#include <array>

namespace spc::driver {

namespace {

/// Options that begin with `prefix`, or are it. Where `like` is given, what follows is appended to that.
struct ForeignOption {
  std::string_view prefix;
  bool isWhole;          ///< nothing may follow but `=...`
  std::string_view like; ///< what is written for it, a value included up to its `=`; empty: nothing is
  std::string_view help;
};

constexpr std::string_view kStandard =
    "leave it out: spc reads no C; the header that it writes compiles as C11 and C++17, and later ones";
constexpr std::string_view kThreads =
    "leave it out: a kernel starts no threads; loops run on those of the spc_context that a program passes to "
    "NAME_ctx, and 'spc run' has --threads";
constexpr std::string_view kInstructions = "name the processor, which says what it has: --mcpu=native, or "
                                           "--mcpu=x86-64-v3; or several, --mcpu=x86-64-v2,x86-64-v4";
constexpr std::string_view kNoLinking =
    "leave it out: spc links nothing; give it to the compiler that links the object";
constexpr std::string_view kNoIncludes = "leave it out: spc reads no C; folders of formats are given by --format-path";

constexpr std::array<ForeignOption, 30> kForeign{
    {{"-std", true, "", kStandard},
     {"-ansi", true, "", kStandard},
     {"-pedantic", false, "", kStandard},
     {"-march", true, "--mcpu=", "processors are named by --mcpu"},
     {"-mtune", true, "--mcpu=", "processors are named by --mcpu"},
     {"-cpu", true, "--mcpu=", "processors are named by --mcpu"},
     {"-mavx", false, "", kInstructions},
     {"-msse", false, "", kInstructions},
     {"-mfma", false, "", kInstructions},
     {"-mprefer-vector-width", false, "", kInstructions},
     {"-m32", true, "", "name the target: --target=i686-linux-gnu"},
     {"-m64", true, "", "leave it out, or name the target: --target=x86_64-linux-gnu"},
     {"-fopenmp", false, "", kThreads},
     {"-openmp", true, "", kThreads},
     {"-qopenmp", false, "", kThreads},
     {"-pthread", true, "", kThreads},
     {"-parallel", true, "", kThreads},
     {"-threads", true, "", kThreads},
     {"-ffast-math", true, "", "leave it out: --fp=fast is the default, which reassociates sums and contracts"},
     {"-fno-fast-math", true, "--fp=strict", ""},
     {"-fsanitize", true, "--sanitize=", "checks are chosen by --sanitize"},
     {"-fvisibility", true, "--visibility=", "symbols are hidden or not by --visibility"},
     {"-emit-llvm", true, "--emit=llvm", ""},
     {"-S", true, "--emit=asm", ""},
     {"-c", true, "", "leave it out: what 'spc compile' makes is an object; -o names it"},
     {"-E", true, "", "stages before the object are chosen by --emit: ast, plan, linalg, sparse, loops, llvm, asm"},
     {"-shared", true, "", "'spc library' makes shared libraries: spc library -o libkernels.so kernel.o ..."},
     {"-I", false, "", kNoIncludes},
     {"-l", false, "", kNoLinking},
     {"-L", false, "", kNoLinking}}};

bool isLike(const std::string &argument, const ForeignOption &foreign) {
  if (!argument.starts_with(foreign.prefix))
    return false;
  return !foreign.isWhole || argument.size() == foreign.prefix.size() || argument[foreign.prefix.size()] == '=';
}

} // namespace

bool adviseForeignOption(const std::string &argument, Span where, const std::vector<std::string> &known,
                         Diagnostic &diagnostic) {
  const bool isDoubled = argument.starts_with("--");
  const std::string name = isDoubled ? argument.substr(1) : argument;
  const auto *found = std::find_if(kForeign.begin(), kForeign.end(), [&](const ForeignOption &foreign) {
    return isLike(name, foreign) && !(isDoubled && foreign.prefix.size() == 2); // `--include` is no -I
  });
  if (found == kForeign.end())
    return false;
  const std::string like(found->like.substr(0, found->like.find('=')));
  const bool isKnown = std::find(known.begin(), known.end(), like) != known.end();
  const size_t equals = name.find('=');
  const bool needsValue = found->like.ends_with('=');
  if (isKnown && (!needsValue || (equals != std::string::npos && equals + 1 < name.size())))
    diagnostic.fix(where, std::string(found->like) + (needsValue ? name.substr(equals + 1) : ""));
  else if (!found->help.empty() && (like.empty() || isKnown))
    diagnostic.advise(std::string(found->help));
  else
    return false;
  return true;
}

} // namespace spc::driver
