#include "certificate/package/account.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "base/numbers/checked.hpp"

namespace tilewright::certificate::package_proof {
namespace {

using package::Stage;
using package::Sums;

constexpr int kNoCore = -1;  // owns what stages that are not counted make

/// The iterations of a core in a step; cores with the same key hold partial sums of the same words.
struct CorePart {
    int core = 0;
    Region iterations;
    std::vector<std::int64_t> key;
};

// Empty: more parts than there is to part.
std::vector<CorePart> parts_of(const Reading& reading, int einsum, const Stage& stage, const Region& made) {
    const Region all = reading.iterations(einsum, made);
    std::vector<CorePart> parts;
    for (std::size_t j = 0; j < stage.team.size(); ++j) {
        CorePart part{stage.team[j], all, {}};
        auto below = static_cast<std::int64_t>(stage.team.size());
        auto rest = static_cast<std::int64_t>(j);
        for (const package::Split& split : stage.split) {
            const Range& whole = all[split.dimension];
            if (whole.size() < split.parts) return {};
            below /= split.parts;
            part.iterations[split.dimension] = share_of(whole, rest / below, split.parts);
            if (!reading.is_summed(einsum, split.dimension)) part.key.push_back(rest / below);
            rest %= below;
        }
        parts.push_back(std::move(part));
    }
    return parts;
}

struct Event {
    enum class Sort : std::uint8_t { needed, streamed, made, owned };
    Sort sort = Sort::needed;
    int core = 0;
    int slot = 0;
    int complete = 0;  // slot, of what is owned
    Region region;
};

// Cells of a tensor between the borders of regions; each with the events that cover it, and its words by DRAM.
class Cells {
   public:
    Cells(const std::vector<std::int64_t>& shape, int drams, const std::vector<Event>& events)
        : shape_(shape), drams_(drams), strides_(shape.size(), 1), borders_(shape.size()) {
        for (std::size_t axis = shape.size(); axis-- > 1;) strides_[axis - 1] = strides_[axis] * shape[axis];
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            std::set<std::int64_t> cuts;
            for (const Event& event : events) cuts.insert({event.region[axis].low, event.region[axis].high});
            borders_[axis].assign(cuts.begin(), cuts.end());
        }
        for (const Event& event : events) all_.push_back(&event);
    }

    template <typename Use>
    void each(const Use& use) const {
        std::vector<std::int64_t> words(drams_, 0);
        words[0] = 1;
        visit(0, all_, words, use);
    }

   private:
    template <typename Use>
    void visit(std::size_t axis, const std::vector<const Event*>& covering, const std::vector<std::int64_t>& words,
               const Use& use) const {
        if (axis == shape_.size()) {
            use(covering, words);
            return;
        }
        std::vector<const Event*> here;
        for (std::size_t b = 0; b + 1 < borders_[axis].size(); ++b) {
            const Range cell{borders_[axis][b], borders_[axis][b + 1]};
            here.clear();
            for (const Event* event : covering)
                if (event->region[axis].low <= cell.low && event->region[axis].high >= cell.high) here.push_back(event);
            if (!here.empty()) visit(axis + 1, here, spread(axis, cell, words), use);
        }
    }

    // Word number modulo the number of DRAMs, of all words with this part of the axis.
    std::vector<std::int64_t> spread(std::size_t axis, const Range& cell,
                                     const std::vector<std::int64_t>& words) const {
        if (drams_ == 1) return {words[0] * cell.size()};
        std::vector<std::int64_t> all(drams_, 0);
        for (std::int64_t place = 0; place < std::min<std::int64_t>(drams_, cell.size()); ++place) {
            const std::int64_t times = (cell.size() - place + drams_ - 1) / drams_;
            const auto shift = static_cast<int>((cell.low + place) % drams_ * (strides_[axis] % drams_) % drams_);
            for (int d = 0; d < drams_; ++d) all[(d + shift) % drams_] += words[d] * times;
        }
        return all;
    }

    const std::vector<std::int64_t>& shape_;
    int drams_;
    std::vector<std::int64_t> strides_;
    std::vector<std::vector<std::int64_t>> borders_;
    std::vector<const Event*> all_;
};

class RunAccount {
   public:
    RunAccount(const Reading& reading, const Wires& wires, Leaves& leaves, const package::Run& run,
               const Makings& makings, const Counted& counted)
        : reading_(reading),
          package_(reading.package()),
          wires_(wires),
          leaves_(leaves),
          run_(run),
          makings_(makings),
          counted_(counted),
          steps_(static_cast<int>(makings.back().size())),
          events_(reading.cascade().tensors.size()) {
        place();
        const std::size_t slots = slots_ + 1;
        busy_.assign(slots * package_.cores.size(), 0);
        room_.assign((slots + 1) * package_.cores.size(), 0);
        on_wire_.assign(slots * wires.count(), 0);
        at_dram_.assign(slots * package_.drams.size(), 0);
        way_.assign(slots, 0);
    }

