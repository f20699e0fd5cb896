// Savings of a gating or skipping option: the probability of all-zero operands for one access of the target (Timeloop,
// sparse-analysis/storage-gs-analyzer.cpp).
#include <cmath>

#include "timeloop/sparse/state.hpp"

namespace tilewright::account {
namespace {

/// First of the loops deciding an access's operands.
struct TargetLoop {
    int storage = 0;
    int index = 0;
    bool scalar = false;  ///< every access has operands of its own
};

struct RelevantLoop {
    int dimension = 0;
    std::int64_t bound = 1;
};

struct Impact {
    int target = 0;
    int storage = 0;  ///< source of the target
    double share = 0.0;
    double words = 0.0;  ///< expected there, with metadata where counted
};

class ImpactOf {
   public:
    ImpactOf(const SparseState& state, int storage, const sparse::Option& option)
        : state_(state), option_(option), source_(source_of(storage)) {
        child_ = state.tensors[option.target][source_].child;
    }

    Impact run() {
        target_ = target_loop();
        const FullLoop& loop = state_.loops[target_.storage][target_.index];
        inner_ = target_.scalar ? state_.one() : loop.box;
        spatial_ = loop.is_spatial();
        dimension_ = loop.dimension;
        find_relevant();
        double effectual = 1.0;
        for (const int condition : option_.conditions) effectual *= 1.0 - empty(condition);
        return {option_.target, source_, 1.0 - effectual, words()};
    }

   private:
    int source_of(int storage) const {
        const std::vector<SparseTensor>& levels = state_.tensors[option_.target];
        for (int s = storage; s < state_.storages(); ++s)
            if (levels[s].kept()) return s;
        state_.refuse(storage, "no memory from here outwards keeps '" + state_.einsum.tensors[option_.target].name +
                                   "', whose accesses it gates or skips; Timeloop exits on it");
    }

    bool moves_target(int dimension) const { return state_.is_relevant(option_.target, dimension); }

    /// Whether a loop is the target loop for a target bound for the compute units; a temporal one is by itself.
    bool ends_units(const std::vector<FullLoop>& level, int index, bool& scalar) const {
        const bool is_last = index + 1 >= static_cast<int>(level.size());
        if (is_last || !level[index + 1].is_spatial()) {
            scalar = !level[index].is_spatial();
            return true;
        }
        return moves_target(level[index].dimension) && level[index].bound > 1;
    }

    TargetLoop target_loop() const {
        for (int s = child_ + 1; s <= source_; ++s) {
            const std::vector<FullLoop>& level = state_.loops[s];
            for (int j = 0; j < static_cast<int>(level.size()); ++j) {
                bool scalar = false;
                const bool found =
                    child_ >= 0 ? level[j].bound > 1 && moves_target(level[j].dimension) : ends_units(level, j, scalar);
                if (found) return {s, j, scalar};
            }
        }
        return {source_, static_cast<int>(state_.loops[source_].size()) - 1, false};
    }

    /// Loops outside the target loop spanned by one access, and its operands' box.
    void find_relevant() {
        met_ = inner_;
        relevant_ = {{dimension_, state_.loops[target_.storage][target_.index].bound}};
        bool located = !spatial_;
        for (int s = target_.storage; s <= source_; ++s) {
            const std::vector<FullLoop>& level = state_.loops[s];
            for (int j = s == target_.storage ? target_.index + 1 : 0; j < static_cast<int>(level.size()); ++j) {
                const FullLoop& loop = level[j];
                if (loop.bound == 1) continue;
                const bool lasts = !located && child_ >= 0 && !moves_target(loop.dimension);
                if (loop.is_spatial() || lasts) {
                    met_[loop.dimension] *= loop.bound;
                    relevant_.push_back({loop.dimension, loop.bound});
                }
                if (spatial_ && !loop.is_spatial() && (child_ < 0 || moves_target(loop.dimension))) located = true;
            }
        }
    }

