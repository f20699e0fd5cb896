#include "oracle/package_walk.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>

namespace tilewright::oracle {
namespace packages {
namespace {

using Word = std::vector<std::int64_t>;
using Words = std::set<Word>;
using Named = std::pair<int, Word>;      // of a tensor
using Node = std::tuple<int, int, int>;  // router: 0, x, y; core: 1, number, 0; DRAM: 2, number, 0
using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

struct Illegal {
    std::string why;
};

void demand(bool holds, const char* what) {
    if (!holds) throw std::logic_error(what);
}

// Calls with every point of the ranges.
template <typename Use>
void each(const Ranges& ranges, const Use& use) {
    Word at;
    for (const auto& [low, high] : ranges) {
        if (low >= high) return;
        at.push_back(low);
    }
    while (true) {
        use(at);
        std::size_t i = at.size();
        while (i > 0 && ++at[i - 1] == ranges[i - 1].second) {
            at[i - 1] = ranges[i - 1].first;
            --i;
        }
        if (i == 0) return;
    }
}

Ranges ranges_around(const Words& words) {
    Ranges ranges;
    for (const Word& word : words)
        for (std::size_t a = 0; a < word.size(); ++a) {
            if (ranges.size() <= a) ranges.emplace_back(word[a], word[a] + 1);
            ranges[a].first = std::min(ranges[a].first, word[a]);
            ranges[a].second = std::max(ranges[a].second, word[a] + 1);
        }
    return ranges;
}

Words filled(const Words& words) {
    Words box;
    if (!words.empty()) each(ranges_around(words), [&](const Word& word) { box.insert(word); });
    return box;
}

class Walker {
   public:
    Walker(const Cascade& cascade, const package::Package& package) : cascade_(cascade), package_(package) {
        out.peak.assign(package.cores.size(), 0);
        for (std::size_t e = 0; e < cascade.einsums.size(); ++e)
            for (std::size_t o = 0; o < cascade.einsums[e].accesses.size(); ++o)
                if (cascade.einsums[e].einsum.tensors[o].written) {
                    makers_[cascade.einsums[e].accesses[o].tensor] = static_cast<int>(e);
                    results_.push_back(static_cast<int>(o));
                }
    }

    void run(const package::Run& run);

    PackageWalk out;

   private:
    struct Member {
        int core = 0;
        Ranges mine;
    };
    struct Work {
        int einsum = 0;
        std::vector<Member> family;
        std::map<Word, int> owner;  // member, by word of the result
    };
    struct Leaving {
        int tensor = 0;
        Word word;
        int owner = 0;
    };
    struct SlotLoad {
        std::map<std::pair<Node, Node>, std::int64_t> links;
        std::map<int, std::int64_t> drams;
        std::vector<std::int64_t> busy;
        std::vector<std::int64_t> windows;
        std::int64_t way = 0;
    };

