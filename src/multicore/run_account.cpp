#include "multicore/run_account.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>

namespace tilewright::multicore {
namespace {

// Combinations of parts by core of the team, the first split slowest.
std::vector<std::vector<int>> digits_of(const package::Stage& stage) {
    std::vector<std::vector<int>> digits;
    for (std::size_t j = 0; j < stage.team.size(); ++j) {
        std::vector<int> one(stage.split.size());
        std::size_t rest = j;
        for (std::size_t s = stage.split.size(); s > 0; --s) {
            const auto parts = static_cast<std::size_t>(stage.split[s - 1].parts);
            one[s - 1] = static_cast<int>(rest % parts);
            rest /= parts;
        }
        digits.push_back(std::move(one));
    }
    return digits;
}

std::int64_t members_of(const Worker& worker, const package::Stage& stage) {
    std::int64_t members = 1;
    for (const package::Split& split : stage.split)
        if (worker.axis_of[split.dimension] < 0) members *= split.parts;
    return members;
}

// Of the same source and set one.
void sum_flows(std::vector<Flow>& flows) {
    std::ranges::sort(flows, {}, [](const Flow& flow) { return std::pair(flow.from, flow.to); });
    std::size_t count = 0;
    for (const Flow& flow : flows)
        if (count > 0 && flows[count - 1].from == flow.from && flows[count - 1].to == flow.to)
            flows[count - 1].words += flow.words;
        else
            flows[count++] = flow;
    flows.resize(count);
}

std::vector<std::int64_t> sums_of_rows(const std::vector<std::int64_t>& flat, int width) {
    std::vector<std::int64_t> sums(flat.size() / width, 0);
    for (std::size_t i = 0; i < flat.size(); ++i) sums[i / width] += flat[i];
    return sums;
}

std::int64_t cycles_at(std::int64_t words, double rate) {
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(words) / rate));
}

}  // namespace

// Boxes that cover a cell.
struct RunAccount::Cell {
    std::int64_t words = 0;
    std::span<const std::int64_t> by_dram;
    package::NodeSet kept = 0;                       // cores that keep it
    std::array<int, package::kMaxCores> first = {};  // slots of need, by core that keeps it
    std::array<int, package::kMaxCores> last = {};
    std::vector<std::pair<int, int>> streamed;  // slot, core
    std::vector<std::pair<int, int>> made;      // slot, core
    const Use* owner = nullptr;
    std::vector<Stay> stays;

    void clear() {
        kept = 0;
        streamed.clear();
        made.clear();
        owner = nullptr;
        stays.clear();
    }
    void take(const Use& use) {
        switch (use.sort) {
            case Use::Sort::streamed: streamed.emplace_back(use.slot, use.core); break;
            case Use::Sort::made: made.emplace_back(use.slot, use.core); break;
            case Use::Sort::owned: owner = &use; break;
            case Use::Sort::need:
                const package::NodeSet bit = package::NodeSet{1} << use.core;
                first[use.core] = (kept & bit) != 0 ? std::min(first[use.core], use.slot) : use.slot;
                last[use.core] = (kept & bit) != 0 ? std::max(last[use.core], use.slot) : use.slot;
                kept |= bit;
                break;
        }
    }
};

RunAccount::RunAccount(const Problem& problem, const package::Network& network, Leaves& leaves, const package::Run& run,
                       const Made& made, const StageSets& stages, bool disjoint, const LeastSending& sending)
    : problem_(problem),
      network_(network),
      leaves_(leaves),
      run_(run),
      made_(made),
      stages_(stages),
      disjoint_(disjoint),
      sending_(sending),
      uses_(problem.cascade().tensors.size()) {
    place_stages();
    const std::size_t slots = slots_ + 1;
    busy_.assign(slots * problem.package().cores.size(), 0);
    room_.assign((slots + 1) * problem.package().cores.size(), 0);
    load_.assign(slots * network.links().size(), 0);
    port_.assign(slots * problem.package().drams.size(), 0);
    hops_.assign(slots, 0);
}