    Spent settle() {
        for (int e = run_.first; e <= run_.last; ++e)
            if (is_counted(e) && !add_stage(e)) return {"more parts than there is to part"};
        for (std::size_t t = 0; t < events_.size(); ++t)
            if (!events_[t].empty()) add_tensor(static_cast<int>(t));
        return close();
    }

   private:
    struct Stay {
        int core = 0;
        int from = 0;
        int to = 0;
        auto operator<=>(const Stay&) const = default;
    };

    bool is_counted(int e) const {
        return e >= run_.first && e <= run_.last && (counted_.stages >> (e - run_.first) & 1U) != 0;
    }
    const Stage& stage(int e) const { return run_.stages[e - run_.first]; }
    bool is_inside(int tensor) const { return reading_.is_inside(tensor, run_.first, run_.last); }

    void place() {
        for (int e = run_.first; e <= run_.last; ++e) {
            std::int64_t members = 1;
            for (const package::Split& split : stage(e).split)
                if (reading_.is_summed(e, split.dimension)) members *= split.parts;
            lags_.push_back(members > 1 ? 2 : 1);
            begins_.push_back(0);
            if (!is_counted(e)) continue;
            for (const Operand& operand : reading_.operands(e)) {
                const int maker = reading_.maker(operand.tensor);
                if (maker < e && is_counted(maker))
                    begins_.back() = std::max(begins_.back(), begins_[maker - run_.first] + lags_[maker - run_.first]);
            }
            slots_ = std::max(slots_, begins_.back() + steps_ - 1 + lags_.back());
        }
    }

    bool add_stage(int e) {
        for (int i = 0; i < steps_; ++i) {
            const Region& made = makings_[e - run_.first][i];
            if (is_nothing(made)) continue;
            const std::vector<CorePart> parts = parts_of(reading_, e, stage(e), made);
            if (parts.empty()) return false;
            const int slot = begins_[e - run_.first] + i;
            std::map<std::vector<std::int64_t>, std::vector<const CorePart*>> families;
            for (const CorePart& part : parts) {
                add_leaf(e, slot, part);
                families[part.key].push_back(&part);
            }
            for (const auto& [key, family] : families)
                if (!add_family(e, slot, family)) return false;
        }
        add_unknown_makers(e);
        return true;
    }

    void add_leaf(int e, int slot, const CorePart& part) {
        const int kind = package_.cores[part.core].kind;
        const Extents extents = extents_of(part.iterations);
        const LeafCost leaf = counted_.is_floor ? leaves_.least(e, kind, extents) : leaves_.spent(e, kind, extents);
        busy_[at_core(slot, part.core)] += leaf.cycles;
        spent_.busy += static_cast<double>(leaf.cycles);
        spent_.energy_pj += leaf.energy_pj;
        spent_.is_known = spent_.is_known && leaf.is_known;
        for (const Operand& operand : reading_.operands(e)) {
            if (!is_known(e, operand.tensor)) continue;
            Region region = reading_.touched(e, operand, part.iterations);
            if (is_nothing(region)) continue;
            const bool is_streamed = (stage(e).streamed >> operand.operand & 1U) != 0;
            if (is_streamed)
                room_[at_core(slot, part.core)] += std::min(package_.kind_of(part.core).window_words, size_of(region));
            events_[operand.tensor].push_back(
                {is_streamed ? Event::Sort::streamed : Event::Sort::needed, part.core, slot, slot, std::move(region)});
        }
        for (const int tensor : reading_.results(e))
            events_[tensor].push_back(
                {Event::Sort::made, part.core, slot, slot, reading_.result_of(e, part.iterations)});
    }

    // From outside: all its readers in the run are counted.
    bool is_known(int e, int tensor) const {
        if (is_inside(tensor)) return true;
        return std::ranges::all_of(reading_.readers(tensor), [&](int reader) {
            return reader == e || reader < run_.first || reader > run_.last || is_counted(reader);
        });
    }

