#include "timeloop/mapspace/constraint_rules.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/numbers/checked.hpp"
#include "base/numbers/factors.hpp"

namespace tilewright::timeloop {
namespace {

constexpr std::size_t kMaxStates = 1'000'000;

// Splits a fan-out's capacity among dimensions for the best average use: by prime factors, or by the closest single
// imperfect factor. Ties go to the earlier dimension and the smaller prime.
class Allocator {
   public:
    struct Best {
        std::vector<std::int64_t> factors;
        double used = 1.0;
    };

    explicit Allocator(const yaml::Node& place) : place_(place) {}

    const Best& allocate(const std::vector<std::int64_t>& extents, std::int64_t capacity) {
        const auto key = std::make_pair(extents, capacity);
        if (const auto known = known_.find(key); known != known_.end()) return known->second;
        if (known_.size() >= kMaxStates)
            place_.fail(ErrorCode::unsupported, "'maximize_dims' has too many combinations to try");
        Best best = compute(extents, capacity);
        return known_.emplace(key, std::move(best)).first->second;
    }

   private:
    Best compute(const std::vector<std::int64_t>& extents, std::int64_t capacity) {
        Best best{std::vector<std::int64_t>(extents.size(), 1), 1.0};
        if (capacity <= 1) return best;
        for (std::size_t d = 0; d < extents.size(); ++d) {
            if (extents[d] > capacity) try_imperfect(extents, d, capacity, best);
            for (const PrimePower& power : prime_factors(extents[d])) {
                if (power.prime > capacity) continue;
                std::vector<std::int64_t> rest = extents;
                rest[d] /= power.prime;
                const Best& inner = allocate(rest, capacity / power.prime);
                const double used = inner.used * static_cast<double>(power.prime);
                if (used <= best.used) continue;
                best = {inner.factors, used};
                best.factors[d] *= power.prime;
            }
        }
        return best;
    }

    static void try_imperfect(const std::vector<std::int64_t>& extents, std::size_t d, std::int64_t capacity,
                              Best& best) {
        const std::int64_t rounds = ceil_div(extents[d], capacity);
        const std::int64_t factor = ceil_div(extents[d], rounds);
        const std::int64_t last = extents[d] % factor;
        const double used = static_cast<double>(factor * (rounds - 1) + last) / static_cast<double>(rounds);
        if (used <= best.used) return;
        best = {std::vector<std::int64_t>(extents.size(), 1), used};
        best.factors[d] = factor;
    }

