// Lower bounds of boxes of machines, and values of machines: the Subject of a search with proof (codesign/search.hpp)
// over designs that map networks.
//
// A box's floor is that of one machine at least as good as all of its machines (codesign/parts.hpp): quick, by bounds
// without tiles (run/floor.hpp), and dearer, by the optimal mapper layer by layer; layers are combined by
// codesign/product_bound.hpp. A machine's value is that of its row (run/explore/mapping_evaluator.hpp).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "codesign/parts.hpp"
#include "codesign/product_bound.hpp"
#include "codesign/search.hpp"
#include "explore/store.hpp"
#include "model/lean/lean.hpp"
#include "run/explore/design.hpp"
#include "run/explore/mapping_evaluator.hpp"

namespace tilewright {

struct MachineQuestion {
    const explore::Specification& specification;  ///< of mapping_metrics()
    const std::vector<codesign::Role>& roles;     ///< by knob, of the first machine
    std::size_t metric = 0;                       ///< to minimise: energy, latency or EDP
    /// Roles on machines of another form, with other memories. Empty: the same.
    std::function<std::vector<codesign::Role>(const Architecture&)> roles_of = {};
};

/// Reason a box is ruled out, for a checker to repeat.
struct RuledOut {
    bool beyond_area = false;
    std::string limit;                         ///< the metric of a limit broken by the floors
    std::optional<std::size_t> unmappable;     ///< a layer without a mapping
    std::vector<codesign::LayerFloor> floors;  ///< by layer, unless unmappable or beyond the area
    double value = 0.0;                        ///< total of the floors
};

/// Machines of one form: one value for every knob of the role `form`.
struct MachineFamily {
    std::vector<codesign::Role> roles;
    codesign::MachineAt machine_at;  ///< outlives the parts
    std::unique_ptr<codesign::Parts> parts;
    NetworkProblem problem;             ///< on one of its machines
    std::optional<FusedProblem> fused;  ///< in its place
    MapOptions options;
};

/// A possible metric as an objective of mappings.
std::optional<Objective> objective_of(const explore::Metric& metric);

class MachineSubject : public codesign::Subject {
   public:
    /// All outlive it. Throws InputError for an impossible metric.
    MachineSubject(DesignSource& designs, const MachineQuestion& question, AnswerCache& cache, const StopSource& stop);

    std::optional<double> quick_floor(const codesign::Box& box) override;
    std::optional<double> floor(const codesign::Box& box, double enough) override;
    std::size_t knob_to_cut(const codesign::Box& box) override;
    codesign::Mapped map(explore::Point point) override;

    /// The row of a machine, mapped on first call.
    explore::Row row(explore::Point point);

    /// Evidence that no valid machine of the box is below `enough`, as far as there is.
    RuledOut ruled_out(const codesign::Box& box, double enough);
    /// The best mapping of every layer on a machine.
    NetworkAnswer mappings(explore::Point point);
    /// Requires a box of one form. Lives as long as this.
    const MachineFamily& family(const codesign::Box& box);

   private:
    /// A network on a machine at least as good as all of a box.
    struct Relaxed {
        NetworkProblem problem;
        std::optional<FusedProblem> fused;  ///< in its place, as one shape
        MapOptions options;
        std::vector<codesign::LayerFloor> floors;  ///< by shape
        /// By shape: cost of a found mapping, an upper bound of the floors.
        std::vector<std::optional<LeanCost>> found;
    };

    /// Gap between a floor of a layer's energy or cycles and a mapping of it.
    struct Gap {
        std::size_t shape = 0;
        bool energy = true;  ///< else cycles
        double share = 0.0;  ///< of the network's total
    };

    bool has_open_form(const codesign::Box& box) const;
    Design design(explore::Point point);
    void check_zeros(const Design& made, const MachineFamily& form) const;
    std::optional<Relaxed> relaxed(const codesign::Box& box);
    std::optional<double> value_of(const Relaxed& relaxed) const;
    const explore::Condition* broken_limit(const Relaxed& relaxed) const;
    std::vector<std::size_t> dearest_first(const Relaxed& relaxed) const;
    bool tighten(Relaxed& relaxed, std::size_t shape) const;
    bool tighten_fused(Relaxed& relaxed) const;
    void tighten_total(Relaxed& relaxed, const Gap& gap) const;
    std::vector<Gap> gaps(const Relaxed& relaxed) const;
    double product_of(const Relaxed& relaxed) const;
    double most_product_of(const Relaxed& relaxed) const;
    std::optional<std::size_t> tighten_until(Relaxed& relaxed, const std::function<bool()>& is_enough,
                                             double enough) const;

    DesignSource& designs_;
    const MachineQuestion question_;
    AnswerCache& cache_;
    const StopSource& stop_;
    Objective objective_;
    codesign::AreaLimit area_;
    std::mutex designing_;
    std::mutex forming_;
    std::map<std::vector<std::uint32_t>, MachineFamily> families_;  ///< by positions of those knobs
    std::mutex keeping_;
    std::map<explore::Point, explore::Row> rows_;
};

}  // namespace tilewright
