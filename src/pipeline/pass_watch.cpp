#include "pipeline/pass_watch.h"

#include "dialect/attributes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

#include <map>
#include <set>
#include <utility>

namespace spc::pipeline {
namespace {

/// The loops of a function: how many have no place in the plan, and the places that the others have.
struct LoopPlaces {
  int unplaced = 0;
  std::set<std::pair<int64_t, int64_t>> places;
};

/// The loops of each function that a pass runs on, by its name.
std::map<std::string, LoopPlaces> placesIn(mlir::Operation *scope) {
  std::map<std::string, LoopPlaces> functions;
  scope->walk([&](mlir::Operation *op) {
    if (!mlir::isa<mlir::scf::ForOp, mlir::scf::WhileOp>(op))
      return;
    LoopPlaces &loops = functions[op->getParentOfType<mlir::FunctionOpInterface>().getName().str()];
    if (const dialect::PlaceAttr place = dialect::placeOf(op))
      loops.places.emplace(place.getNest(), place.getLoop());
    else
      ++loops.unplaced;
  });
  return functions;
}

class PassWatch : public mlir::PassInstrumentation {
public:
  PassWatch(PassFaults &faults, bool keepsPlaces) : faults_(faults), keepsPlaces_(keepsPlaces) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override {
    if (watches(pass))
      before_ = placesIn(op);
  }

  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override {
    if (!watches(pass))
      return;
    for (auto &[function, now] : placesIn(op)) {
      const LoopPlaces &then = before_[function];
      for (const auto &place : then.places)
        if (now.unplaced > then.unplaced && !now.places.contains(place))
          faults_.lost = pass->getArgument().str() + ": no loop of '" + function + "' has the place <" +
                         std::to_string(place.first) + ", " + std::to_string(place.second) +
                         "> any more, and more have none";
    }
  }

  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *) override {
    if (!isAdaptor(pass))
      faults_.failed += (faults_.failed.empty() ? "" : " within ") + pass->getArgument().str();
  }

private:
  /// Whether a pass does nothing but run others on what is inside.
  static bool isAdaptor(mlir::Pass *pass) { return pass->getArgument().empty(); }
  bool watches(mlir::Pass *pass) const { return keepsPlaces_ && faults_.lost.empty() && !isAdaptor(pass); }

  PassFaults &faults_;
  const bool keepsPlaces_;
  std::map<std::string, LoopPlaces> before_; ///< the pass that runs, none of which runs within another
};

} // namespace

std::unique_ptr<mlir::PassInstrumentation> watchPasses(PassFaults &faults, bool keepsPlaces) {
  return std::make_unique<PassWatch>(faults, keepsPlaces);
}

} // namespace spc::pipeline
