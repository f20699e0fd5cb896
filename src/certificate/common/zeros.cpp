#include "certificate/common/zeros.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "sparse/density.hpp"

namespace tilewright::certificate {
namespace {

/// Probability of a nonzero word at any place.
struct WordShare {
    std::int64_t words;  ///< of the tensor

    double operator()(const sparse::FixedStructured& fixed) const { return fixed.density; }
    double operator()(const sparse::UniformRandom& random) const {
        const auto all = static_cast<double>(words);
        return std::clamp(std::ceil(random.density * all * (1.0 - 1e-12)) / all, 0.0, 1.0);
    }
    double operator()(const sparse::Pattern& pattern) const {
        return static_cast<double>(pattern.kept) / static_cast<double>(pattern.of);
    }
    double operator()(const sparse::Banded& /*band*/) const { return 0.0; }        // refused: places are known
    double operator()(const sparse::Measured& /*measured*/) const { return 0.0; }  // likewise
};

/// `stored`: words an access needs to come up; `skipped`: by memory or unit; `not_up`: no served compute comes up.
Shares shares_of(const Deciding& deciding, Words skipped, Words not_up, Words gated, Words stored) {
    const double all = deciding.share(stored);
    const double kept = deciding.share(stored | skipped);
    const double running = deciding.share(stored | skipped | not_up);
    const double done = deciding.share(stored | skipped | not_up | gated);
    return {done, running - done, all - kept};
}

// Of one tensor: accesses of the compute units, and those between memories.
void add_shares(const Deciding& deciding, const sparse::Design& design, const Keepers& keepers, int t,
                ZeroShares& shares) {
    int outside = -1;
    for (std::uint32_t left = keepers[t]; left != 0; left &= left - 1) {
        const int m = std::countr_zero(left);
        const bool packed = is_compressed(design, m, t);
        WordShares& words = shares.words[m][t];
        const Words stored = packed ? word_of(t) : 0;
        const bool is_innermost = (left & (left - 1)) == 0;
        words.served = is_innermost ? shares_of(deciding, deciding.own(t, false), deciding.served(t, false, keepers),
                                                deciding.own(t, true) | deciding.served(t, true, keepers), stored)
                                    : Shares{deciding.share(stored), 0.0, 0.0};
        words.filled = deciding.share(stored);
        words.decompressed = outside >= 0 && is_compressed(design, outside, t) && !packed;
        outside = m;
    }
}

using sparse::Design;
using sparse::MemoryDesign;
using sparse::Option;
using sparse::OptionGroup;

bool is_placed(const sparse::Density& density) {
    return std::holds_alternative<sparse::Banded>(density) || std::holds_alternative<sparse::Measured>(density);
}

/// Looks for decisions beyond single words.
class Dependence {
   public:
    Dependence(const Einsum& einsum, const Architecture& machine, const Mapspace& mapspace, const Design& design)
        : einsum_(einsum), machine_(machine), mapspace_(mapspace), design_(design), deciding_(einsum, design) {}

    std::string find() const {
        for (int t = 0; t < einsum_.tensor_count(); ++t)
            if (std::string why = of_tensor(t); !why.empty()) return why;
        for (int m = 0; m < machine_.memory_count(); ++m) {
            if (std::string why = of_options(m); !why.empty()) return why;
            for (int t = 0; t < einsum_.tensor_count(); ++t)
                if (std::string why = of_format(m, t); !why.empty()) return why;
        }
        for (int t = 0; t < einsum_.tensor_count(); ++t)
            if (std::string why = of_units(t); !why.empty()) return why;
        const Keepers innermost = some_innermost();
        for (int t = 0; t < einsum_.tensor_count(); ++t)
            if (std::string why = of_neighbours(t, innermost); !why.empty()) return why;
        return "";
    }