    bool add_family(int e, int slot, const std::vector<const CorePart*>& family) {
        const Region result = reading_.result_of(e, family.front()->iterations);
        const auto members = static_cast<std::int64_t>(family.size());
        const Sums& sums = stage(e).sums;
        const bool is_cut = members > 1 && sums.way != Sums::Way::root;
        if (is_cut && result[sums.axis].size() < members) return false;
        for (std::int64_t m = 0; m < (is_cut ? members : 1); ++m) {
            Region owned = result;
            if (is_cut) owned[sums.axis] = share_of(result[sums.axis], m, members);
            if (members > 1) add_sum(e, slot, family, m, size_of(owned));
            for (const int tensor : reading_.results(e))
                events_[tensor].push_back(
                    {Event::Sort::owned, family[m]->core, slot, slot + lags_[e - run_.first] - 1, owned});
        }
        return true;
    }

    // Partial sums of one part, from every other member to its owner: at once, or from each to the next.
    void add_sum(int e, int slot, const std::vector<const CorePart*>& family, std::int64_t owner, std::int64_t words) {
        const std::size_t members = family.size();
        const bool is_ring = stage(e).sums.way == Sums::Way::ring;
        std::int64_t chain = 0;
        for (std::size_t i = 1; i < members; ++i) {
            const std::size_t from = (owner + i) % members;
            const int sender = family[from]->core;
            const int receiver = family[is_ring ? (from + 1) % members : owner]->core;
            chain += wires_.to_node(sender, receiver).cycles;
            const package::CoreKind& here = package_.kind_of(receiver);
            for (std::size_t r = 0; r < reading_.results(e).size(); ++r) {
                move(slot, wires_.to_node(sender, receiver), checked_mul(words, package_.partial_words));
                spent_.energy_pj += static_cast<double>(words) * (package_.kind_of(sender).read_pj + here.read_pj +
                                                                  here.write_pj + here.operation_pj);
            }
        }
        if (is_ring) way_[slot + 1] = std::max(way_[slot + 1], chain);
    }

    // Step by step in the slot before the reader's.
    void add_unknown_makers(int e) {
        std::set<int> seen;
        for (const Operand& operand : reading_.operands(e)) {
            const int maker = reading_.maker(operand.tensor);
            if (!is_inside(operand.tensor) || is_counted(maker) || !seen.insert(operand.tensor).second) continue;
            for (int i = 0; i < steps_; ++i) {
                const Region& made = makings_[maker - run_.first][i];
                const int slot = begins_[e - run_.first] + i - 1;
                if (!is_nothing(made))
                    events_[operand.tensor].push_back({Event::Sort::owned, kNoCore, slot, slot, made});
            }
        }
    }

    void add_tensor(int tensor) {
        const CascadeTensor& one = reading_.cascade().tensors[tensor];
        const int drams = package_.home_of(one.name) < 0 ? package_.dram_count() : 1;
        const Cells cells(one.shape, drams, events_[tensor]);
        cells.each([&](const std::vector<const Event*>& events, const std::vector<std::int64_t>& words) {
            stays_.clear();
            if (is_inside(tensor))
                add_inside(tensor, events, words);
            else
                add_from_outside(tensor, events, words);
            hold(words);
        });
    }

    void add_inside(int tensor, const std::vector<const Event*>& events, const std::vector<std::int64_t>& by_dram) {
        const Event* owner = nullptr;
        std::map<int, int> last;  // slot of need, by core
        for (const Event* event : events) {
            if (event->sort == Event::Sort::owned) owner = event;
            if (event->sort == Event::Sort::made) stays_.push_back({event->core, event->slot, event->slot});
            if (event->sort != Event::Sort::needed) continue;
            int& slot = last.try_emplace(event->core, event->slot).first->second;
            slot = std::max(slot, event->slot);
        }
        if (owner == nullptr) {
            stays_.clear();
            return;
        }
        const double words = sum_of(by_dram);
        if (owner->core != kNoCore) stays_.push_back({owner->core, owner->slot, owner->complete});
        Cores to = 0;
        for (const auto& [core, slot] : last) {
            stays_.push_back({core, std::min(owner->complete, slot), slot});
            if (core == owner->core || (owner->core == kNoCore && !counted_.is_apart)) continue;
            spent_.energy_pj += words * package_.kind_of(core).write_pj;
            to |= Cores{1} << core;
        }
        if (owner->core == kNoCore) return;
        const double read_pj = words * package_.kind_of(owner->core).read_pj;
        if (to != 0) {
            move(owner->complete, wires_.to_cores(owner->core, to), static_cast<std::int64_t>(words));
            spent_.energy_pj += read_pj;
        }
        if (!reading_.is_wanted(tensor, run_.last)) return;
        spent_.energy_pj += read_pj;
        at_home(tensor, by_dram, [&](int dram, std::int64_t part) {
            move(owner->complete, wires_.to_node(owner->core, wires_.dram(dram)), part);
            spent_.energy_pj += static_cast<double>(part) * package_.drams[dram].write_pj;
            pass(owner->complete, dram, part);
        });
    }