    const yaml::Node& place_;
    std::map<std::pair<std::vector<std::int64_t>, std::int64_t>, Best> known_;
};

void divide_by_factors(const LoopDirective& directive, std::vector<std::int64_t>& extents) {
    for (const FactorBound& factor : directive.factors)
        if (factor.relation == Relation::equal)
            extents[factor.dimension] = ceil_div(extents[factor.dimension], factor.value);
}

// Extents without the factors that are given.
std::vector<std::int64_t> undivided(const Directives& directives, const Einsum& einsum) {
    std::vector<std::int64_t> left;
    left.reserve(einsum.dimensions.size());
    for (const Dimension& dimension : einsum.dimensions) left.push_back(dimension.extent);
    for (const LoopDirective& directive : directives.temporal) divide_by_factors(directive, left);
    for (const LoopDirective& directive : directives.spatial) divide_by_factors(directive, left);
    return left;
}

void maximize(LoopDirective& directive, std::optional<std::int64_t> fanout, const Einsum& einsum,
              std::vector<std::int64_t>& left) {
    if (directive.maximize.empty()) return;
    const std::optional<std::int64_t> capacity = directive.maximize_capacity ? directive.maximize_capacity : fanout;
    if (!capacity)
        directive.place.fail(ErrorCode::missing_key,
                             "'maximize_dims' of temporal loops needs 'maximize_dims_capacity'");
    for (const std::vector<int>& group : directive.maximize) {
        std::int64_t room = *capacity;
        for (const FactorBound& factor : directive.factors)
            if (factor.relation != Relation::at_most) room /= factor.value;
        std::vector<std::int64_t> extents;
        for (const int d : group) {
            for (const FactorBound& factor : directive.factors)
                if (factor.dimension == d)
                    directive.place.fail(ErrorCode::bad_value, "'maximize_dims' names '" + einsum.dimensions[d].name +
                                                                   "', which has a factor already");
            extents.push_back(left[d]);
        }
        Allocator allocator(directive.place);
        const std::vector<std::int64_t> factors = allocator.allocate(extents, room).factors;
        for (std::size_t i = 0; i < group.size(); ++i) {
            directive.factors.push_back({group[i], Relation::equal, factors[i]});
            std::int64_t& rest = left[group[i]];
            rest = ceil_div(rest, factors[i]);
        }
    }
    directive.maximize.clear();
}

// Returns the number of dimensions moved in.
int place_units(LoopDirective& directive, const Einsum& einsum) {
    int moved = 0;
    const auto place = [&](int dimension) {
        for (const std::vector<int>* side : {&directive.inner, &directive.outer})
            if (std::find(side->begin(), side->end(), dimension) != side->end()) return;
        directive.inner.insert(directive.inner.begin(), dimension);
        directive.has_permutation = true;
        ++moved;
    };
    for (const FactorBound& factor : directive.factors)
        if (factor.value == 1 && factor.relation != Relation::rest) place(factor.dimension);
    for (int d = 0; d < einsum.dimension_count(); ++d)
        if (einsum.dimensions[d].extent == 1) place(d);
    return moved;
}

// The factor forced on the fan-out below memory `level` because no other loop may take the dimension; else 1.
std::int64_t forced_factor(int d, std::size_t level, const Directives& directives, const Architecture& architecture,
                           const Einsum& einsum) {
    const auto is_one = [d](const LoopDirective& directive) {
        return std::any_of(directive.factors.begin(), directive.factors.end(), [d](const FactorBound& factor) {
            return factor.dimension == d && factor.relation != Relation::at_least &&
                   factor.relation != Relation::rest && factor.value == 1;
        });
    };
    for (std::size_t i = 0; i < directives.temporal.size(); ++i) {
        const bool spreads = i != level && architecture.fanout(static_cast<int>(i)).size() > 1;
        if (!is_one(directives.temporal[i]) || (spreads && !is_one(directives.spatial[i]))) return 1;
    }
    return is_one(directives.spatial[level]) ? 1 : einsum.dimensions[d].extent;
}

// Whether the forced factors below `level` fit along X and Y with the first `split` dimensions along X.
bool has_room(int split, std::size_t level, const Directives& directives, const Architecture& architecture,
              const Einsum& einsum) {
    const LoopDirective& directive = directives.spatial[level];
    std::vector<int> order = directive.inner;
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        const bool is_outer = std::find(directive.outer.begin(), directive.outer.end(), d) != directive.outer.end();
        if (!is_outer && std::find(order.begin(), order.end(), d) == order.end()) order.push_back(d);
    }
    order.insert(order.end(), directive.outer.begin(), directive.outer.end());
    std::int64_t along_x = 1;
    std::int64_t along_y = 1;
    for (std::size_t i = 0; i < order.size(); ++i) {
        std::int64_t& along = static_cast<int>(i) < split ? along_x : along_y;
        along = saturating_mul(along, forced_factor(order[i], level, directives, architecture, einsum));
    }
    const Mesh fanout = architecture.fanout(static_cast<int>(level));
    return along_x <= fanout.x && along_y <= fanout.y;
}

void still(LoopDirective& directive, const Einsum& einsum) {
    if (!directive.factors.empty()) return;
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        directive.factors.push_back({d, Relation::equal, 1});
        directive.inner.push_back(d);
    }
    directive.has_permutation = true;
}

// Kept tensors of a branch of a !Parallel group: by its memories' constraints, or by `keep` of a !Nothing.
struct BranchTensors {
    TensorSet kept;
    bool named_void = false;  ///< it names a tensor absent from the problem
};