// Slots of the first step of every stage.
void RunAccount::place_stages() {
    const int count = run_.last - run_.first + 1;
    offsets_.assign(count, 0);
    lags_.assign(count, 1);
    slots_ = 0;
    for (int k = 0; k < count; ++k) {
        if ((stages_.placed >> k & 1U) == 0) continue;
        if (members_of(problem_.worker(run_.first + k), run_.stages[k]) > 1) lags_[k] = 2;
        for (int p = 0; p < k; ++p)
            if ((stages_.placed >> p & 1U) != 0 && problem_.depends(run_.first + k, run_.first + p))
                offsets_[k] = std::max(offsets_[k], offsets_[p] + lags_[p]);
        slots_ = std::max(slots_, offsets_[k] + made_.steps - 1 + lags_[k]);
    }
}

Evaluated RunAccount::settle(Detail* detail, Parts* parts) {
    parts_ = parts;
    if (detail != nullptr) begin(*detail);
    for (int e = run_.first; e <= run_.last; ++e) {
        if (!has(e)) continue;
        if (const Refusal why = add_stage(e); why != Refusal::none) return {why, e, {}};
    }
    for (std::size_t t = 0; t < uses_.size(); ++t)
        if (!uses_[t].empty()) add_tensor(static_cast<int>(t), uses_[t]);
    if (parts_ != nullptr) sum_flows(parts_->flows);
    return time();
}

void RunAccount::begin(Detail& detail) {
    const package::Package& package = problem_.package();
    detail = {};
    detail.steps.assign(run_.last - run_.first + 1, std::vector<std::int64_t>(slots_ + 1, 0));
    detail.cores.resize(package.cores.size());
    detail.dram_pj.resize(package.drams.size(), 0.0);
    detail.tensors.resize(problem_.cascade().tensors.size());
    detail_ = &detail;
}

// Adds words of a tensor to a core's room from one slot to another.
void RunAccount::hold(int tensor, int core, int from, int to, std::int64_t words) {
    const std::size_t cores = problem_.package().cores.size();
    room_[(from + 1) * cores + core] += words;
    room_[(to + 2) * cores + core] -= words;
    if (detail_ == nullptr) return;
    auto& room = detail_->tensors[tensor].room;
    room.resize(slots_ + 1, std::vector<std::int64_t>(cores, 0));
    for (int slot = from; slot <= to; ++slot) room[slot + 1][core] += words;
}

void RunAccount::spend(double Energy::* cause, int core, double energy_pj) {
    cost_.energy.*cause += energy_pj;
    if (detail_ != nullptr) detail_->cores[core].*cause += energy_pj;
}

Refusal RunAccount::add_stage(int einsum) {
    const std::vector<std::vector<int>> digits = digits_of(run_.stages[einsum - run_.first]);
    for (int i = 0; i < made_.steps; ++i) {
        if (is_empty(made_.of(einsum)[i])) continue;
        if (const Refusal why = add_step(einsum, i, digits); why != Refusal::none) return why;
    }
    add_late_makers(einsum);
    return Refusal::none;
}

Refusal RunAccount::add_step(int einsum, int step, const std::vector<std::vector<int>>& digits) {
    const package::Stage& stage = run_.stages[einsum - run_.first];
    const Worker& worker = problem_.worker(einsum);
    const int slot = offsets_[einsum - run_.first] + step;
    const Box points = problem_.points_behind(einsum, made_.of(einsum)[step]);
    for (const package::Split& split : stage.split)
        if (points[split.dimension].size() < split.parts) return Refusal::parts;
    std::vector<Part> parts;
    std::map<std::vector<int>, std::vector<int>> families;
    for (std::size_t j = 0; j < stage.team.size(); ++j) {
        Part part{stage.team[j], points};
        std::vector<int> family;
        for (std::size_t s = 0; s < stage.split.size(); ++s) {
            const package::Split& split = stage.split[s];
            part.points[split.dimension] = part_of(points[split.dimension], digits[j][s], split.parts);
            if (worker.axis_of[split.dimension] >= 0) family.push_back(digits[j][s]);
        }
        families[family].push_back(static_cast<int>(j));
        parts.push_back(std::move(part));
    }
    for (const Part& part : parts) add_leaf(einsum, slot, part);
    for (const auto& [key, members] : families) {
        std::vector<const Part*> family;
        for (const int member : members) family.push_back(&parts[member]);
        if (const Refusal why = add_family(einsum, slot, family); why != Refusal::none) return why;
    }
    return Refusal::none;
}