    void add_from_outside(int tensor, const std::vector<const Event*>& events,
                          const std::vector<std::int64_t>& by_dram) {
        std::map<int, std::pair<int, int>> kept;  // slots of need, by core
        std::map<int, Cores> arrives;             // by slot
        for (const Event* event : events) {
            if (event->sort == Event::Sort::streamed) arrives[event->slot] |= Cores{1} << event->core;
            if (event->sort != Event::Sort::needed) continue;
            auto& [first, last] = kept.try_emplace(event->core, event->slot, event->slot).first->second;
            first = std::min(first, event->slot);
            last = std::max(last, event->slot);
        }
        for (const auto& [core, slots] : kept) {
            arrives[slots.first - 1] |= Cores{1} << core;
            stays_.push_back({core, slots.first - 1, slots.second});
        }
        const double words = sum_of(by_dram);
        for (const auto& [slot, to] : arrives) {
            for (Cores rest = to; rest != 0; rest &= rest - 1)
                spent_.energy_pj += words * package_.kind_of(std::countr_zero(rest)).write_pj;
            at_home(tensor, by_dram, [&, slot = slot, to = to](int dram, std::int64_t part) {
                move(slot, wires_.to_cores(wires_.dram(dram), to), part);
                spent_.energy_pj += static_cast<double>(part) * package_.drams[dram].read_pj;
                pass(slot, dram, part);
            });
        }
    }

    static double sum_of(const std::vector<std::int64_t>& by_dram) {
        std::int64_t words = 0;
        for (const std::int64_t one : by_dram) words += one;
        return static_cast<double>(words);
    }

    template <typename Use>
    void at_home(int tensor, const std::vector<std::int64_t>& by_dram, const Use& use) const {
        const int home = package_.home_of(reading_.cascade().tensors[tensor].name);
        for (std::size_t d = 0; d < by_dram.size(); ++d)
            if (by_dram[d] > 0) use(home >= 0 ? home : static_cast<int>(d), by_dram[d]);
    }

    void move(int slot, const Multicast& way, std::int64_t words) {
        for (const int wire : way.wires)
            on_wire_[(slot + 1) * static_cast<std::size_t>(wires_.count()) + wire] += words;
        way_[slot + 1] = std::max(way_[slot + 1], way.cycles);
        spent_.energy_pj += static_cast<double>(words) * way.energy_pj;
    }

    void pass(int slot, int dram, std::int64_t words) {
        at_dram_[(slot + 1) * package_.drams.size() + dram] += words;
        spent_.dram_words += static_cast<double>(words);
    }

    std::size_t at_core(int slot, int core) const { return (slot + 1) * package_.cores.size() + core; }

    // Each word once in a slot, however many reasons there are.
    void hold(const std::vector<std::int64_t>& by_dram) {
        const auto words = static_cast<std::int64_t>(sum_of(by_dram));
        std::ranges::sort(stays_);
        int core = kNoCore;
        int held = 0;  // up to this slot
        for (const Stay& stay : stays_) {
            if (stay.core != core) held = stay.from - 1;
            core = stay.core;
            for (int slot = std::max(stay.from, held + 1); slot <= stay.to; ++slot) room_[at_core(slot, core)] += words;
            held = std::max(held, stay.to);
        }
    }

    Spent close() {
        for (std::size_t i = 0; i < room_.size(); ++i)
            if (room_[i] > package_.kind_of(static_cast<int>(i % package_.cores.size())).buffer_words)
                return {"a buffer is too small"};
        for (int slot = 0; slot <= slots_; ++slot) {
            std::int64_t computing = 0;
            std::int64_t moving = 0;
            for (int core = 0; core < package_.core_count(); ++core)
                computing = std::max(computing, busy_[at_core(slot - 1, core)]);
            for (int wire = 0; wire < wires_.count(); ++wire)
                moving = std::max(moving, cycles_of(on_wire_[slot * static_cast<std::size_t>(wires_.count()) + wire],
                                                    wires_.words_per_cycle(wire)));
            for (int dram = 0; dram < package_.dram_count(); ++dram)
                moving = std::max(moving, cycles_of(at_dram_[slot * package_.drams.size() + dram],
                                                    package_.drams[dram].words_per_cycle));
            spent_.cycles = checked_add(spent_.cycles, std::max(checked_add(moving, way_[slot]), computing));
        }
        for (int core = 0; core < package_.core_count(); ++core)
            spent_.leakage_pj += package_.kind_of(core).leak_pj_per_cycle * static_cast<double>(spent_.cycles);
        return spent_;
    }