    /// By dimension, loops relevant to both the target and a condition; 0: none.
    struct Shared {
        std::vector<double> factor;
        double all = 1.0;
        bool ineffective = false;
    };

    Shared shared_with(int condition) const {
        Shared shared;
        shared.factor.assign(state_.einsum.dimensions.size(), 0.0);
        bool any = false;
        for (const RelevantLoop& loop : relevant_) {
            if (target_.scalar) break;
            const bool moves = state_.is_relevant(condition, loop.dimension);
            if (spatial_ && any && moves) {
                shared.ineffective = true;
                break;
            }
            if (!moves || !moves_target(loop.dimension)) continue;
            double& factor = shared.factor[loop.dimension];
            factor = (factor == 0.0 ? 1.0 : factor) * static_cast<double>(loop.bound);
            shared.all *= static_cast<double>(loop.bound);
            any = true;
        }
        return shared;
    }

    /// Probability of an empty condition under one access; 0 without effect.
    double empty(int condition) const {
        const Shared shared = shared_with(condition);
        if (shared.ineffective) return 0.0;
        const auto words = static_cast<double>(sparse::elements(state_.tile(option_.target, inner_)));
        double need = std::ceil(static_cast<double>(state_.memory(source_).block_words) / (words / shared.all));
        Extents box = met_;
        for (std::size_t d = 0; d < box.size(); ++d) {
            if (shared.factor[d] == 0.0) continue;
            const double part = shared.factor[d] / need;
            box[d] = static_cast<std::int64_t>(std::ceil(static_cast<double>(box[d]) / part));
            need /= shared.factor[d];
        }
        if (need > 1.0) box[dimension_] = static_cast<std::int64_t>(static_cast<double>(box[dimension_]) * need);
        return state_.occupancy[condition]->empty(state_.tile(condition, box));
    }

    double words() const {
        const std::vector<SparseTensor>& levels = state_.tensors[option_.target];
        double words = levels[source_].expected_words;
        const Memory& memory = state_.memory(source_);
        const std::int64_t whole = state_.built(source_).metadata_word_bits / memory.word_bits;
        const auto ratio = static_cast<double>(whole);
        for (const Units& units : levels[child_ < 0 ? source_ : child_].expected_units)
            words += (units.metadata + units.payload) * ratio;
        return words;
    }

    const SparseState& state_;
    const sparse::Option& option_;
    int source_ = 0;
    int child_ = -1;  ///< -1: the compute units
    TargetLoop target_;
    Extents inner_;
    Extents met_;
    bool spatial_ = false;
    int dimension_ = 0;
    std::vector<RelevantLoop> relevant_;
};

/// The option with the largest saving; on ties the last.
Impact best_of(const SparseState& state, int storage, const sparse::OptionGroup& group) {
    double most = 0.0;
    std::optional<Impact> best;
    for (const sparse::Option& option : group) {
        const Impact impact = ImpactOf(state, storage, option).run();
        const Memory& memory = state.memory(impact.storage);
        const double energy = memory.energy.read_pj.value / static_cast<double>(memory.block_words);
        const double saved = energy * impact.words * impact.share;
        if (!(saved >= most)) continue;
        most = saved;
        best = impact;
    }
    return best ? *best : ImpactOf(state, storage, group.front()).run();
}

void choose(SparseState& state, std::vector<sparse::OptionGroup> sparse::MemoryDesign::* groups, bool gates) {
    for (int s = 0; s < state.storages(); ++s)
        for (const sparse::OptionGroup& group : state.built(s).*groups) {
            const Impact best = best_of(state, s, group);
            Avoided& avoided = state.avoided[best.target][best.storage];
            const bool taken = avoided.gates || avoided.skips;
            if (taken && avoided.share >= best.share) continue;
            avoided.gates = gates;
            avoided.skips = !gates;
            avoided.share = best.share;
        }
}

}  // namespace

void choose_avoided(SparseState& state) {
    choose(state, &sparse::MemoryDesign::gating, true);
    choose(state, &sparse::MemoryDesign::skipping, false);
}

}  // namespace tilewright::account