BranchTensors tensors_of(const ParallelBranch& branch, const Directives& directives, const Architecture& architecture,
                         const ConstraintNames& names) {
    BranchTensors tensors;
    const auto add = [&](const TensorSet& more) {
        tensors.kept = TensorSet::from_bits(tensors.kept.bits() | more.bits());
    };
    for (const std::string& name : branch.memories)
        if (const int index = find_memory(architecture, name); index >= 0) add(directives.keep[index]);
    for (const yaml::Node& constraints : branch.constraints) {
        const yaml::Node* dataspace = constraints.find("dataspace");
        const yaml::Node* keep = dataspace == nullptr ? nullptr : dataspace->find("keep");
        if (keep == nullptr) continue;
        const std::optional<TensorSet> named = names.tensors(*keep);
        if (named) add(*named);
        tensors.named_void = tensors.named_void || !named;
    }
    return tensors;
}

void bypass_others(const ParallelBranch& branch, const TensorSet& kept, const Architecture& architecture,
                   const TensorSet& all, Directives& directives) {
    for (const std::string& name : branch.memories) {
        const int index = find_memory(architecture, name);
        if (index < 0) continue;
        TensorSet& bypass = directives.bypass[index];
        bypass = TensorSet::from_bits(bypass.bits() | (all.bits() & ~kept.bits()));
    }
}

void refuse_second_place(const ParallelGroup& group, const Einsum& einsum, const TensorSet& kept,
                         const TensorSet& placed) {
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (kept.has(t) && placed.has(t))
            group.node.fail(ErrorCode::bad_value,
                            "the tensor '" + einsum.tensors[t].name + "' is kept in two branches of a !Parallel group");
}

void fill_void_branches(const ParallelGroup& group, const Einsum& einsum, std::vector<BranchTensors>& branches,
                        TensorSet& placed) {
    const bool any_void =
        std::any_of(branches.begin(), branches.end(), [](const BranchTensors& branch) { return branch.named_void; });
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        if (placed.has(t)) continue;
        if (!any_void)
            group.node.fail(ErrorCode::bad_value, "no branch of the !Parallel group keeps the tensor '" +
                                                      einsum.tensors[t].name +
                                                      "'; add a '!Nothing' that does if it passes by");
        const auto free = std::find_if(branches.begin(), branches.end(), [](const BranchTensors& branch) {
            return branch.named_void && branch.kept.bits() == 0;
        });
        if (free == branches.end()) return;
        free->kept.add(t);
        placed.add(t);
    }
}

}  // namespace

void maximize_dimensions(Directives& directives, const Architecture& architecture, const Einsum& einsum) {
    std::vector<std::int64_t> left = undivided(directives, einsum);
    for (int i = architecture.memory_count() - 1; i >= 0; --i)
        maximize(directives.spatial[i], architecture.fanout(i).size(), einsum, left);
    for (int i = architecture.memory_count() - 1; i >= 0; --i)
        maximize(directives.temporal[i], std::nullopt, einsum, left);
}

void bind_unshared(const MachineFile& machine, Directives& directives, const Architecture& architecture,
                   const Einsum& einsum) {
    const std::vector<std::int64_t> left = undivided(directives, einsum);
    for (const UnsharedFanout& fanout : machine.unshared) {
        const int level = find_memory(architecture, fanout.level);
        if (level < 0) continue;
        LoopDirective& directive = directives.spatial[static_cast<std::size_t>(level)];
        const auto alone = [&](int d) {  // nothing of it is left for this fan-out
            for (std::vector<int>& group : directive.maximize) std::erase(group, d);
            std::erase_if(directive.maximize, [](const std::vector<int>& group) { return group.empty(); });
            directive.factors.push_back({d, Relation::equal, 1});
        };
        for (const std::string& tensor : fanout.bound) {
            const int t = find_tensor(einsum, tensor);
            for (int d = 0; t >= 0 && d < einsum.dimension_count(); ++d) {
                if (is_relevant(einsum.tensors[t], d) || einsum.dimensions[d].extent == 1) continue;
                const bool asked = std::ranges::any_of(directive.maximize, [d](const std::vector<int>& group) {
                    return std::ranges::find(group, d) != group.end();
                });
                if (asked && left[d] > 1)
                    fanout.node.fail(ErrorCode::unsupported,
                                     "'no_reuse' of '" + tensor +
                                         "': what lies outside counts its words once for neighbours along " +
                                         einsum.dimensions[d].name + ", which 'maximize_dims' puts here");
                alone(d);
            }
        }
    }
}

