#include "fusion/hierarchy/open_leaves.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "mapping/fused/fused_mapping.hpp"
#include "model/fused/costs.hpp"
#include "model/fused/model.hpp"

namespace tilewright::fusion {
namespace {

constexpr double kClose = 1e-8;  // sums in another order

std::string box_text(const Einsum& einsum, const std::vector<std::int64_t>& extents) {
    std::string text;
    for (std::size_t d = 0; d < extents.size(); ++d)
        text += " " + einsum.dimensions[d].name + "=" + std::to_string(extents[d]);
    return text;
}

}  // namespace

OpenLeaves::OpenLeaves(const Cascade& cascade, const Architecture& architecture,
                       const std::vector<Constraints>& demands, const StopSource* stop)
    : cascade_(cascade), architecture_(architecture), stop_(stop), mapper_(cascade, architecture, demands, stop) {}

// What the stores that are reserved while the leaf runs leave of their memories.
LeafPlace OpenLeaves::place_of(const FusedTree& tree, const fused::Reservations& stores, int leaf,
                               std::vector<FusedViolation>& violations) const {
    LeafPlace place{fused::held_in(cascade_, tree, leaf), {}};
    place.bits.resize(architecture_.memories.size());
    for (int m = 0; m < architecture_.memory_count(); ++m) {
        const Memory& memory = architecture_.memories[m];
        const std::optional<std::int64_t> usable = memory.usable_words();
        std::vector<std::string> parts;
        const std::int64_t bits = stores.bits(m, leaf, &parts);
        const std::int64_t words = ceil_div(bits, memory.word_bits);
        if (!usable || parts.empty()) continue;
        place.bits[m] = checked_mul(*usable, memory.word_bits) - bits;
        const std::string& name = cascade_.einsums[tree.leaf(leaf)->einsum].name;
        if (words > *usable && violations.empty())
            violations.push_back({fused::too_many_words(memory.name, words, *usable, name, parts), leaf});
    }
    return place;
}

std::vector<OpenLeaves::Asked> OpenLeaves::asked_of(const FusedTree& tree,
                                                    std::vector<FusedViolation>& violations) const {
    const fused::WalkCounts counts = fused::walk_boxes(cascade_, tree, stop_);
    const fused::Reservations stores(cascade_, architecture_, tree, counts.stores);
    violations = counts.violations;
    std::vector<Asked> asked;
    for (const auto& [call, times] : counts.calls) {
        const FusedLeaf& leaf = *tree.leaf(call.leaf);
        if (!is_open(leaf)) continue;
        const auto same = std::ranges::find_if(asked, [&](const Asked& one) {  // with results that go on, or none
            return one.leaf == call.leaf && one.extents == call.extents;
        });
        if (same != asked.end())
            same->calls += times;
        else
            asked.push_back(
                {call.leaf, leaf.einsum, call.extents, times, place_of(tree, stores, call.leaf, violations)});
    }
    return asked;
}

// The best with all of the memories is the best with less of them where it fits.
const LeafMapping* OpenLeaves::best(const Asked& asked, ObjectiveKind kind) {
    const LeafPlace all{asked.place.held_in, std::vector<std::optional<std::int64_t>>(asked.place.bits.size())};
    const LeafMapping* found = mapper_.best(asked.einsum, asked.extents, all, kind);
    if (found == nullptr) return nullptr;
    if (has_room(*found, asked.place)) return found;
    found = mapper_.best(asked.einsum, asked.extents, asked.place, kind);
    return found != nullptr && found->fits ? found : nullptr;
}

OpenLeaves::Chosen OpenLeaves::best_of(const std::vector<Asked>& asked, ObjectiveKind kind,
                                       std::vector<FusedViolation>& violations) {
    Chosen chosen;
    for (const Asked& one : asked) {
        chosen.push_back(best(one, kind));
        if (chosen.back() != nullptr) continue;
        const CascadeEinsum& einsum = cascade_.einsums[one.einsum];
        std::vector<std::string> left;
        for (std::size_t m = 0; m < one.place.bits.size(); ++m)
            if (one.place.bits[m])
                left.push_back(std::to_string(*one.place.bits[m] / architecture_.memories[m].word_bits) + " words of " +
                               architecture_.memories[m].name);
        violations.push_back({"leaf '" + einsum.name + "' on a box" + box_text(einsum.einsum, one.extents) +
                                  ": no mapping fits" +
                                  (left.empty() ? "" : " into what the stores leave: " + list_words(left)),
                              one.leaf});
        return {};
    }
    return chosen;
}

double OpenLeaves::bound(const FusedTree& tree, const std::vector<Asked>& asked, const Chosen& chosen,
                         const fused::Evaluation& evaluation, ObjectiveKind kind) {
    const auto cost = [&](const auto& part) {
        return kind == ObjectiveKind::energy ? part.energy_pj : static_cast<double>(part.cycles);
    };
    double sum = 0.0;
    for (const fused::StoreCost& store : evaluation.stores) sum += cost(store);
    for (const fused::LeafCost& leaf : evaluation.leaves)
        if (!is_open(*tree.leaf(leaf.leaf))) sum += cost(leaf);
    for (std::size_t i = 0; i < asked.size(); ++i) sum += static_cast<double>(asked[i].calls) * chosen[i]->bound;
    return sum;
}

// The tree with these leaves, if it is the best so far.
void OpenLeaves::offer(const FusedMapping& tree, const std::vector<Asked>& asked, const Chosen& chosen,
                       const Objective& objective, FilledTree& filled) const {
    FusedMapping mapping = tree;
    for (std::size_t i = 0; i < asked.size(); ++i) {
        auto& nests = std::get<FusedLeaf>(mapping.nodes[asked[i].leaf].what).nests;
        std::erase_if(nests, [](const LeafNest& nest) { return nest.box.empty(); });
        nests.push_back(chosen[i]->nest);
    }
    fused::Answer answer = fused::evaluate(cascade_, architecture_, mapping, stop_);
    if (!answer.evaluation) {
        if (!filled.evaluation) filled.violations = std::move(answer.violations);
        return;
    }
    const auto score = [&](const fused::Evaluation& one) {
        return objective.score(one.energy_pj, static_cast<double>(one.cycles));
    };
    if (filled.evaluation && !(score(*answer.evaluation) < score(*filled.evaluation))) return;
    filled.violations.clear();
    filled.mapping = std::move(mapping);
    filled.evaluation = std::move(answer.evaluation);
}

// Of each leaf the best of energy, cycles and product, by the tangent of the product at the best tree so far.
void OpenLeaves::fill_product(const FusedMapping& mapping, const std::vector<Asked>& asked, const Objective& objective,
                              FilledTree& filled) {
    std::vector<Chosen> all;
    for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency, ObjectiveKind::edp}) {
        all.push_back(best_of(asked, kind, filled.violations));
        if (!filled.violations.empty()) return;
        offer(mapping, asked, all.back(), objective, filled);
    }
    if (!filled.evaluation) return;
    const double energy_pj = filled.evaluation->energy_pj;
    const auto cycles = static_cast<double>(filled.evaluation->cycles);
    const auto value = [&](const LeafMapping& leaf) { return leaf.energy_pj / energy_pj + leaf.cycles / cycles; };
    Chosen mixed = all.front();
    for (const Chosen& one : all)
        for (std::size_t i = 0; i < mixed.size(); ++i)
            if (value(*one[i]) < value(*mixed[i])) mixed[i] = one[i];
    offer(mapping, asked, mixed, objective, filled);
    const FusedTree tree(cascade_, mapping);
    filled.bound = bound(tree, asked, all[0], *filled.evaluation, ObjectiveKind::energy) *
                   bound(tree, asked, all[1], *filled.evaluation, ObjectiveKind::latency);
}

