// Rules 4 and 5 of docs/sparsity.md, "Exactly", word for word, against the model: every machine of up to two
// optimisations of a small product, for given elements that are not zero.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>

#include "model/exact/model.hpp"
#include "model/sparse/sparse_model.hpp"

namespace tilewright::sparse::rules_test {
namespace {

constexpr int kA = 0, kB = 1, kZ = 2;
constexpr int kDram = 0, kBuffer = 1;
constexpr std::int64_t kM = 4, kN = 2, kK = 2;

struct Rule {
    int memory = 0;
    int target = 0;
    std::vector<int> conditions;
    bool gates = false;
};

struct Machine {
    std::vector<Rule> rules;
    bool unit_gates = false;
    bool unit_skips = false;
    bool a_is_compressed = false;
};

/// A compute, and when: K and the outer half of M are stepped (or spread) in DRAM, the rest in the buffer.
struct Step {
    std::array<int, 3> element{};  ///< by tensor
    int outer = 0;                 ///< temporal step of DRAM
    int instance = 0;              ///< of the buffer
};

std::vector<Step> steps_of(bool spread) {
    std::vector<Step> steps;
    for (int k = 0; k < kK; ++k)
        for (int half = 0; half < 2; ++half)
            for (int m = 2 * half; m < 2 * half + 2; ++m)
                for (int n = 0; n < kN; ++n)
                    steps.push_back(
                        {{m * static_cast<int>(kK) + k, k * static_cast<int>(kN) + n, m * static_cast<int>(kN) + n},
                         spread ? k : 2 * k + half,
                         spread ? half : 0});
    return steps;
}

/// One access of a tensor at a memory: the steps that it serves.
struct Access {
    std::vector<int> steps;
    std::set<int> words;
    int instance = 0;  ///< of the memory
};

class Walk {
   public:
    using Marks = std::array<std::set<int>, 2>;  ///< of A and B: what is not zero

    Walk(const Machine& machine, bool spread, Marks marks)
        : machine_(machine), steps_(steps_of(spread)), marks_(std::move(marks)) {
        for (int t = kA; t <= kZ; ++t) {
            accesses_[kDram][t] = deliveries(t);
            for (int s = 0; s < static_cast<int>(steps_.size()); ++s)
                accesses_[kBuffer][t].push_back({{s}, {steps_[s].element[t]}, steps_[s].instance});
        }
    }

    struct Counts {
        std::array<std::array<Means, 3>, 2> reads;
        std::array<std::array<Means, 3>, 2> updates;
        Means computes;
    };

    Counts count() const {
        Counts counts;
        for (int m : {kDram, kBuffer})
            for (int t = kA; t <= kZ; ++t) count(m, t, counts);
        for (int s = 0; s < static_cast<int>(steps_.size()); ++s) {
            if (any_acts(s, false)) continue;  // does not come up
            const bool a_zero = is_zero(kA, {s}), b_zero = is_zero(kB, {s});
            if (machine_.unit_skips && machine_.a_is_compressed && a_zero)
                counts.computes.skipped += 1.0;
            else if (any_acts(s, true) || (machine_.unit_gates && (a_zero || b_zero)))
                counts.computes.gated += 1.0;
            else
                counts.computes.actual += 1.0;
        }
        return counts;
    }

   private:
    // The buffer's tile of a tensor stays until its words change; neighbours that are sent the same at once share it.
    std::vector<Access> deliveries(int tensor) const {
        std::map<std::pair<int, int>, std::set<int>> tiles;  // by outer step and instance
        for (const Step& step : steps_) tiles[{step.outer, step.instance}].insert(step.element[tensor]);
        std::map<std::pair<int, std::set<int>>, Access> all;  // by begin and words
        for (int s = 0; s < static_cast<int>(steps_.size()); ++s) {
            const std::set<int>& words = tiles[{steps_[s].outer, steps_[s].instance}];
            int begin = steps_[s].outer;
            while (begin > 0 && tiles[{begin - 1, steps_[s].instance}] == words) --begin;
            Access& access = all[{begin, words}];
            access.steps.push_back(s);
            access.words = words;
        }
        std::vector<Access> list;
        for (auto& [key, access] : all) list.push_back(std::move(access));
        return list;
    }

