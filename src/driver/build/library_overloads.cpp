#include "driver/build/library_kernels.h"
#include "driver/shell/front_end.h"
#include "driver/shell/session.h"

#include <algorithm>
#include <set>

namespace spc::driver {
namespace {

constexpr DiagnosticKind kOverload{"overload", Severity::Error};

constexpr const char *kForm = "write --overload spmm=spmm_f32,spmm_f64";

/// Reads the kernels of one option; false with an error reported.
class OverloadReader {
public:
  OverloadReader(Session &session, const std::string &option, const std::vector<abi::LibraryKernel> &kernels)
      : session_(session), option_(option), kernels_(kernels) {}

  std::optional<abi::Overload> read() {
    const size_t equals = option_.find('=');
    overload_.name = option_.substr(0, equals);
    const std::string &name = overload_.name;
    if (equals == std::string::npos)
      return refuse("'" + option_ + "' names no kernels", kForm);
    if (const std::string why = objectionToFunction(name); !why.empty())
      return refuse("the name '" + name + "' " + why, kForm);
    for (size_t begin = equals + 1; begin <= option_.size();) {
      const size_t end = std::min(option_.find(',', begin), option_.size());
      if (!add(option_.substr(begin, end - begin)))
        return std::nullopt;
      begin = end + 1;
    }
    if (overload_.kernels.size() < 2)
      return refuse("'" + name + "' names one kernel", kForm);
    return checkNames() ? std::optional(std::move(overload_)) : std::nullopt;
  }

private:
  std::nullopt_t refuse(const std::string &what, const std::string &help) {
    session_.usage(kOverload, session_.find(option_), what).advise(help);
    return std::nullopt;
  }

  bool add(const std::string &name) {
    std::vector<std::string> known;
    for (const abi::LibraryKernel &kernel : kernels_)
      known.push_back(kernel.signature.function);
    const size_t found = static_cast<size_t>(std::find(known.begin(), known.end(), name) - known.begin());
    if (found == known.size()) {
      const std::optional<std::string> near = didYouMean(name, known);
      refuse("there is no kernel '" + name + "' in the library", near ? "did you mean '" + *near + "'?" : kForm);
      return false;
    }
    for (size_t other : overload_.kernels)
      if (kernels_[other].signature.arguments == kernels_[found].signature.arguments) {
        if (other == found)
          refuse("the kernel '" + name + "' is named twice", kForm);
        else
          refuse("the arguments of '" + name + "' have the types of those of '" + known[other] +
                     "', so that C++ cannot choose between them",
                 "call one of them by its own name");
        return false;
      }
    overload_.kernels.push_back(found);
    return true;
  }

  /// What the overload declares must not be what a kernel outside of it declares.
  bool checkNames() {
    std::set<std::string> own;
    for (size_t kernel : overload_.kernels)
      for (const std::string &phase : kernels_[kernel].signature.phases)
        own.insert({overload_.name + phase, overload_.name + phase + "_ctx"});
    for (size_t k = 0; k < kernels_.size(); ++k) {
      const abi::ReadSignature &signature = kernels_[k].signature;
      if (signature.function == overload_.name && std::count(overload_.kernels.begin(), overload_.kernels.end(), k) > 0)
        continue;
      for (const std::string &name : signature.declaredNames())
        if (own.count(name) > 0) {
          refuse("the name '" + name + "' is one that the kernel '" + signature.function + "' takes",
                 "choose another name for the overloads");
          return false;
        }
    }
    return true;
  }

  Session &session_;
  const std::string &option_;
  const std::vector<abi::LibraryKernel> &kernels_;
  abi::Overload overload_;
};

} // namespace

std::optional<std::vector<abi::Overload>> readOverloads(Session &session, const std::vector<std::string> &options,
                                                        const std::vector<abi::LibraryKernel> &kernels) {
  std::vector<abi::Overload> overloads;
  std::set<std::string> names;
  for (const std::string &option : options)
    if (std::optional<abi::Overload> overload = OverloadReader(session, option, kernels).read()) {
      if (!names.insert(overload->name).second)
        session.usage(kOverload, session.find(option), "'" + overload->name + "' is given twice")
            .advise("name all of its kernels at once");
      overloads.push_back(std::move(*overload));
    }
  return session.failed() ? std::nullopt : std::optional(std::move(overloads));
}

} // namespace spc::driver