FilledTree OpenLeaves::fill(const FusedMapping& mapping, const Objective& objective) {
    FilledTree filled{check_fused(cascade_, architecture_, mapping), mapping, std::nullopt};
    if (!filled.violations.empty()) return filled;
    const FusedTree tree(cascade_, mapping);
    const std::vector<Asked> asked = asked_of(tree, filled.violations);
    if (!filled.violations.empty()) return filled;
    for (const int leaf : tree.all_leaves()) filled.open += is_open(*tree.leaf(leaf)) ? 1 : 0;
    filled.boxes = static_cast<int>(asked.size());
    if (objective.kind == ObjectiveKind::edp) {
        fill_product(mapping, asked, objective, filled);
    } else {
        const Chosen chosen = best_of(asked, objective.kind, filled.violations);
        if (!filled.violations.empty()) return filled;
        offer(mapping, asked, chosen, objective, filled);
        if (filled.evaluation) filled.bound = bound(tree, asked, chosen, *filled.evaluation, objective.kind);
    }
    if (!filled.evaluation) return filled;
    const double value =
        objective.score(filled.evaluation->energy_pj, static_cast<double>(filled.evaluation->cycles)).value;
    if (filled.bound > value * (1.0 + kClose))
        throw std::logic_error("the tree's leaves cost " + std::to_string(value) + ", less than their bound, " +
                               std::to_string(filled.bound));
    filled.proven = filled.bound >= value * (1.0 - kClose);
    filled.bound = std::min(filled.bound, value);
    return filled;
}

}  // namespace tilewright::fusion
