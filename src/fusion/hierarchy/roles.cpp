#include "fusion/hierarchy/roles.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "fusion/hierarchy/shared_buffer.hpp"

namespace tilewright::fusion {
namespace {

constexpr std::array<const char*, 8> kParts{"R", "S", "P", "Q", "C", "K", "N", "G"};
constexpr std::array<const char*, 3> kOperands{"Weights", "Inputs", "Outputs"};

// Places in kOperands; a unit takes two operands, of which machines speak.
constexpr int kSecond = 0;
constexpr int kFirst = 1;
constexpr int kResult = 2;
constexpr int kThird = 3;

// Extents that no demand has by chance: a factor that equals one is the whole dimension.
constexpr std::int64_t kWhole = 1'000'003;

int part_named(const char* name) {
    return static_cast<int>(std::ranges::find(kParts, std::string_view(name)) - kParts.begin());
}

// A layer that has every part once; with one operand the other has no axes.
Einsum layer_of_parts(bool two_operands) {
    Einsum layer{"layer", {}, {}};
    for (const char* part : kParts) layer.dimensions.push_back({part, kWhole});
    const auto tensor = [&](const char* name, const std::vector<std::vector<const char*>>& ranks, bool written) {
        Tensor made{name, {}, written};
        for (const std::vector<const char*>& parts : ranks) {
            Rank rank;
            for (const char* part : parts) rank.terms.push_back({part_named(part), 1});
            made.ranks.push_back(rank);
        }
        layer.tensors.push_back(made);
    };
    if (two_operands)
        tensor(kOperands[0], {{"G"}, {"C"}, {"K"}, {"R"}, {"S"}}, false);
    else
        tensor(kOperands[0], {}, false);
    tensor(kOperands[1], {{"N"}, {"G"}, {"C"}, {"R", "P"}, {"S", "Q"}}, false);
    tensor(kOperands[2], {{"N"}, {"G"}, {"K"}, {"Q"}, {"P"}}, true);
    return layer;
}

class Roles {
   public:
    explicit Roles(const Einsum& einsum) : einsum_(einsum) {
        int read = 0;
        for (const Tensor& tensor : einsum.tensors)
            operands_.push_back(tensor.written ? kResult : read++ == 0 ? kFirst : read == 2 ? kSecond : kThird);
        for (int d = 0; d < einsum.dimension_count(); ++d) parts_.push_back(part_of(d));
        find_windows();
    }

    // Operands that no machine speaks of.
    TensorSet further() const {
        TensorSet own;
        for (int t = 0; t < einsum_.tensor_count(); ++t)
            if (operands_[t] == kThird) own.add(t);
        return own;
    }

    TensorSet operands(TensorSet of_layer) const {
        TensorSet own;
        for (int t = 0; t < einsum_.tensor_count(); ++t)
            if (operands_[t] != kThird && of_layer.has(operands_[t])) own.add(t);
        return own;
    }

    std::vector<int> dimensions(int part) const {
        std::vector<int> own;
        for (int d = 0; d < einsum_.dimension_count(); ++d)
            if (parts_[d] == part) own.push_back(d);
        return own;
    }

    std::vector<int> dimensions(const std::vector<int>& parts) const {
        std::vector<int> own;
        for (const int part : parts)
            for (const int d : dimensions(part)) own.push_back(d);
        return own;
    }

   private:
    int part_of(int d) const {
        bool inputs = false;
        bool weights = false;
        bool outputs = false;
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            if (!is_relevant(einsum_.tensors[t], d)) continue;
            (operands_[t] == kFirst ? inputs : operands_[t] == kResult ? outputs : weights) = true;
        }
        if (!outputs) return part_named("C");
        if (inputs && weights) return part_named("G");
        return part_named(weights ? "K" : "N");
    }

    // Rows are the first window of the first operand that has any, columns the second.
    void find_windows() {
        const auto first = std::ranges::find_if(einsum_.tensors, [](const Tensor& tensor) {
            return !tensor.written &&
                   std::ranges::any_of(tensor.ranks, [](const Rank& r) { return r.terms.size() > 1; });
        });
        if (first == einsum_.tensors.end()) return;
        std::vector<const Rank*> windows;
        for (const Rank& rank : first->ranks)
            if (rank.terms.size() > 1) windows.push_back(&rank);
        for (std::size_t w = 0; w < windows.size() && w < 2; ++w) {
            const bool is_row = w == 0 && windows.size() > 1;
            for (const Term& term : windows[w]->terms) {
                int& part = parts_[term.dimension];
                const bool is_summed = part == part_named("C");
                part = part_named(is_summed ? (is_row ? "S" : "R") : (is_row ? "Q" : "P"));
            }
        }
    }

    const Einsum& einsum_;
    std::vector<int> operands_;  // by tensor: of kOperands
    std::vector<int> parts_;     // by dimension: of kParts
};

class Translation {
   public:
    Translation(const Einsum& einsum, const Architecture& architecture, std::string& problem)
        : einsum_(einsum), architecture_(architecture), roles_(einsum), problem_(problem) {}

