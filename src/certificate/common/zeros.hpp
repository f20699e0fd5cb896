// Shares of accesses and computes left by zeros, for single-word decisions, derived from the design alone.
//
// An access of a compute unit is avoided if one of the deciding words is zero; a word not stored is neither sent nor
// filled. With single-word decisions only, these shares are equal in all tiles, and the model's means are those of a
// dense machine times a share (docs/sparsity.md, "Exactly"). Derived independently: a design's values are shared with
// the search, their effects are not.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapspace/mapspace.hpp"
#include "sparse/design.hpp"
#include "workload/einsum.hpp"

namespace tilewright::certificate {

/// Shares of the dense number. The rest never comes up.
struct Shares {
    double done = 1.0;
    double gated = 0.0;
    double skipped = 0.0;

    /// Those that take time.
    double timed() const { return done + gated; }
};

struct WordShares {
    Shares served;              ///< of requests to the memory
    double filled = 1.0;        ///< of deliveries to it
    bool decompressed = false;  ///< it unpacks its deliveries
};

struct ZeroShares {
    std::array<std::array<WordShares, kMaxTensors>, kMaxMemories> words;
    Shares computes;
};

/// By tensor: its memories (bits).
using Keepers = std::array<std::uint32_t, kMaxTensors>;

/// Requires tile_dependence() == "" and kept tensors of the mapspace.
ZeroShares zero_shares(const Einsum& einsum, const sparse::Design& design, const Keepers& keepers);

/// By memory and tensor: share of a tile's words that needs room, rounded up to words.
std::vector<std::array<double, kMaxTensors>> held_shares(const Einsum& einsum, const sparse::Design& design);

// Words deciding accesses and computes, for a design with single-word options. Internal to certificate/common.

/// Tensors (bits) with a word that must not be zero.
using Words = std::uint32_t;

inline Words word_of(int tensor) { return 1U << tensor; }

inline bool is_compressed(const sparse::Design& design, int memory, int tensor) {
    const auto& format = design.memories[memory].formats[tensor];
    return format && format->is_compressed();
}

class Deciding {
   public:
    /// Keeps references to both.
    Deciding(const Einsum& einsum, const sparse::Design& design);

    double share(Words words) const {
        double share = 1.0;
        for (; words != 0; words &= words - 1) share *= shares_[std::countr_zero(words)];
        return share;
    }

    /// Of the computes: those without skipped operands come up; the units skip some of these, and gate some.
    Shares computes(const Keepers& keepers) const;

    /// Of an access by a compute unit: words for which its own memory skips, or gates, it.
    Words own(int tensor, bool gates) const {
        Words words = 0;
        visit(gates, [&](const sparse::Option& option) {
            if (option.target == tensor) words |= conditions_of(option);
        });
        return words;
    }

    /// And words for which its computes are avoided, except its own: it is read to be looked at.
    Words served(int tensor, bool gates, const Keepers& keepers) const {
        const Words words = conditions_of_operands(gates, tensor);
        return einsum_.tensors[tensor].written ? words | unit(gates, keepers) : words;
    }

   private:
    static Words conditions_of(const sparse::Option& option) {
        Words words = 0;
        for (const int condition : option.conditions) words |= word_of(condition);
        return words;
    }

    template <typename Use>
    void visit(bool gates, const Use& use) const {
        for (const sparse::MemoryDesign& memory : design_.memories)
            for (const sparse::OptionGroup& group : gates ? memory.gating : memory.skipping)
                for (const sparse::Option& option : group) use(option);
    }

    // Of the options on operands other than this tensor.
    Words conditions_of_operands(bool gates, int tensor) const {
        Words words = 0;
        visit(gates, [&](const sparse::Option& option) {
            if (option.target != tensor && !einsum_.tensors[option.target].written) words |= conditions_of(option);
        });
        return tensor < 0 ? words : words & ~word_of(tensor);
    }

    // A unit gates for every operand, and skips for those stored without zeros.
    Words unit(bool gates, const Keepers& keepers) const {
        Words words = 0;
        if (gates ? !design_.gates_computes : !design_.skips_computes) return words;
        for (int t = 0; t < einsum_.tensor_count(); ++t)
            if (!einsum_.tensors[t].written && (gates || is_packed_inside(t, keepers[t]))) words |= word_of(t);
        return words;
    }

    bool is_packed_inside(int tensor, std::uint32_t keepers) const {
        return keepers != 0 && is_compressed(design_, std::bit_width(keepers) - 1, tensor);
    }

    const Einsum& einsum_;
    const sparse::Design& design_;
    std::vector<double> shares_;
};

// Whether zeros save the same share in all tiles: the condition of zeros.hpp.

/// Reason the savings depend on tiles or are unknown, in words; "": zero_shares() holds for the whole space.
std::string tile_dependence(const Einsum& einsum, const Architecture& machine, const Mapspace& mapspace,
                            const sparse::Design& design);

}  // namespace tilewright::certificate