    const Access& serving(int memory, int tensor, int step) const {
        return *std::ranges::find_if(accesses_[memory][tensor],
                                     [&](const Access& access) { return std::ranges::count(access.steps, step) > 0; });
    }

    bool is_zero(int tensor, const std::vector<int>& steps) const {
        return std::ranges::none_of(steps, [&](int s) { return marks_[tensor].contains(steps_[s].element[tensor]); });
    }

    bool acts(const Rule& rule, int step) const {
        const Access& access = serving(rule.memory, rule.target, step);
        return std::ranges::any_of(rule.conditions, [&](int c) { return is_zero(c, access.steps); });
    }

    // Of an operand, on the access that is to serve this compute.
    bool any_acts(int step, bool gates) const {
        return std::ranges::any_of(machine_.rules, [&](const Rule& rule) {
            return rule.target != kZ && rule.gates == gates && acts(rule, step);
        });
    }

    bool has_no_use(const Access& access, int tensor, bool gates) const {
        for (const Rule& rule : machine_.rules) {
            if (rule.gates != gates || rule.target == kZ || rule.target == tensor) continue;
            std::vector<int> looked_at;
            for (const int s : access.steps) {
                const std::vector<int>& more = serving(rule.memory, rule.target, s).steps;
                looked_at.insert(looked_at.end(), more.begin(), more.end());
            }
            for (const int c : rule.conditions)
                if (is_zero(c, looked_at) && !(c == tensor && rule.memory == kBuffer)) return true;
        }
        if (tensor != kZ) return false;
        if (gates) return machine_.unit_gates && (is_zero(kA, access.steps) || is_zero(kB, access.steps));
        return machine_.unit_skips && machine_.a_is_compressed && is_zero(kA, access.steps);
    }

    enum class Fate { done, gated, skipped, none };

    Fate fate(int memory, int tensor, const Access& access) const {
        const int step = access.steps.front();
        const auto acts_here = [&](bool gates) {
            return std::ranges::any_of(machine_.rules, [&](const Rule& rule) {
                return rule.memory == memory && rule.target == tensor && rule.gates == gates && acts(rule, step);
            });
        };
        const bool further_out = std::ranges::any_of(machine_.rules, [&](const Rule& rule) {
            return rule.memory < memory && rule.target == tensor && acts(rule, step);
        });
        if (further_out) return Fate::none;
        if (acts_here(false)) return Fate::skipped;
        if (memory == kBuffer && has_no_use(access, tensor, false)) return Fate::none;
        if (acts_here(true) || (memory == kBuffer && has_no_use(access, tensor, true))) return Fate::gated;
        return Fate::done;
    }

    void count(int memory, int tensor, Counts& counts) const {
        std::map<int, std::set<int>> arrived;  // by instance
        std::vector<Access> accesses = accesses_[memory][tensor];
        std::ranges::sort(accesses, {}, [](const Access& access) { return access.steps.front(); });
        for (const Access& access : accesses) {
            const Fate what = fate(memory, tensor, access);
            for (const int word : access.words) {
                const bool is_first = arrived[access.instance].insert(word).second;
                if (tensor == kA && machine_.a_is_compressed && !marks_[kA].contains(word)) continue;
                if (tensor != kZ || !is_first) add(what, counts.reads[memory][tensor]);
                if (tensor == kZ) add(what, counts.updates[memory][tensor]);
            }
        }
    }

    static void add(Fate fate, Means& means) {
        if (fate == Fate::done) means.actual += 1.0;
        if (fate == Fate::gated) means.gated += 1.0;
        if (fate == Fate::skipped) means.skipped += 1.0;
    }