    const CascadeEinsum& einsum(int e) const { return cascade_.einsums[e]; }
    const Access& result_access(int e) const { return einsum(e).accesses[results_[e]]; }
    int result(int e) const { return result_access(e).tensor; }
    int dimension(int e, std::size_t axis) const { return result_access(e).coordinates[axis].terms.front().dimension; }
    std::optional<std::size_t> axis(int e, int dim) const {
        for (std::size_t a = 0; a < result_access(e).coordinates.size(); ++a)
            if (dimension(e, a) == dim) return a;
        return std::nullopt;
    }
    bool made_here(int tensor) const {
        const auto maker = makers_.find(tensor);
        return maker != makers_.end() && maker->second >= run_->first && maker->second <= run_->last;
    }
    bool wanted(int tensor) const {
        if (cascade_.tensors[tensor].role == TensorRole::output) return true;
        for (int e = run_->last + 1; e < cascade_.einsum_count(); ++e)
            for (const int o : operands(e))
                if (einsum(e).accesses[o].tensor == tensor) return true;
        return false;
    }
    std::vector<int> operands(int e) const {
        std::vector<int> read;
        for (int o = 0; o < einsum(e).einsum.tensor_count(); ++o)
            if (!einsum(e).einsum.tensors[o].written) read.push_back(o);
        return read;
    }
    std::optional<Word> word_at(int e, int operand, const Word& point) const {
        const Access& access = einsum(e).accesses[operand];
        Word word;
        for (std::size_t a = 0; a < access.coordinates.size(); ++a) {
            std::int64_t at = access.coordinates[a].offset;
            for (const Term& term : access.coordinates[a].terms) at += term.coefficient * point[term.dimension];
            if (at < 0 || at >= cascade_.tensors[access.tensor].shape[a]) return std::nullopt;
            word.push_back(at);
        }
        return word;
    }
    Words touched(int e, int operand, const Ranges& mine) const {
        Words words;
        each(mine, [&](const Word& point) {
            if (const auto word = word_at(e, operand, point)) words.insert(*word);
        });
        return words;
    }
    // All iterations behind words of the result.
    Ranges iterations(int e, const Words& words) const {
        const Ranges box = ranges_around(words);
        Ranges ranges;
        for (std::size_t d = 0; d < einsum(e).einsum.dimensions.size(); ++d) {
            const auto a = axis(e, static_cast<int>(d));
            ranges.push_back(a ? box[*a] : std::pair{std::int64_t{0}, einsum(e).einsum.dimensions[d].extent});
        }
        return ranges;
    }
    int dram_of(const Named& word) const {
        const CascadeTensor& tensor = cascade_.tensors[word.first];
        if (package_.interleave && package_.drams.size() > 1) {
            std::int64_t number = 0;
            for (std::size_t a = 0; a < tensor.shape.size(); ++a) number = number * tensor.shape[a] + word.second[a];
            return static_cast<int>(number % static_cast<std::int64_t>(package_.drams.size()));
        }
        const auto home = package_.homes.find(tensor.name);
        return home == package_.homes.end() ? 0 : home->second;
    }
    const package::CoreKind& kind(int core) const { return package_.kinds[package_.cores[core].kind]; }

    bool is_between_chiplets(const Node& a, const Node& b) const {
        const auto& [sort_a, ax, ay] = a;
        const auto& [sort_b, bx, by] = b;
        return sort_a == 0 && sort_b == 0 &&
               (ax / package_.chiplet_columns != bx / package_.chiplet_columns ||
                ay / package_.chiplet_rows != by / package_.chiplet_rows);
    }
    const package::LinkRate& link(const Node& a, const Node& b) const {
        if (std::get<0>(a) != 0 || std::get<0>(b) != 0) return package_.local;
        return is_between_chiplets(a, b) ? package_.d2d : package_.link;
    }
    std::vector<std::pair<Node, Node>> way(const Node& from, const Node& to) const {
        const auto router = [&](const Node& node) {
            const package::Place at =
                std::get<0>(node) == 1 ? package_.cores[std::get<1>(node)].at : package_.drams[std::get<1>(node)].at;
            return std::pair{at.x, at.y};
        };
        auto [x, y] = router(from);
        const auto [to_x, to_y] = router(to);
        std::vector<Node> nodes{from, {0, x, y}};
        for (; x != to_x; nodes.emplace_back(0, x, y)) x += x < to_x ? 1 : -1;
        for (; y != to_y; nodes.emplace_back(0, x, y)) y += y < to_y ? 1 : -1;
        nodes.push_back(to);
        std::vector<std::pair<Node, Node>> links;
        for (std::size_t i = 1; i < nodes.size(); ++i) links.emplace_back(nodes[i - 1], nodes[i]);
        return links;
    }
    std::int64_t latency(const Node& from, const Node& to) const {
        std::int64_t cycles = 0;
        for (const auto& [a, b] : way(from, to)) cycles += link(a, b).latency_cycles;
        return cycles;
    }
    int number(const Node& node) const {
        return std::get<1>(node) + (std::get<0>(node) == 2 ? package_.core_count() : 0);
    }
    void send(SlotLoad& load, const Node& from, const std::set<Node>& to, std::int64_t words) {
        std::set<std::pair<Node, Node>> used;
        PackageSend sent{static_cast<int>(out.slots.size()), slot_, number(from), {}, words};
        for (const Node& one : to) sent.to.push_back(number(one));
        out.sent.push_back(std::move(sent));
        for (const Node& one : to) {
            load.way = std::max(load.way, latency(from, one));
            for (const auto& step : way(from, one)) used.insert(step);
        }
        for (const auto& step : used) {
            load.links[step] += words;
            out.link_words += words;
            if (is_between_chiplets(step.first, step.second)) out.d2d_words += words;
            out.link_pj += static_cast<double>(words) * link(step.first, step.second).energy_pj;
        }
    }