void RunAccount::add_leaf(int einsum, int slot, const Part& part) {
    const package::Package& package = problem_.package();
    const package::CoreKind& kind = package.kind_of(part.core);
    const std::size_t place = static_cast<std::size_t>(slot + 1) * package.cores.size() + part.core;
    Extents extents;
    for (const Span& span : part.points) extents.push_back(span.size());
    const LeafCost leaf = leaves_.of(einsum, package.cores[part.core].kind, extents);
    busy_[place] += leaf.cycles;
    cost_.is_exact = cost_.is_exact && leaf.is_exact;
    spend(&Energy::leaves, part.core, leaf.energy_pj);
    if (detail_ != nullptr) {
        std::int64_t& slowest = detail_->steps[einsum - run_.first][slot + 1];
        slowest = std::max(slowest, leaf.cycles);
    }
    cost_.counts.operations += leaf.operations;
    cost_.counts.leaf_reads += leaf.reads;
    cost_.counts.leaf_writes += leaf.writes;
    const package::Stage& stage = run_.stages[einsum - run_.first];
    for (const Reading& reading : problem_.worker(einsum).reads) {
        if (!is_known(einsum, reading.tensor)) continue;
        Box box = problem_.touched(einsum, reading, part.points);
        if (is_empty(box)) continue;
        const bool is_streamed = (stage.streamed >> reading.operand & 1U) != 0;
        if (is_streamed) hold(reading.tensor, part.core, slot, slot, std::min(kind.window_words, words_of(box)));
        uses_[reading.tensor].push_back(
            {is_streamed ? Use::Sort::streamed : Use::Sort::need, part.core, slot, slot, std::move(box)});
    }
    for (const int tensor : problem_.worker(einsum).results)
        uses_[tensor].push_back({Use::Sort::made, part.core, slot, slot, problem_.result_of(einsum, part.points)});
}

// Cores that hold partial sums of the same box, in the order of the team.
Refusal RunAccount::add_family(int einsum, int slot, const std::vector<const Part*>& family) {
    const package::Stage& stage = run_.stages[einsum - run_.first];
    const Box result = problem_.result_of(einsum, family.front()->points);
    const auto members = static_cast<std::int64_t>(family.size());
    const bool is_root = members == 1 || stage.sums.way == package::Sums::Way::root;
    if (!is_root && result[stage.sums.axis].size() < members) return Refusal::parts;
    const int sent = slot + lags_[einsum - run_.first] - 1;
    for (int m = 0; m < (is_root ? 1 : members); ++m) {
        Box owned = result;
        if (!is_root) owned[stage.sums.axis] = part_of(result[stage.sums.axis], m, members);
        if (members > 1) add_sum(einsum, slot, family, m, words_of(owned));
        for (const int tensor : problem_.worker(einsum).results)
            uses_[tensor].push_back({Use::Sort::owned, family[m]->core, slot, sent, owned});
    }
    return Refusal::none;
}

// Partial sums of a part of every result's box: to the owner, or from each member to the next one, the owner last.
void RunAccount::add_sum(int einsum, int slot, const std::vector<const Part*>& family, int owner,
                         std::int64_t words_of_one) {
    const package::Package& package = problem_.package();
    const package::Stage& stage = run_.stages[einsum - run_.first];
    const std::vector<int>& results = problem_.worker(einsum).results;
    const std::int64_t words = words_of_one * static_cast<std::int64_t>(results.size());
    const int members = static_cast<int>(family.size());
    const bool is_ring = stage.sums.way == package::Sums::Way::ring;
    std::int64_t chain = 0;
    for (int i = 1; i < members; ++i) {
        const int sender = (owner + i) % members;
        const int from = family[sender]->core;
        const int to = family[is_ring ? (sender + 1) % members : owner]->core;
        chain += network_.latency(from, to);
        for (const int tensor : results)
            travel(tensor, slot, from, package::NodeSet{1} << to, words_of_one * package.partial_words);
        cost_.counts.partials += words;
        const package::CoreKind& kind = package.kind_of(to);
        spend(&Energy::sums, from, static_cast<double>(words) * package.kind_of(from).read_pj);
        spend(&Energy::sums, to, static_cast<double>(words) * (kind.read_pj + kind.write_pj + kind.operation_pj));
    }
    if (is_ring) hops_[slot + 1] = std::max(hops_[slot + 1], chain);
}