void place_rest(Directives& directives, const Architecture& architecture, const Einsum& einsum) {
    const auto says = [](const LoopDirective& directive, int d, bool of_rest) {
        return std::any_of(directive.factors.begin(), directive.factors.end(), [&](const FactorBound& factor) {
            return factor.dimension == d && (!of_rest || factor.relation == Relation::rest);
        });
    };
    const std::size_t count = directives.temporal.size();
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        bool any = false;
        for (std::size_t i = 0; i < count; ++i)
            any = any || says(directives.temporal[i], d, true) || says(directives.spatial[i], d, true);
        for (std::size_t i = 0; any && i < count; ++i) {
            if (!says(directives.temporal[i], d, false)) directives.temporal[i].factors.push_back({d});
            const bool spreads = architecture.fanout(static_cast<int>(i)).size() > 1;
            if (spreads && !says(directives.spatial[i], d, false)) directives.spatial[i].factors.push_back({d});
        }
    }
}

void place_unit_dimensions(Directives& directives, const Architecture& architecture, const ConstraintNames& names) {
    const Einsum& einsum = names.einsum();
    std::vector<int> moved(directives.spatial.size(), 0);
    for (int i = 0; i < architecture.memory_count(); ++i) {
        LoopDirective& temporal = directives.temporal[i];
        if (architecture.memories[i].spreads_only) still(temporal, einsum);
        place_units(temporal, einsum);
        if (architecture.fanout(i).size() > 1) moved[i] = place_units(directives.spatial[i], einsum);
    }
    for (std::size_t i = 0; i < moved.size(); ++i) {
        std::optional<int>& split = directives.spatial[i].split;
        const Mesh fanout = architecture.fanout(static_cast<int>(i));
        if (split && *split >= einsum.dimension_count() && fanout.x == 1 && fanout.y > 1) {
            names.remark_once(directives.spatial[i].place,
                              "a 'split' behind all dimensions leaves them the axis that a fan-out has");
            split = 0;
        }
        if (!split || moved[i] == 0 || has_room(*split, i, directives, architecture, einsum)) continue;
        if (!has_room(*split + moved[i], i, directives, architecture, einsum)) continue;
        names.remark(directives.spatial[i].place,
                     "'split' counts the dimensions as the file lists them: with those of factor 1 in front of them, "
                     "as Timeloop counts, nothing would fit");
        *split += moved[i];
    }
}

void separate_branches(const MachineFile& machine, Directives& directives, const Architecture& architecture,
                       const ConstraintNames& names) {
    const Einsum& einsum = names.einsum();
    const TensorSet all = TensorSet::all(einsum.tensor_count());
    for (const ParallelGroup& group : machine.parallels) {
        TensorSet placed;
        std::vector<BranchTensors> branches;
        for (const ParallelBranch& branch : group.branches) {
            branches.push_back(tensors_of(branch, directives, architecture, names));
            refuse_second_place(group, einsum, branches.back().kept, placed);
            placed = TensorSet::from_bits(placed.bits() | branches.back().kept.bits());
        }
        fill_void_branches(group, einsum, branches, placed);
        for (std::size_t i = 0; i < branches.size(); ++i)
            bypass_others(group.branches[i], branches[i].kept, architecture, all, directives);
    }
}

}  // namespace tilewright::timeloop