    void make();
    void place();
    void check_stage(int e) const;
    void give_out();
    Work work_of(int e, const std::vector<Member>& family) const;
    void note_needs();
    void bring(int slot, SlotLoad& load);
    void compute(int slot, const Work& work, SlotLoad& load);
    void add_up(int slot, const Work& work, const std::vector<std::map<Word, std::int64_t>>& done, SlotLoad& load);
    void leave(int slot, SlotLoad& load);
    void close(int slot, const SlotLoad& load, std::vector<std::int64_t>& lengths);

    const package::Stage& stage(int e) const { return run_->stages[e - run_->first]; }

    const Cascade& cascade_;
    const package::Package& package_;
    std::map<int, int> makers_;
    std::vector<int> results_;  // operand, by einsum

    const package::Run* run_ = nullptr;
    int steps_ = 0;
    int slots_ = 0;
    int slot_ = 0;                            // under way
    std::map<int, std::vector<Words>> made_;  // by einsum, step
    std::map<int, int> begin_;                // slot of the first step
    std::map<int, int> lag_;
    std::map<int, std::vector<Work>> work_;                      // by slot
    std::map<std::pair<int, Named>, std::pair<int, int>> need_;  // by core and word: first and last slot
    std::map<int, std::map<Named, std::set<int>>> brought_;      // by slot, word: cores
    std::map<int, std::map<Named, std::set<int>>> streamed_;
    std::vector<std::map<Named, int>> store_;      // by core: last slot in which the word stands there
    std::map<int, std::vector<Leaving>> leaving_;  // by slot
    bool full_ = false;
};

void Walker::make() {
    made_.clear();
    for (int e = run_->last; e >= run_->first; --e) {
        Words before;
        for (int i = 0; i < steps_; ++i) {
            Words need;
            if (e == run_->last) {
                Ranges ranges;
                for (std::size_t a = 0; a < result_access(e).coordinates.size(); ++a)
                    ranges.emplace_back(0, einsum(e).einsum.dimensions[dimension(e, a)].extent);
                auto& [low, high] = ranges[run_->axis];
                low = i * run_->step;
                high = std::min(high, low + run_->step);
                each(ranges, [&](const Word& word) { need.insert(word); });
            }
            for (int reader = e + 1; reader <= run_->last; ++reader)
                for (const int o : operands(reader)) {
                    if (einsum(reader).accesses[o].tensor != result(e) || made_[reader][i].empty()) continue;
                    need.merge(touched(reader, o, iterations(reader, made_[reader][i])));
                }
            Words lack;
            for (const Word& word : filled(need))
                if (!before.contains(word)) lack.insert(word);
            lack = filled(lack);
            for (const Word& word : lack)
                if (!before.insert(word).second) throw Illegal{"made again"};
            made_[e].push_back(lack);
        }
    }
}

void Walker::check_stage(int e) const {
    std::set<int> split;
    std::int64_t parts = 1;
    for (const package::Split& one : stage(e).split) {
        if (!split.insert(one.dimension).second) throw Illegal{"stage"};
        parts *= one.parts;
    }
    const std::set<int> team(stage(e).team.begin(), stage(e).team.end());
    if (parts != static_cast<std::int64_t>(team.size()) || team.size() != stage(e).team.size()) throw Illegal{"stage"};
    for (const int core : team)
        if (kind(core).excluded.contains(einsum(e).name)) throw Illegal{"kind"};
    for (const int o : operands(e))
        if ((stage(e).streamed >> o & 1U) != 0 && made_here(einsum(e).accesses[o].tensor)) throw Illegal{"streamed"};
}

void Walker::place() {
    begin_.clear();
    lag_.clear();
    slots_ = 0;
    for (int e = run_->first; e <= run_->last; ++e) {
        check_stage(e);
        std::int64_t members = 1;
        for (const package::Split& one : stage(e).split)
            if (!axis(e, one.dimension)) members *= one.parts;
        lag_[e] = members > 1 ? 2 : 1;
        begin_[e] = 0;
        for (const int o : operands(e)) {
            const int tensor = einsum(e).accesses[o].tensor;
            if (!made_here(tensor) || makers_.at(tensor) >= e) continue;
            begin_[e] = std::max(begin_[e], begin_[makers_.at(tensor)] + lag_[makers_.at(tensor)]);
        }
        slots_ = std::max(slots_, begin_[e] + steps_ + lag_[e] - 1);
    }
}

Walker::Work Walker::work_of(int e, const std::vector<Member>& family) const {
    Work work{e, family, {}};
    const package::Sums& sums = stage(e).sums;
    Ranges result;
    for (std::size_t a = 0; a < result_access(e).coordinates.size(); ++a)
        result.push_back(family.front().mine[dimension(e, a)]);
    const auto members = static_cast<std::int64_t>(family.size());
    const bool is_cut = members > 1 && sums.way != package::Sums::Way::root;
    if (is_cut && result[sums.axis].second - result[sums.axis].first < members) throw Illegal{"parts"};
    each(result, [&](const Word& word) {
        int owner = 0;
        if (is_cut) {
            const std::int64_t extent = result[sums.axis].second - result[sums.axis].first;
            const std::int64_t at = word[sums.axis] - result[sums.axis].first;
            while (at >= (owner + 1) * extent / members) ++owner;
        }
        work.owner[word] = owner;
    });
    return work;
}

// Parts of every step to the cores.
void Walker::give_out() {
    work_.clear();
    for (int e = run_->first; e <= run_->last; ++e)
        for (int i = 0; i < steps_; ++i) {
            if (made_[e][i].empty()) continue;
            const Ranges all = iterations(e, made_[e][i]);
            std::map<std::vector<std::int64_t>, std::vector<Member>> families;
            for (std::size_t j = 0; j < stage(e).team.size(); ++j) {
                Member member{stage(e).team[j], all};
                std::vector<std::int64_t> key;
                auto rest = static_cast<std::int64_t>(j);
                std::int64_t below = static_cast<std::int64_t>(stage(e).team.size());
                for (const package::Split& split : stage(e).split) {
                    below /= split.parts;
                    const std::int64_t digit = rest / below;
                    rest %= below;
                    const auto [low, high] = all[split.dimension];
                    if (high - low < split.parts) throw Illegal{"parts"};
                    member.mine[split.dimension] = {low + (high - low) * digit / split.parts,
                                                    low + (high - low) * (digit + 1) / split.parts};
                    if (axis(e, split.dimension)) key.push_back(digit);
                }
                families[key].push_back(std::move(member));
            }
            for (const auto& [key, family] : families) work_[begin_[e] + i].push_back(work_of(e, family));
        }
}

void Walker::note_needs() {
    need_.clear();
    brought_.clear();
    streamed_.clear();
    for (const auto& [slot, items] : work_)
        for (const Work& work : items)
            for (const Member& member : work.family)
                for (const int o : operands(work.einsum)) {
                    const int tensor = einsum(work.einsum).accesses[o].tensor;
                    for (const Word& word : filled(touched(work.einsum, o, member.mine))) {
                        if ((stage(work.einsum).streamed >> o & 1U) != 0) {
                            streamed_[slot][{tensor, word}].insert(member.core);
                            brought_[slot][{tensor, word}].insert(member.core);
                            continue;
                        }
                        auto& span = need_.try_emplace({member.core, {tensor, word}}, slot, slot).first->second;
                        span.second = slot;
                    }
                }
    for (const auto& [key, span] : need_)
        if (!made_here(key.second.first)) brought_[span.first - 1][key.second].insert(key.first);
}

void Walker::bring(int slot, SlotLoad& load) {
    for (const auto& [word, cores] : brought_[slot]) {
        const int dram = dram_of(word);
        ++load.drams[dram];
        ++out.dram_reads;
        out.energy_pj += package_.drams[dram].read_pj;
        std::set<Node> to;
        for (const int core : cores) {
            to.insert({1, core, 0});
            ++out.arrivals;
            out.energy_pj += kind(core).write_pj;
            const auto need = need_.find({core, word});
            if (need != need_.end() && need->second.first == slot + 1) store_[core][word] = need->second.second;
        }
        send(load, {2, dram, 0}, to, 1);
    }
}

void Walker::compute(int slot, const Work& work, SlotLoad& load) {
    const int e = work.einsum;
    std::vector<std::map<Word, std::int64_t>> done(work.family.size());
    for (std::size_t m = 0; m < work.family.size(); ++m) {
        const auto& [core, mine] = work.family[m];
        std::vector<std::int64_t> turns;
        std::int64_t cycles = 1;
        for (std::size_t d = 0; d < mine.size(); ++d) {
            const auto lanes = kind(core).lanes.find(einsum(e).einsum.dimensions[d].name);
            const std::int64_t wide = lanes == kind(core).lanes.end() ? 1 : lanes->second;
            turns.push_back((mine[d].second - mine[d].first + wide - 1) / wide);
            cycles *= turns.back();
        }
        load.busy[core] += cycles;
        for (const int o : operands(e)) {
            std::set<int> moving;
            for (const Coordinate& at : einsum(e).accesses[o].coordinates)
                for (const Term& term : at.terms) moving.insert(term.dimension);
            std::int64_t reads = 1;
            for (std::size_t d = 0; d < mine.size(); ++d)
                reads *= moving.contains(static_cast<int>(d)) ? mine[d].second - mine[d].first : turns[d];
            out.leaf_reads += reads;
            out.energy_pj += static_cast<double>(reads) * kind(core).read_pj;
            if ((stage(e).streamed >> o & 1U) != 0)
                load.windows[core] +=
                    std::min(kind(core).window_words, static_cast<std::int64_t>(filled(touched(e, o, mine)).size()));
        }
        each(mine, [&](const Word& point) {
            ++out.operations;
            out.energy_pj += kind(core).operation_pj;
            for (const int o : operands(e)) {
                const auto word = word_at(e, o, point);
                if (!word) continue;
                const Named named{einsum(e).accesses[o].tensor, *word};
                if ((stage(e).streamed >> o & 1U) != 0) {
                    demand(streamed_[slot][named].contains(core), "a streamed word is not there");
                } else {
                    const auto there = store_[core].find(named);
                    demand(there != store_[core].end() && there->second >= slot, "an operand is not there");
                }
            }
            ++done[m][*word_at(e, results_[e], point)];
        });
        for (const auto& [word, products] : done[m]) {
            ++out.leaf_writes;
            out.energy_pj += kind(core).write_pj;
            store_[core].try_emplace({result(e), word}, slot);
        }
    }
    add_up(slot, work, done, load);
}

// Partial sums to their owners.
void Walker::add_up(int slot, const Work& work, const std::vector<std::map<Word, std::int64_t>>& done, SlotLoad& load) {
    const int e = work.einsum;
    const auto members = static_cast<int>(work.family.size());
    std::int64_t all = 1;
    for (std::size_t d = 0; d < einsum(e).einsum.dimensions.size(); ++d)
        if (!axis(e, static_cast<int>(d))) all *= einsum(e).einsum.dimensions[d].extent;
    const bool is_ring = stage(e).sums.way == package::Sums::Way::ring;
    for (const auto& [word, owner] : work.owner) {
        std::int64_t products = 0;
        for (const auto& one : done) products += one.at(word);
        demand(products == all, "products are missing or doubled");
        std::int64_t chain = 0;
        for (int i = 1; i < members; ++i) {
            const int from = work.family[(owner + i) % members].core;
            const int to = work.family[is_ring ? (owner + i + 1) % members : owner].core;
            chain += latency({1, from, 0}, {1, to, 0});
            send(load, {1, from, 0}, {{1, to, 0}}, package_.partial_words);
            ++out.partials;
            out.energy_pj += kind(from).read_pj + kind(to).read_pj + kind(to).write_pj + kind(to).operation_pj;
        }
        if (is_ring) load.way = std::max(load.way, chain);
        const int when = slot + lag_[e] - 1;
        const int core = work.family[owner].core;
        int& stands = store_[core][{result(e), word}];
        stands = std::max(stands, when);
        leaving_[when].push_back({result(e), word, core});
    }
}

void Walker::leave(int slot, SlotLoad& load) {
    for (const Leaving& one : leaving_[slot]) {
        const Named named{one.tensor, one.word};
        std::set<Node> to;
        for (int core = 0; core < package_.core_count(); ++core) {
            const auto need = need_.find({core, named});
            if (need == need_.end()) continue;
            const auto [place, is_new] = store_[core].try_emplace(named, need->second.second);
            if (!is_new) place->second = std::max(place->second, need->second.second);
            if (core == one.owner) continue;
            to.insert({1, core, 0});
            ++out.arrivals;
            out.energy_pj += kind(core).write_pj;
        }
        const auto send_out = [&](const std::set<Node>& targets) {
            ++out.sends;
            out.energy_pj += kind(one.owner).read_pj;
            send(load, {1, one.owner, 0}, targets, 1);
        };
        if (!to.empty()) send_out(to);
        if (!wanted(one.tensor)) continue;
        const int dram = dram_of(named);
        send_out({{2, dram, 0}});
        ++load.drams[dram];
        ++out.dram_writes;
        out.energy_pj += package_.drams[dram].write_pj;
    }
}

void Walker::close(int slot, const SlotLoad& load, std::vector<std::int64_t>& lengths) {
    for (std::size_t core = 0; core < store_.size(); ++core) {
        out.peak[core] = std::max(out.peak[core], static_cast<std::int64_t>(store_[core].size()) + load.windows[core]);
        if (out.peak[core] > kind(static_cast<int>(core)).buffer_words) full_ = true;
        std::erase_if(store_[core], [&](const auto& entry) { return entry.second <= slot; });
    }
    double moving = 0.0;
    for (const auto& [step, words] : load.links)
        moving =
            std::max(moving, std::ceil(static_cast<double>(words) / link(step.first, step.second).words_per_cycle));
    for (const auto& [dram, words] : load.drams)
        moving = std::max(moving, std::ceil(static_cast<double>(words) / package_.drams[dram].words_per_cycle));
    lengths.push_back(std::max(std::ranges::max(load.busy), static_cast<std::int64_t>(moving) + load.way));
}

void Walker::run(const package::Run& run) {
    run_ = &run;
    full_ = false;
    for (int e = run.first; e < run.last; ++e) {
        bool is_read = false;
        for (int reader = e + 1; reader <= run.last; ++reader)
            for (const int o : operands(reader)) is_read = is_read || einsum(reader).accesses[o].tensor == result(e);
        if (!is_read || wanted(result(e))) throw Illegal{"run"};
    }
    const std::int64_t extent = einsum(run.last).einsum.dimensions[dimension(run.last, run.axis)].extent;
    steps_ = static_cast<int>((extent + run.step - 1) / run.step);
    make();
    place();
    give_out();
    note_needs();
    leaving_.clear();
    store_.assign(package_.cores.size(), {});
    std::vector<std::int64_t> lengths;
    const double link_pj = out.link_pj;
    for (int slot = -1; slot < slots_; ++slot) {
        SlotLoad load;
        load.busy.assign(package_.cores.size(), 0);
        load.windows = load.busy;
        slot_ = slot;
        bring(slot, load);
        for (const Work& work : work_[slot]) compute(slot, work, load);
        leave(slot, load);
        close(slot, load, lengths);
    }
    for (const auto& left : store_) demand(left.empty(), "words are left over");
    if (full_) throw Illegal{"room"};
    std::int64_t cycles = 0;
    for (const std::int64_t length : lengths) cycles += length;
    out.cycles += cycles;
    out.energy_pj += out.link_pj - link_pj;
    for (int core = 0; core < package_.core_count(); ++core)
        out.energy_pj += kind(core).leak_pj_per_cycle * static_cast<double>(cycles);
    out.slots.push_back(std::move(lengths));
}

}  // namespace
}  // namespace packages

PackageWalk walk_package(const Cascade& cascade, const package::Package& package,
                         const std::vector<package::Run>& runs) {
    packages::Walker walker(cascade, package);
    try {
        for (const package::Run& run : runs) walker.run(run);
    } catch (const packages::Illegal& illegal) {
        PackageWalk refused;
        refused.refused = illegal.why;
        return refused;
    }
    return walker.out;
}

}  // namespace tilewright::oracle