    static std::int64_t cycles_of(std::int64_t words, double rate) {
        return words == 0
                   ? 0
                   : static_cast<std::int64_t>(std::min(kMostExact, std::ceil(static_cast<double>(words) / rate)));
    }

    const Reading& reading_;
    const package::Package& package_;
    const Wires& wires_;
    Leaves& leaves_;
    const package::Run& run_;
    const Makings& makings_;
    Counted counted_;
    int steps_;
    int slots_ = 0;
    std::vector<int> begins_;  // by stage: slot of the first step
    std::vector<int> lags_;
    std::vector<std::vector<Event>> events_;  // by tensor
    std::vector<Stay> stays_;                 // of the cell at hand
    std::vector<std::int64_t> busy_;          // by slot from -1 on, and core
    std::vector<std::int64_t> room_;          // likewise
    std::vector<std::int64_t> on_wire_;       // by slot and wire
    std::vector<std::int64_t> at_dram_;       // by slot and DRAM
    std::vector<std::int64_t> way_;           // by slot: cycles of the longest
    Spent spent_;
};

std::string problem_with_stage(const Reading& reading, const package::Run& run, int e) {
    const Stage& stage = run.stages[e - run.first];
    std::set<int> split;
    std::int64_t parts = 1;
    for (const package::Split& one : stage.split) {
        if (one.dimension < 0 || one.dimension >= reading.einsum(e).einsum.dimension_count() || one.parts < 1 ||
            one.parts > package::kMaxCores || !split.insert(one.dimension).second)
            return "its split is of no dimensions of its own";
        parts *= one.parts;
        if (parts > package::kMaxCores) return "its split has too many parts";
    }
    std::set<int> team;
    for (const int core : stage.team) {
        if (core < 0 || core >= reading.package().core_count() || !team.insert(core).second)
            return "its team has a core twice, or one that there is not";
        if (!reading.runs_on(e, reading.package().cores[core].kind)) return "a core of its team does not run it";
    }
    if (parts != static_cast<std::int64_t>(stage.team.size())) return "its team has another size than its split";
    const bool has_axis = stage.sums.axis >= 0 && stage.sums.axis < static_cast<int>(reading.axes(e).size());
    if (stage.sums.way != Sums::Way::root && !has_axis) return "its sums are scattered along no axis";
    std::uint32_t outside = 0;
    for (const Operand& operand : reading.operands(e))
        if (!reading.is_inside(operand.tensor, run.first, run.last)) outside |= 1U << operand.operand;
    return (stage.streamed & ~outside) != 0 ? "it streams what the run makes" : "";
}

}  // namespace

Spent Accountant::of_run(const package::Run& run) const {
    constexpr std::int64_t kMostSteps = 1 << 16;
    const int stages = run.last - run.first + 1;
    if (run.first < 0 || stages < 1 || stages > 64 || run.last >= reading_.count() ||
        static_cast<int>(run.stages.size()) != stages || run.step < 1 || run.axis < 0 ||
        run.axis >= static_cast<int>(reading_.axes(run.last).size()) || !reading_.is_run(run.first, run.last))
        return {"it is no run: what it makes is read inside it alone, and its steps go along its last result"};
    if (reading_.whole_result(run.last)[run.axis].high / run.step > kMostSteps) return {"it has too many steps"};
    for (int e = run.first; e <= run.last; ++e)
        if (std::string why = problem_with_stage(reading_, run, e); !why.empty())
            return {"'" + reading_.einsum(e).name + "': " + why};
    const Makings makings = makings_of(reading_, run.first, run.last, {run.axis, run.step});
    if (makings.empty()) return {"a step would make words again"};
    return of(run, makings, {(std::uint64_t{2} << (stages - 1)) - 1, false, false});
}

Spent Accountant::of(const package::Run& run, const Makings& makings, const Counted& counted) const {
    return RunAccount(reading_, wires_, leaves_, run, makings, counted).settle();
}

void each_leaf(const Reading& reading, const package::Run& run, const Makings& makings, std::uint64_t stages,
               const std::function<void(int einsum, int core, const Extents& extents)>& use) {
    for (int e = run.first; e <= run.last; ++e) {
        if ((stages >> (e - run.first) & 1U) == 0) continue;
        for (const Region& made : makings[e - run.first]) {
            if (is_nothing(made)) continue;
            for (const CorePart& part : parts_of(reading, e, run.stages[e - run.first], made))
                use(e, part.core, extents_of(part.iterations));
        }
    }
}

}  // namespace tilewright::certificate::package_proof