   private:
    std::string quoted(int tensor) const { return "'" + einsum_.tensors[tensor].name + "'"; }
    const std::string& name(int memory) const { return machine_.memories[memory].name; }
    bool must_keep(int memory, int tensor) const { return mapspace_.kept_tensors(memory).has(tensor); }
    bool may_keep(int memory, int tensor) const {
        return must_keep(memory, tensor) || mapspace_.free_tensors(memory).has(tensor);
    }
    /// Some mapping keeps the tensor at `inside` and nowhere between `outside` and there.
    bool may_send(int outside, int inside, int tensor) const {
        if (!may_keep(outside, tensor)) return false;
        if (inside < machine_.memory_count() && !may_keep(inside, tensor)) return false;
        for (int m = outside + 1; m < inside; ++m)
            if (must_keep(m, tensor)) return false;
        return true;
    }
    bool is_plain(int tensor) const {
        return std::ranges::all_of(einsum_.tensors[tensor].ranks, [this](const Rank& rank) {
            return std::ranges::count_if(rank.terms, [this](const Term& term) { return moves(term); }) <= 1;
        });
    }

    std::string of_tensor(int t) const {
        if (is_placed(design_.densities[t]))
            return "where elements of " + quoted(t) + " are not zero depends on the tile";
        if (einsum_.tensors[t].written && !is_plain(t)) return "tiles of " + quoted(t) + ", a result, overlap";
        for (int d = 0; d < einsum_.dimension_count(); ++d)
            if (ranks_moved(t, d) > 1)
                return "'" + einsum_.dimensions[d].name + "' moves several ranks of " + quoted(t);
        return "";
    }

    bool moves(const Term& term) const { return einsum_.dimensions[term.dimension].extent > 1; }

    std::ptrdiff_t ranks_moved(int tensor, int dimension) const {
        return std::ranges::count_if(einsum_.tensors[tensor].ranks, [&](const Rank& rank) {
            return std::ranges::any_of(rank.terms,
                                       [&](const Term& term) { return term.dimension == dimension && moves(term); });
        });
    }

    std::string of_options(int m) const {
        const MemoryDesign& built = design_.memories[m];
        if (!built.spatial_skipping.empty()) return "'" + name(m) + "' skips across neighbours";
        for (const auto* groups : {&built.gating, &built.skipping})
            for (const OptionGroup& group : *groups) {
                if (group.size() > 1) return "which of several options '" + name(m) + "' has depends on the mapping";
                for (const Option& option : group)
                    if (std::string why = of_option(m, option); !why.empty()) return why;
            }
        return "";
    }

    // A tile's decision depends on the zeros of a whole other one.
    std::string of_option(int m, const Option& option) const {
        if (std::ranges::find(option.conditions, option.target) != option.conditions.end())
            return quoted(option.target) + " is avoided on a condition on itself";
        for (int inside = m + 1; inside < machine_.memory_count(); ++inside)
            if (may_keep(inside, option.target))
                return "'" + name(m) + "' avoids sending tiles of " + quoted(option.target) + " to '" + name(inside) +
                       "'";
        bool kept = false;
        for (int outside = 0; outside <= m; ++outside) kept = kept || must_keep(outside, option.target);
        return kept ? "" : "no memory outside '" + name(m) + "' has to keep " + quoted(option.target);
    }

    std::string of_format(int m, int t) const {
        const auto& format = design_.memories[m].formats[t];
        if (!may_keep(m, t)) return "";
        for (int outside = 0; outside < m; ++outside)
            if (std::string why = of_delivery(outside, m, t); !why.empty()) return why;
        if (!format) return "";
        if (!is_metadata_free(m, *format))
            return "the metadata of " + quoted(t) + " at '" + name(m) + "' costs what its tiles make of it";
        if (!format->is_compressed()) return "";
        if (!std::holds_alternative<sparse::FixedStructured>(design_.densities[t]))
            return "how many words of " + quoted(t) + " '" + name(m) + "' has to have room for depends on the tile";
        return is_plain(t) ? "" : "'" + name(m) + "' compresses tiles of " + quoted(t) + " that overlap";
    }

    // Words arrive without zeros only from a memory storing them so.
    std::string of_delivery(int outside, int inside, int t) const {
        if (!may_send(outside, inside, t)) return "";
        const bool packed = is_compressed(design_, outside, t);
        if (packed == is_compressed(design_, inside, t)) return "";
        const MemoryDesign& built = design_.memories[inside];
        if (!packed) return "'" + name(inside) + "' would have to compress " + quoted(t);
        if (built.decompresses && (built.compresses || !einsum_.tensors[t].written)) return "";
        return quoted(t) + " arrives compressed at '" + name(inside) + "', which does not take it so";
    }