    Constraints of(const Constraints& layer) const {
        Constraints own;
        own.min_parallelism = layer.min_parallelism;
        constexpr std::int64_t kAnyNumber = kWhole;
        for (std::size_t m = 0; m < layer.levels.size(); ++m) {
            const LevelConstraint& level = layer.levels[m];
            own.levels.push_back({loops(level.temporal, {kAnyNumber, 1}),
                                  loops(level.spatial, architecture_.fanout(static_cast<int>(m))),
                                  roles_.operands(level.must_keep), roles_.operands(level.must_bypass)});
        }
        add_further(own);
        return own;
    }

   private:
    // What is more than two operands comes from the buffer, word by word.
    void add_further(Constraints& own) const {
        const int buffer = shared_buffer(architecture_);
        for (int m = buffer; m < static_cast<int>(own.levels.size()); ++m) {
            TensorSet& set = m == buffer ? own.levels[m].must_keep : own.levels[m].must_bypass;
            set = TensorSet::from_bits(set.bits() | roles_.further().bits());
        }
    }

    // `room`: all factors together are no larger.
    LoopConstraint loops(const LoopConstraint& layer, Mesh room) const {
        LoopConstraint own;
        own.inner = roles_.dimensions(layer.inner);
        own.outer = roles_.dimensions(layer.outer);
        if (layer.split) own.split = split(layer);
        if (layer.remainders) problem_ = "it allows loops that leave remainders";
        if (layer.factors.empty()) return own;
        own.factors.resize(einsum_.dimensions.size());
        for (int part = 0; part < static_cast<int>(layer.factors.size()); ++part)
            set(layer.factors[part], part, room_of(part, layer, room), own);
        return own;
    }

    // Of all dimensions of a part together: an axis where its place in the order says which, else both.
    static std::int64_t room_of(int part, const LoopConstraint& layer, Mesh room) {
        if (!layer.split) return room.size();
        const auto inner = std::ranges::find(layer.inner, part) - layer.inner.begin();
        if (inner < std::ssize(layer.inner)) return inner < *layer.split ? room.x : room.y;
        const auto outer = std::ranges::find(layer.outer, part) - layer.outer.begin();
        if (outer == std::ssize(layer.outer)) return room.size();
        const auto place = std::ssize(kParts) - std::ssize(layer.outer) + outer;
        return place < *layer.split ? room.x : room.y;
    }

    // The first dimensions of the order go to X.
    int split(const LoopConstraint& layer) const {
        std::vector<int> order = layer.inner;
        for (int part = 0; part < static_cast<int>(kParts.size()); ++part)
            if (std::ranges::find(layer.inner, part) == layer.inner.end() &&
                std::ranges::find(layer.outer, part) == layer.outer.end())
                order.push_back(part);
        order.insert(order.end(), layer.outer.begin(), layer.outer.end());
        if (*layer.split >= static_cast<int>(order.size())) return einsum_.dimension_count();
        order.resize(static_cast<std::size_t>(*layer.split));
        return static_cast<int>(roles_.dimensions(order).size());
    }

    void set(const FactorConstraint& factor, int part, std::int64_t room, LoopConstraint& own) const {
        if (factor == FactorConstraint{}) return;
        std::vector<int> dimensions = roles_.dimensions(part);
        std::erase_if(dimensions, [&](int d) { return einsum_.dimensions[d].extent == 1; });
        FactorConstraint each = factor;
        if (each.exactly == kWhole) each.exactly = 0;
        if (each.at_most && *each.at_most >= room) each.at_most.reset();
        const bool is_any_number = each.exactly.value_or(0) <= 1 && each.at_least <= 1 && each.at_most.value_or(1) <= 1;
        if (dimensions.size() > 1 && !is_any_number)
            problem_ =
                "it bounds " + std::string(kParts[part]) + ", which several dimensions of '" + einsum_.name + "' are";
        for (const int d : dimensions) own.factors[d] = each;
    }

    const Einsum& einsum_;
    const Architecture& architecture_;
    Roles roles_;
    std::string& problem_;
};

}  // namespace

std::vector<Constraints> demands_of(const Cascade& cascade, const Architecture& architecture, const DemandsOf& demands,
                                    std::string& problem) {
    std::vector<Constraints> all;
    const Constraints of_two = demands ? demands(layer_of_parts(true)) : Constraints{};
    const Constraints of_one = demands ? demands(layer_of_parts(false)) : Constraints{};
    for (const CascadeEinsum& one : cascade.einsums) {
        const auto is_read = [](const Tensor& tensor) { return !tensor.written; };
        const bool has_one = std::ranges::count_if(one.einsum.tensors, is_read) == 1;
        all.push_back(Translation(one.einsum, architecture, problem).of(has_one ? of_one : of_two));
    }
    return all;
}

Constraints demands_on(const Constraints& demands, const std::vector<std::int64_t>& extents) {
    Constraints own = demands;
    const auto resolve = [&](LoopConstraint& loops) {
        for (std::size_t d = 0; d < loops.factors.size(); ++d) {
            FactorConstraint& factor = loops.factors[d];
            if (factor.exactly)
                factor.exactly = *factor.exactly == 0 ? extents[d] : std::min(*factor.exactly, extents[d]);
            factor.at_least = std::min(factor.at_least, extents[d]);
        }
    };
    for (LevelConstraint& level : own.levels) {
        resolve(level.temporal);
        resolve(level.spatial);
    }
    return own;
}

}  // namespace tilewright::fusion
