#include "certificate/perfect/by_family.hpp"

#include <algorithm>
#include <map>

#include "certificate/perfect/nests.hpp"

namespace tilewright::certificate {
namespace {

void keep(TilingPoint& point, int tensor, std::uint32_t keepers) {
    for (int l = 0; l < point.level_count(); ++l) {
        if ((keepers >> l & 1U) != 0) {
            point[l].keep.add(tensor);
        } else {
            point[l].keep.remove(tensor);
        }
    }
}

void add(const Loads& more, Loads& loads) {
    for (std::size_t i = 0; i < loads.size(); ++i) loads[i] += more[i];
}

}  // namespace

Families::Families(const Mapspace& mapspace, const Architecture& architecture)
    : mapspace_(mapspace), innermost_(static_cast<std::size_t>(architecture.memory_count())) {
    for (int l = architecture.memory_count() - 1; l >= 0; --l) {
        const bool last = l + 1 == architecture.memory_count() || !architecture.memories[l + 1].spreads_only;
        innermost_[l] = last ? l : innermost_[static_cast<std::size_t>(l) + 1];
    }
    std::map<Code, std::size_t> numbers;
    mapspace.enumerate_spatial([&](const TilingPoint& point) {
        Code code = code_of(point);
        const auto [at, is_new] = numbers.try_emplace(code, codes_.size());
        if (is_new) {
            codes_.push_back(std::move(code));
            has_several_.push_back(false);
        }
        if (!is_combined(point)) has_several_[at->second] = true;
        return true;
    });
    for (const auto& [code, number] : numbers) by_code_.push_back(number);
}

Families::Code Families::code_of(const TilingPoint& point) const {
    const int dimensions = point.dimension_count();
    Code code(static_cast<std::size_t>(point.level_count() * dimensions), 1);
    for (int l = 0; l < point.level_count(); ++l)
        for (int d = 0; d < dimensions; ++d) code[innermost_[l] * dimensions + d] *= point[l].spatial[d];
    return code;
}

bool Families::is_combined(const TilingPoint& point) const {
    for (int l = 0; l < point.level_count(); ++l) {
        if (innermost_[l] == l) continue;
        for (int d = 0; d < point.dimension_count(); ++d)
            if (point[l].spatial[d] > 1) return false;
    }
    return true;
}

TilingPoint Families::combined(std::size_t family) const {
    TilingPoint point = mapspace_.first_point();
    auto factor = codes_[family].begin();
    for (int l = 0; l < point.level_count(); ++l)
        for (int d = 0; d < point.dimension_count(); ++d) point[l].spread(d, *factor++, 1);
    return point;
}

std::string Families::text(std::size_t family) const {
    std::string text;
    auto factor = codes_[family].begin();
    for (int l = 0; l < mapspace_.level_count(); ++l) {
        std::string loops;
        for (int d = 0; d < mapspace_.dimension_count(); ++d, ++factor)
            if (*factor > 1) loops += (loops.empty() ? "s" : ".") + std::to_string(d) + "*" + std::to_string(*factor);
        if (innermost_[l] == l) text += (text.empty() ? "" : " ") + (loops.empty() ? std::string("-") : loops);
    }
    return text;
}

void Families::visit_members(const std::vector<bool>& wanted, const Visit& visit) const {
    mapspace_.enumerate_spatial([&](const TilingPoint& point) {
        const Code code = code_of(point);
        const auto code_of_family = [&](std::size_t family) -> const Code& { return codes_[family]; };
        const auto at = std::ranges::lower_bound(by_code_, code, {}, code_of_family);
        return !wanted[*at] || visit(*at, point);
    });
}

Architecture ByFamily::without_wires(const Architecture& architecture) {
    Architecture wireless = architecture;
    for (Memory& memory : wireless.memories) {
        memory.link = {};
        memory.update_link.reset();
    }
    return wireless;
}

ByFamily::ByFamily(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace, const Goal& goal,
                   Storage storage, const sparse::Design* zeros)
    : wireless_(without_wires(architecture)),
      ground_(einsum, wireless_, zeros),
      mapspace_(mapspace),
      goal_(goal),
      storage_(storage),
      families_(mapspace, architecture) {
    ground_.link_latency_cycles = Ground(einsum, architecture).link_latency_cycles;
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        std::vector<Keepers>& choices = choices_.emplace_back();
        for (Keepers keepers = 1; keepers < 1U << mapspace.level_count(); ++keepers) {
            bool allowed = true;
            for (int l = 0; l < mapspace.level_count(); ++l) {
                const bool kept = (keepers >> l & 1U) != 0;
                allowed = allowed && (kept ? mapspace.kept_tensors(l).has(t) || mapspace.free_tensors(l).has(t)
                                           : !mapspace.kept_tensors(l).has(t));
            }
            if (allowed) choices.push_back(keepers);
        }
    }
}

ByFamily::Least ByFamily::least_of(const Charges& charges, int t, const Unshared& unshared) const {
    Least least;
    least.pj = every_word_once_pj(charges, t, unshared);
    add_every_word_once(charges, t, unshared, least.loads);
    return least;
}