    // Of no bits, or of bits without cost.
    bool is_metadata_free(int m, const sparse::TensorFormat& format) const {
        const MemoryDesign& built = design_.memories[m];
        const bool no_bits = std::ranges::all_of(format.ranks, [](const sparse::FormatRank& rank) {
            return rank.metadata_bits == 0 && rank.payload_bits == 0;
        });
        const Memory& memory = machine_.memories[m];
        const bool unlimited = !memory.read_words_per_cycle && !memory.write_words_per_cycle &&
                               !memory.shared_words_per_cycle && !built.metadata_depth;
        const bool no_energy = built.metadata_width_bits == 0 || built.metadata == sparse::AccessEnergies{};
        return no_bits || (unlimited && no_energy);
    }

    // The units' skipping must not depend on the memory they access: tensors are kept independently of each other.
    std::string of_units(int t) const {
        if (!design_.skips_computes || einsum_.tensors[t].written) return "";
        std::array<bool, 2> stored{};
        for (int m = 0; m < machine_.memory_count(); ++m)
            if (may_send(m, machine_.memory_count(), t)) stored[is_compressed(design_, m, t) ? 1 : 0] = true;
        return stored[0] && stored[1] ? "which computes units skip depends on the memory that keeps " + quoted(t) : "";
    }

    // Neighbours sharing a word decide about it together.
    std::string of_neighbours(int t, const Keepers& innermost) const {
        const Words deciding = deciding_.own(t, false) | deciding_.own(t, true) |
                               deciding_.served(t, false, innermost) | deciding_.served(t, true, innermost);
        if (deciding == 0) return "";
        const int units = machine_.memory_count();
        for (int source = 0; source < units; ++source) {
            if (!may_send(source, units, t)) continue;
            for (int fanout = source; fanout < units; ++fanout)
                if (machine_.fanout(fanout).size() > 1)
                    return "neighbours inside '" + name(source) + "' decide together about words of " + quoted(t);
        }
        return "";
    }

    // For the units' skipping all are equivalent.
    Keepers some_innermost() const {
        Keepers keepers{};
        for (int t = 0; t < einsum_.tensor_count(); ++t)
            for (int m = 0; m < machine_.memory_count(); ++m)
                if (may_send(m, machine_.memory_count(), t)) keepers[t] = 1U << m;
        return keepers;
    }

    const Einsum& einsum_;
    const Architecture& machine_;
    const Mapspace& mapspace_;
    const Design& design_;
    Deciding deciding_;
};

}  // namespace

Deciding::Deciding(const Einsum& einsum, const sparse::Design& design) : einsum_(einsum), design_(design) {
    for (int t = 0; t < einsum.tensor_count(); ++t)
        shares_.push_back(std::visit(WordShare{sparse::elements(sparse::extents_of(einsum, t))}, design.densities[t]));
}

Shares Deciding::computes(const Keepers& keepers) const {
    const Words asked = conditions_of_operands(false, -1);
    return shares_of(*this, unit(false, keepers), 0, conditions_of_operands(true, -1) | unit(true, keepers), asked);
}

ZeroShares zero_shares(const Einsum& einsum, const sparse::Design& design, const Keepers& keepers) {
    const Deciding deciding(einsum, design);
    ZeroShares shares;
    for (int t = 0; t < einsum.tensor_count(); ++t) add_shares(deciding, design, keepers, t, shares);
    shares.computes = deciding.computes(keepers);
    return shares;
}

std::vector<std::array<double, kMaxTensors>> held_shares(const Einsum& einsum, const sparse::Design& design) {
    std::vector<std::array<double, kMaxTensors>> held(design.memories.size());
    const Deciding deciding(einsum, design);
    for (std::size_t m = 0; m < held.size(); ++m) {
        held[m].fill(1.0);
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (is_compressed(design, static_cast<int>(m), t)) held[m][t] = deciding.share(word_of(t));
    }
    return held;
}

std::string tile_dependence(const Einsum& einsum, const Architecture& machine, const Mapspace& mapspace,
                            const Design& design) {
    return Dependence(einsum, machine, mapspace, design).find();
}

}  // namespace tilewright::certificate