// Of part of a run: tensors from outside only where all their readers are in the account.
bool RunAccount::is_known(int einsum, int tensor) const {
    if (is_inside(tensor)) return true;
    return std::ranges::all_of(problem_.readers(tensor), [&](int reader) {
        return reader == einsum || reader < run_.first || reader > run_.last || has(reader);
    });
}

// What stages outside the account make: the latest slot in which it may arrive.
void RunAccount::add_late_makers(int einsum) {
    for (const Reading& reading : problem_.worker(einsum).reads) {
        const int maker = problem_.maker(reading.tensor);
        if (!is_inside(reading.tensor) || has(maker)) continue;
        for (int i = 0; i < made_.steps; ++i) {
            if (is_empty(made_.of(maker)[i])) continue;
            const int slot = offsets_[einsum - run_.first] + i - 1;
            uses_[reading.tensor].push_back({Use::Sort::owned, kNobody, slot, slot, made_.of(maker)[i]});
        }
        break;
    }
}

void RunAccount::add_tensor(int tensor, std::vector<Use>& uses) {
    const package::Package& package = problem_.package();
    const CascadeTensor& one = problem_.cascade().tensors[tensor];
    Cells cells(one.shape, package.home_of(one.name) < 0 ? package.dram_count() : 1);
    for (const Use& use : uses) cells.add(use.box);
    const bool inside = is_inside(tensor);
    Cell cell;
    cells.visit(
        [&](std::int64_t words, std::span<const std::int64_t> by_dram, std::span<const std::uint64_t> covering) {
            cell.clear();
            cell.words = words;
            cell.by_dram = by_dram;
            for (std::size_t w = 0; w < covering.size(); ++w)
                for (std::uint64_t rest = covering[w]; rest != 0; rest &= rest - 1)
                    cell.take(uses[w * 64 + std::countr_zero(rest)]);
            if (inside)
                add_made(tensor, cell);
            else
                add_from_dram(tensor, cell);
            stay(tensor, cell.stays, words);
        });
}

void RunAccount::add_made(int tensor, Cell& cell) {
    if (cell.owner == nullptr) return;
    const package::Package& package = problem_.package();
    const auto words = static_cast<double>(cell.words);
    const Use& owner = *cell.owner;
    for (const auto& [slot, core] : cell.made) cell.stays.push_back({core, slot, slot});
    if (owner.core != kNobody) cell.stays.push_back({owner.core, owner.slot, owner.sent});
    package::NodeSet to = cell.kept;
    if (owner.core != kNobody) to &= ~(package::NodeSet{1} << owner.core);
    for (package::NodeSet rest = cell.kept; rest != 0; rest &= rest - 1) {
        const int core = std::countr_zero(rest);
        cell.stays.push_back({core, std::min(owner.sent, cell.last[core]), cell.last[core]});
        if ((to >> core & 1U) == 0 || owner.core == kNobody) continue;
        cost_.counts.arrivals += cell.words;
        spend(&Energy::arrivals, core, words * package.kind_of(core).write_pj);
    }
    if (owner.core == kNobody) {
        add_unknown(tensor, cell);
        return;
    }
    const double read_pj = words * package.kind_of(owner.core).read_pj;
    if (to != 0) {
        travel(tensor, owner.sent, owner.core, to, cell.words);
        cost_.counts.sends += cell.words;
        spend(&Energy::sends, owner.core, read_pj);
    }
    if (!problem_.is_wanted(tensor, run_.last)) return;
    cost_.counts.sends += cell.words;
    spend(&Energy::sends, owner.core, read_pj);
    to_drams(tensor, cell.words, cell.by_dram, [&](int dram, std::int64_t part) {
        travel(tensor, owner.sent, owner.core, package::NodeSet{1} << network_.dram_node(dram), part);
        cost_.counts.dram_writes += part;
        pass(tensor, owner.sent, dram, part, package.drams[dram].write_pj);
    });
}