    const Machine& machine_;
    std::vector<Step> steps_;
    Marks marks_;
    std::array<std::array<std::vector<Access>, 3>, 2> accesses_;
};

Rank rank(int dimension) { return {{{dimension, 1}}}; }

Measured measured(const std::set<int>& marks, const Tile& extents) {
    return {"drawn", extents, std::make_shared<std::vector<std::int64_t>>(marks.begin(), marks.end())};
}

ExactResult counted(const Machine& machine, bool spread, const Walk::Marks& marks) {
    Einsum einsum;
    einsum.dimensions = {{"M", kM}, {"N", kN}, {"K", kK}};
    einsum.tensors = {
        {"A", {rank(0), rank(2)}, false, 0}, {"B", {rank(2), rank(1)}, false, 0}, {"Z", {rank(0), rank(1)}, true, 0}};
    Architecture architecture;
    architecture.memories.resize(2);
    architecture.memories[kBuffer].instances = architecture.compute.instances = spread ? 2 : 1;
    architecture.memories[kBuffer].mesh = architecture.compute.mesh = {spread ? 2 : 1, 1};
    const TensorSet all = TensorSet::all(3);
    const Loop k{2, 2, 2, LoopKind::temporal};
    const Loop half{0, 2, 2, spread ? LoopKind::spatial_x : LoopKind::temporal};
    MappingLevel dram{all, {k}, {}};
    (spread ? dram.spatial : dram.temporal).push_back(half);
    const Mapping mapping =
        mapping_of({dram, {all, {{0, 2, 2, LoopKind::temporal}, {1, 2, 2, LoopKind::temporal}}, {}}});
    Design design;
    design.densities = {measured(marks[kA], {kM, kK}), measured(marks[kB], {kK, kN}), FixedStructured{1.0}};
    design.memories.resize(2);
    for (MemoryDesign& memory : design.memories) {
        memory.formats.resize(3);
        if (machine.a_is_compressed) memory.formats[kA] = TensorFormat{{{RankFormat::cp, 2, 4, {}}}, false};
    }
    for (const Rule& rule : machine.rules) {
        MemoryDesign& memory = design.memories[rule.memory];
        (rule.gates ? memory.gating : memory.skipping).push_back({{rule.target, rule.conditions}});
    }
    design.gates_computes = machine.unit_gates;
    design.skips_computes = machine.unit_skips;
    return evaluate(einsum, architecture, mapping, design);
}

std::vector<Rule> all_rules() {
    std::vector<Rule> rules;
    for (const int memory : {kDram, kBuffer})
        for (const bool gates : {true, false}) {
            rules.push_back({memory, kA, {kB}, gates});
            rules.push_back({memory, kB, {kA}, gates});
            for (const std::vector<int>& conditions : {std::vector{kA}, std::vector{kB}, std::vector{kA, kB}})
                rules.push_back({memory, kZ, conditions, gates});
        }
    return rules;
}

// None, each, and each two.
std::vector<std::vector<Rule>> all_pairs() {
    const std::vector<Rule> rules = all_rules();
    std::vector<std::vector<Rule>> pairs{{}};
    for (std::size_t i = 0; i < rules.size(); ++i) {
        pairs.push_back({rules[i]});
        for (std::size_t j = i + 1; j < rules.size(); ++j) pairs.push_back({rules[i], rules[j]});
    }
    return pairs;
}

std::string text_of(const Machine& machine) {
    std::string text;
    for (const Rule& rule : machine.rules) {
        text += rule.memory == kDram ? "DRAM " : "buffer ";
        text += rule.gates ? "gates " : "skips ";
        text += std::string(1, "ABZ"[rule.target]) + " where";
        for (const int c : rule.conditions) text += std::string(" ") + "ABZ"[c];
        text += "; ";
    }
    if (machine.unit_gates) text += "the unit gates; ";
    if (machine.unit_skips) text += "the unit skips; ";
    return text + (machine.a_is_compressed ? "A is compressed" : "");
}

std::string text_of(const Means& means) {
    return std::to_string(means.actual) + " done " + std::to_string(means.gated) + " gated " +
           std::to_string(means.skipped) + " skipped";
}

bool are_near(const Means& a, const Means& b) {
    return std::abs(a.actual - b.actual) < 1e-9 && std::abs(a.gated - b.gated) < 1e-9 &&
           std::abs(a.skipped - b.skipped) < 1e-9;
}

std::string difference(const Walk::Counts& walked, const Expected& expected) {
    std::string text;
    const auto compare = [&](const std::string& what, const Means& ours, const Means& theirs) {
        if (!are_near(ours, theirs)) text += what + ": " + text_of(ours) + ", the model " + text_of(theirs) + "\n";
    };
    for (const int m : {kDram, kBuffer})
        for (int t = kA; t <= kZ; ++t) {
            const std::string place = std::string(1, "ABZ"[t]) + (m == kDram ? " in DRAM" : " in the buffer");
            compare("reads of " + place, walked.reads[m][t], expected.memories[m][t].reads.data);
            compare("updates of " + place, walked.updates[m][t], expected.memories[m][t].updates.data);
        }
    compare("computes", walked.computes, expected.computes);
    return text;
}

TEST(SparseRules, AreWhatTheModelCounts) {
    const std::array<Walk::Marks, 3> all_marks{
        Walk::Marks{std::set{0, 2, 5, 6}, std::set{0, 1, 2}},  // both have zeros
        Walk::Marks{std::set{0, 2, 4, 6}, std::set{0, 3}},     // a column of A is empty
        Walk::Marks{std::set{5}, std::set{2, 3}}};
    int machines = 0;
    int uncounted = 0;
    for (const std::vector<Rule>& rules : all_pairs())
        for (int unit = 0; unit < 8; ++unit) {
            const Machine machine{rules, (unit & 1) != 0, (unit & 2) != 0, (unit & 4) != 0};
            ++machines;
            for (const bool spread : {false, true})
                for (const Walk::Marks& marks : all_marks) {
                    const ExactResult result = counted(machine, spread, marks);
                    if (!result.uncounted.empty()) {
                        ++uncounted;
                        continue;
                    }
                    ASSERT_EQ(difference(Walk(machine, spread, marks).count(), result.expected), "")
                        << text_of(machine) << (spread ? ", spread" : "");
                }
        }
    EXPECT_EQ(machines, 1688);
    EXPECT_EQ(uncounted, 168);  // two conditions on a tensor that look at parts across each other
}

// The example of docs/sparsity.md: DRAM gates rows of B, the buffer skips words of it, and the same the other way.
TEST(SparseRules, WhatIsGatedFurtherOutAndSkippedInsideIsNoCompute) {
    const Walk::Marks marks{std::set{0, 2, 4, 6}, std::set{0, 1, 2, 3}};  // of A the second column is empty
    const Machine machine{{{kDram, kB, {kA}, true}, {kBuffer, kB, {kA}, false}}};
    const Expected counts = counted(machine, true, marks).expected;
    EXPECT_EQ(counts.memories[kDram][kB].reads.data, (Means{2.0, 2.0, 0.0}));
    EXPECT_EQ(counts.memories[kBuffer][kB].reads.data, (Means{8.0, 0.0, 0.0}));
    EXPECT_EQ(counts.computes, (Means{8.0, 0.0, 0.0}));
    const Machine other{{{kDram, kB, {kA}, false}, {kBuffer, kB, {kA}, true}}};
    EXPECT_EQ(counted(other, true, marks).expected.computes, (Means{8.0, 0.0, 0.0}));
    const Machine gates{{{kDram, kB, {kA}, true}}};
    EXPECT_EQ(counted(gates, true, marks).expected.computes, (Means{8.0, 8.0, 0.0}));
}

}  // namespace
}  // namespace tilewright::sparse::rules_test
