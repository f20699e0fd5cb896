// Lower bounds of boxes of packages, and values of packages: the Subject of a search with proof (codesign/search.hpp)
// over designs that plan a cascade.
//
// A box's packages of one form are bounded by one that is at least as good as all of them (package_relaxation.hpp); a
// box of several forms by the least of these. Floors are bounds of the search for plans with the leaves at their
// floors: quick, before it looks into any run, and dearer, when it is done or has passed what rules the box out.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "codesign/search.hpp"
#include "explore/store.hpp"
#include "multicore/search/optimize.hpp"
#include "run/explore/package_evaluator.hpp"

namespace tilewright {

class PackageSubject : public codesign::Subject {
   public:
    /// All outlive it; `subject` has the objective. Throws InputError where no point of the space is a package.
    PackageSubject(const ExploredPackage& subject, const explore::Specification& specification, std::size_t metric,
                   const StopSource& stop);

    std::optional<double> quick_floor(const codesign::Box& box) override;
    std::optional<double> floor(const codesign::Box& box, double enough) override;
    std::size_t knob_to_cut(const codesign::Box& box) override;
    codesign::Mapped map(explore::Point point) override;
    /// Planning a package takes far longer than to see that it is worse.
    bool floors_machines() const override { return true; }
    /// The value of a plan that stands early: quick floors do not see links.
    double promise(const codesign::Box& box) override;

    /// Of a package, planned on first call.
    PlannedPackage planned(explore::Point point);

   private:
    /// At least as good as some packages of one form.
    struct Relaxed {
        package::Package package;
        std::size_t demands = 0;  ///< of its kinds, among demands_
        ConstraintsOfKind constraints;
    };
    struct QuickFloor {
        std::size_t forms = 0;  ///< of the box's packages
        double value = 0.0;
    };

    std::optional<Relaxed> read(explore::Point point);
    std::size_t number_of(const PackageMachine& machine);
    std::vector<Relaxed> relaxed(const codesign::Box& box);
    QuickFloor quick(const codesign::Box& box);
    /// The search for plans with leaves at their floors.
    multicore::Answer floored(const Relaxed& relaxed, const StopSource& stop,
                              const multicore::TellProgress& tell) const;
    double bound(const Relaxed& relaxed, const StopSource& stop, double enough) const;

    const ExploredPackage& subject_;
    const explore::Specification& specification_;
    std::size_t metric_;
    const StopSource& stop_;
    std::vector<std::optional<Relaxed>> packages_;   // by point
    std::vector<std::vector<Constraints>> demands_;  // that differ, by kind and einsum
    std::string failure_;                            // of the first point that is no package
    std::mutex keeping_;
    std::map<codesign::Box, QuickFloor> quick_;
    std::map<explore::Point, PlannedPackage> planned_;
};

}  // namespace tilewright