// Of disjoint teams it comes to each of its cores; else to all but its owner, and counts at its first reader.
void RunAccount::add_unknown(int tensor, const Cell& cell) {
    const auto words = static_cast<double>(cell.words);
    if (disjoint_) {
        for (package::NodeSet rest = cell.kept; rest != 0; rest &= rest - 1) {
            const int core = std::countr_zero(rest);
            cost_.counts.arrivals += cell.words;
            spend(&Energy::arrivals, core, words * problem_.package().kind_of(core).write_pj);
            spend(&Energy::sends, core, words * sending_.arrive_pj);
        }
        return;
    }
    const auto first = std::ranges::find_if(problem_.readers(tensor), [&](int e) { return e >= run_.first; });
    const int others = std::popcount(cell.kept) - 1;
    if (others < 1 || first == problem_.readers(tensor).end() || !has(*first)) return;
    const int core = std::countr_zero(cell.kept);
    const double arrivals_pj = words * others * sending_.write_pj;
    const double sends_pj = words * (others * sending_.arrive_pj + sending_.read_pj);
    spend(&Energy::arrivals, core, arrivals_pj);
    spend(&Energy::sends, core, sends_pj);
    if (parts_ != nullptr) parts_->unknown_pj += arrivals_pj + sends_pj;
}

void RunAccount::add_from_dram(int tensor, Cell& cell) {
    const package::Package& package = problem_.package();
    std::vector<std::pair<int, int>>& arrivals = cell.streamed;
    for (package::NodeSet rest = cell.kept; rest != 0; rest &= rest - 1) {
        const int core = std::countr_zero(rest);
        arrivals.emplace_back(cell.first[core] - 1, core);
        cell.stays.push_back({core, cell.first[core] - 1, cell.last[core]});
    }
    std::ranges::sort(arrivals);
    const auto twice = std::ranges::unique(arrivals);
    arrivals.erase(twice.begin(), twice.end());
    for (std::size_t i = 0; i < arrivals.size();) {
        const int slot = arrivals[i].first;
        package::NodeSet to = 0;
        for (; i < arrivals.size() && arrivals[i].first == slot; ++i) {
            to |= package::NodeSet{1} << arrivals[i].second;
            cost_.counts.arrivals += cell.words;
            const int core = arrivals[i].second;
            spend(&Energy::arrivals, core, static_cast<double>(cell.words) * package.kind_of(core).write_pj);
        }
        to_drams(tensor, cell.words, cell.by_dram, [&](int dram, std::int64_t part) {
            travel(tensor, slot, network_.dram_node(dram), to, part);
            cost_.counts.dram_reads += part;
            pass(tensor, slot, dram, part, package.drams[dram].read_pj);
        });
    }
}

// Words through the port of a DRAM.
void RunAccount::pass(int tensor, int slot, int dram, std::int64_t words, double word_pj) {
    const double energy_pj = static_cast<double>(words) * word_pj;
    port_[(slot + 1) * problem_.package().dram_count() + dram] += words;
    cost_.energy.dram += energy_pj;
    if (detail_ == nullptr) return;
    detail_->dram_pj[dram] += energy_pj;
    detail_->tensors[tensor].dram_words += words;
}

void RunAccount::travel(int tensor, int slot, int from, package::NodeSet to, std::int64_t words) {
    const package::Tree& tree = network_.tree(from, to);
    if (parts_ != nullptr) parts_->flows.push_back({from, to, words});
    const std::size_t row = static_cast<std::size_t>(slot + 1) * network_.links().size();
    for (const int link : tree.links) load_[row + link] += words;
    hops_[slot + 1] = std::max(hops_[slot + 1], tree.latency_cycles);
    cost_.counts.link_words += words * static_cast<std::int64_t>(tree.links.size());
    cost_.energy.links += static_cast<double>(words) * (tree.energy_pj - tree.d2d_pj);
    cost_.energy.d2d += static_cast<double>(words) * tree.d2d_pj;
    if (detail_ == nullptr) return;
    TensorDetail& one = detail_->tensors[tensor];
    one.link_words += words * static_cast<std::int64_t>(tree.links.size());
    one.d2d_words += words * std::ranges::count_if(tree.links, [&](int link) {
                         return network_.links()[link].sort == package::LinkSort::d2d;
                     });
}