// One choice of every tensor at a time: they are independent.
ByFamily::LeastByTensor ByFamily::least_of(const TilingPoint& combined) const {
    LeastByTensor least(choices_.size());
    std::size_t most = 0;
    for (const std::vector<Keepers>& choices : choices_) most = std::max(most, choices.size());
    TilingPoint point = combined;
    std::vector<Unshared> unshared;
    for (std::size_t t = 0; t < choices_.size(); ++t)
        unshared.push_back(unshared_of(Charges(ground_, combined), static_cast<int>(t)));
    for (std::size_t i = 0; i < most; ++i) {
        for (std::size_t t = 0; t < choices_.size(); ++t)
            keep(point, static_cast<int>(t), choices_[t][std::min(i, choices_[t].size() - 1)]);
        const Charges charges(ground_, point);
        for (std::size_t t = 0; t < choices_.size(); ++t)
            if (i < choices_[t].size()) least[t].push_back(least_of(charges, static_cast<int>(t), unshared[t]));
    }
    return least;
}

bool ByFamily::visit_open(const TilingPoint& combined, const Visit& visit) const {
    const LeastByTensor least = least_of(combined);
    std::vector<Least> others(1);  // of the tensors before, each with its best choice in every respect
    for (const std::vector<Least>& choices : least) {
        Least best = choices.front();
        for (const Least& choice : choices) {
            best.pj = std::min(best.pj, choice.pj);
            for (std::size_t i = 0; i < best.loads.size(); ++i)
                best.loads[i] = std::min(best.loads[i], choice.loads[i]);
        }
        best.pj += others.back().pj;
        add(others.back().loads, best.loads);
        others.push_back(best);
    }
    TilingPoint point = combined;
    for (std::size_t t = 0; t < choices_.size(); ++t) keep(point, static_cast<int>(t), choices_[t].front());
    const Charges charges(ground_, point);
    const std::function<bool(std::size_t, const Least&)> choose = [&](std::size_t left, const Least& chosen) {
        Loads loads = chosen.loads;
        add(others[left].loads, loads);
        const double cycles = cycles_of(charges, loads);
        if (goal_.is_out_of_reach(cost_of(charges, chosen.pj + others[left].pj, cycles))) return true;
        if (left == 0) return visit(point, cycles);
        for (std::size_t i = 0; i < choices_[left - 1].size(); ++i) {
            keep(point, static_cast<int>(left) - 1, choices_[left - 1][i]);
            Least next = least[left - 1][i];
            next.pj += chosen.pj;
            add(chosen.loads, next.loads);
            if (!choose(left - 1, next)) return false;
        }
        return true;
    };
    return choose(choices_.size(), {charges.compute_pj(), {}});
}

bool ByFamily::has_to_be_followed(std::size_t family) const {
    return !visit_open(families_.combined(family), [](const TilingPoint&, double) { return false; });
}

FamilyFinding ByFamily::settle(std::size_t family, const std::function<bool()>& stop) const {
    FamilyFinding finding;
    std::optional<SameTiles> tiles;
    visit_open(families_.combined(family), [&](const TilingPoint& point, double cycles) {
        if (finding.reason == Reason::every_word_once) finding.reason = Reason::each_memory_alone;
        const auto leave_open = [&](bool differ, const Cost& least) {
            finding.open.push_back({point, differ, least});
            return true;
        };
        if (stop && stop()) return leave_open(false, {});
        if (!tiles) tiles.emplace(*this, point);
        const Charges charges(ground_, point);
        const auto to_come = look_at_tiles(charges, tiles->numbers, storage_, cycles, goal_);
        if (!to_come) return true;
        finding.reason = Reason::followed;
        if (members_differ(family, charges)) return leave_open(true, {});
        const std::optional<Cost> least = follow(mapspace_, charges, tiles->numbers, *to_come, goal_);
        return !least || leave_open(false, *least);
    });
    return finding;
}

std::vector<OpenChoice> ByFamily::open_choices(const TilingPoint& member, const FamilyFinding& finding,
                                               const std::function<bool()>& stop) const {
    std::vector<OpenChoice> open;
    std::optional<SameTiles> tiles;
    for (const OpenChoice& choice : finding.open) {
        TilingPoint point = member;
        for (int l = 0; l < point.level_count(); ++l) point[l].keep = choice.point[l].keep;
        if (!choice.members_differ || (stop && stop())) {
            open.push_back({point, false, choice.least});
            continue;
        }
        const Charges charges(ground_, point);
        const double cycles = every_word_once_cycles(charges);
        if (goal_.is_out_of_reach(cost_of(charges, every_word_once_pj(charges), cycles))) continue;
        if (!tiles) tiles.emplace(*this, point);
        const auto to_come = look_at_tiles(charges, tiles->numbers, storage_, cycles, goal_);
        if (!to_come) continue;
        const std::optional<Cost> least = follow(mapspace_, charges, tiles->numbers, *to_come, goal_);
        if (least) open.push_back({point, false, *least});
    }
    return open;
}

// The only member may differ from the combination, but a second look gains nothing.
bool ByFamily::members_differ(std::size_t family, const Charges& charges) const {
    if (!families_.has_several(family)) return false;
    for (int t = 0; t < charges.tensor_count(); ++t)
        for (int l = 0; l < charges.level_count(); ++l)
            if (charges.spreads_dynamically(t, l)) return true;
    return false;
}

}  // namespace tilewright::certificate