template <typename Take>
void RunAccount::to_drams(int tensor, std::int64_t words, std::span<const std::int64_t> by_dram,
                          const Take& use) const {
    const int home = problem_.package().home_of(problem_.cascade().tensors[tensor].name);
    if (home >= 0) {
        use(home, words);
        return;
    }
    for (std::size_t dram = 0; dram < by_dram.size(); ++dram)
        if (by_dram[dram] > 0) use(static_cast<int>(dram), by_dram[dram]);
}

// A word stands in a core once, however many reasons there are.
void RunAccount::stay(int tensor, std::vector<Stay>& stays, std::int64_t words) {
    std::ranges::sort(stays, {}, [](const Stay& one) { return std::pair(one.core, one.from); });
    for (std::size_t i = 0; i < stays.size();) {
        Stay whole = stays[i];
        for (++i; i < stays.size() && stays[i].core == whole.core && stays[i].from <= whole.to + 1; ++i)
            whole.to = std::max(whole.to, stays[i].to);
        hold(tensor, whole.core, whole.from, whole.to, words);
    }
}

Slot RunAccount::slot_of(int slot) const {
    const package::Package& package = problem_.package();
    Slot one;
    int core = -1;
    for (int c = 0; c < package.core_count(); ++c)
        if (const std::int64_t cycles = busy_[slot * package.core_count() + c]; cycles > one.compute) {
            one.compute = cycles;
            core = c;
        }
    const auto& links = network_.links();
    for (std::size_t l = 0; l < links.size(); ++l)
        if (const std::int64_t words = load_[slot * links.size() + l]; words > 0)
            if (const std::int64_t cycles = cycles_at(words, links[l].rate.words_per_cycle); cycles > one.moving) {
                one.moving = cycles;
                one.decider = Decider::link;
                one.index = static_cast<int>(l);
            }
    for (int d = 0; d < package.dram_count(); ++d)
        if (const std::int64_t words = port_[slot * package.dram_count() + d]; words > 0)
            if (const std::int64_t cycles = cycles_at(words, package.drams[d].words_per_cycle); cycles >= one.moving) {
                one.moving = cycles;
                one.decider = Decider::dram;
                one.index = d;
            }
    one.moving += hops_[slot];
    one.cycles = std::max(one.compute, one.moving);
    if (one.cycles > 0 && one.compute >= one.moving) {
        one.decider = Decider::core;
        one.index = core;
    }
    return one;
}

Evaluated RunAccount::time() {
    const package::Package& package = problem_.package();
    const int cores = package.core_count();
    for (std::size_t i = cores; i < room_.size(); ++i) room_[i] += room_[i - cores];
    if (parts_ != nullptr) {
        parts_->room.assign(room_.begin(), room_.end() - cores);
        parts_->busy = sums_of_rows(busy_, cores);
        parts_->dram_words = sums_of_rows(port_, package.dram_count());
    }
    cost_.peak.assign(cores, 0);
    for (int slot = 0; slot <= slots_; ++slot)
        for (int c = 0; c < cores; ++c) cost_.peak[c] = std::max(cost_.peak[c], room_[slot * cores + c]);
    for (int c = 0; c < cores; ++c)
        if (cost_.peak[c] > package.kind_of(c).buffer_words) return {Refusal::room, -1, std::move(cost_)};
    for (int slot = 0; slot <= slots_; ++slot) {
        cost_.slots.push_back(slot_of(slot));
        cost_.cycles += cost_.slots.back().cycles;
    }
    for (int c = 0; c < cores; ++c)
        spend(&Energy::leakage, c, package.kind_of(c).leak_pj_per_cycle * static_cast<double>(cost_.cycles));
    if (detail_ != nullptr) finish();
    return {Refusal::none, -1, std::move(cost_)};
}

void RunAccount::finish() {
    const auto rows = [&](const std::vector<std::int64_t>& flat, std::size_t width) {
        std::vector<std::vector<std::int64_t>> by_slot;
        for (int slot = 0; slot <= slots_; ++slot)
            by_slot.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(slot * width),
                                 flat.begin() + static_cast<std::ptrdiff_t>((slot + 1) * width));
        return by_slot;
    };
    const std::size_t cores = problem_.package().cores.size();
    detail_->busy = rows(busy_, cores);
    detail_->room = rows(room_, cores);
    detail_->load = rows(load_, network_.links().size());
    detail_->port = rows(port_, problem_.package().drams.size());
}

}  // namespace tilewright::multicore
