#include "mapper/priced/prices.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "arch/blocks.hpp"
#include "base/numbers/checked.hpp"
#include "model/exact/costs.hpp"
#include "model/exact/partial_sums.hpp"
#include "model/sparse/dense_words.hpp"
#include "model/sparse/steps.hpp"
#include "model/sparse/word_prices.hpp"

namespace tilewright::priced {
namespace {

constexpr std::size_t kMostWays = 64;
/// Of a word that must not move: more than any mapping costs, and far from what doubles cannot hold.
constexpr double kForbidden = 1e30;

using SharedPrices = std::shared_ptr<const lean::Prices>;

/// Words in parts of a bit.
struct InParts {
    PartialBits partial_bits;
    sparse::BlockWidths blocks;
};

// ---- Partial sums ----

/// Mappings of which the same is known of where words are final.
struct Finality {
    /// Memories in which no word is ever partial: they are not read, and have the room of final ones.
    std::vector<bool> final_only;
    /// The outermost fan-out with several neighbours that add to the same words: inside it none is final.
    int adds_at = std::numeric_limits<int>::max();
};

/// Prices as if all words were final ones, and as if none were.
struct TwoWidths {
    lean::Prices final;
    lean::Prices partial;
    std::vector<std::vector<sparse::AgainShares>> again;
};

/// Prices of results with partial sums, and of a fused leaf's tensors in shared stores. Of n arrivals of a word at a
/// memory the last is final and n - 1 are preceded by a read: an arrival costs as a final one, a read the difference
/// besides.
class PartialPrices {
   public:
    /// `homes`: by tensor, the memory that the outermost one stands for; empty: none.
    PartialPrices(const Einsum& einsum, const Architecture& machine, const PartialBits& bits, TwoWidths both,
                  std::vector<int> homes = {})
        : einsum_(einsum), machine_(machine), bits_(bits), both_(std::move(both)), homes_(std::move(homes)) {}

    SharedPrices prices(const Finality& known) const { return made(known, true); }
    /// For all mappings.
    SharedPrices least() const { return made({std::vector<bool>(machine_.memories.size(), true)}, false); }

   private:
    SharedPrices made(const Finality& known, bool forbids) const {
        auto prices = std::make_shared<lean::Prices>(both_.final);
        for (int m = 0; m < machine_.memory_count(); ++m)
            for (int t = 0; t < static_cast<int>(bits_.size()); ++t) {
                if (bits_[t] == 0) continue;
                lean::TensorPrices& price = prices->memories[m][t];
                const double held = both_.partial.memories[m][t].held * ratio(m, t);
                const double on_link = both_.partial.memories[m][t].on_link * link_ratio(memory_at(m, t), t);
                widen(m, t, m > known.adds_at, price);
                if (!known.final_only[m])
                    price.most_held *= ratio(m, t);
                else if (forbids)
                    price.read.add({1.0, kForbidden, false});
                if (!known.final_only[m] || !forbids)
                    price.held = known.final_only[m] ? std::min(price.held, held) : held;
                price.on_link = m >= known.adds_at ? on_link : std::min(price.on_link, on_link);
            }
        for (int t = 0; t < static_cast<int>(homes_.size()); ++t)
            if (homes_[t] > 0) come_from_home(t, *prices);
        return prices;
    }

    // A shared store's bandwidth is its own traffic's, and the words pass no link outside it.
    void come_from_home(int t, lean::Prices& prices) const {
        lean::TensorPrices& at = prices.memories[0][t];
        at.read_moved = at.read_written = at.fill_moved = at.update_moved = 0.0;
        for (int m = 0; m < homes_[t]; ++m) prices.memories[m][t].on_link = 0.0;
    }

    const Memory& memory_at(int m, int t) const {
        return machine_.memories[m == 0 && static_cast<std::size_t>(t) < homes_.size() ? homes_[t] : m];
    }

    Tensor partial(int t) const {
        Tensor wide = einsum_.tensors[t];
        wide.bits = bits_[t];
        wide.scale_bits = 0;
        return wide;
    }

    double ratio(int m, int t) const {
        return static_cast<double>(bits_[t]) / static_cast<double>(bits_of(einsum_.tensors[t], memory_at(m, t)));
    }

    double link_ratio(const Memory& memory, int t) const {
        const auto of = [&](const Link& link) {
            return link_share(partial(t), link) / link_share(einsum_.tensors[t], link);
        };
        return memory.update_link ? std::min(of(memory.link), of(*memory.update_link)) : of(memory.link);
    }

    void widen(int m, int t, bool never_final, lean::TensorPrices& prices) const {
        const Memory& memory = memory_at(m, t);
        const lean::TensorPrices& wide = both_.partial.memories[m][t];
        const double times = ratio(m, t);
        prices.read = wide.read;
        prices.fill = wide.fill;
        prices.read_moved = wide.read_moved * times;
        prices.fill_moved = wide.fill_moved * times;
        prices.holds_whole_words = false;
        // Final words with their scales may be the wider ones.
        const bool narrower =
            wide.update_moved * times < prices.update_moved || wide.update.per_word() < prices.update.per_word();
        if (never_final || narrower) {
            prices.update = wide.update;
            prices.update_moved = wide.update_moved * times;
            return;
        }
        // Rows of partial and of final words are counted apart.
        for (std::size_t i = 0; i < prices.update.count; ++i) prices.update.terms[i].whole = false;
        const double more_rows =
            1.0 / rows_of(memory, partial(t)).words - 1.0 / rows_of(memory, einsum_.tensors[t]).words;
        prices.read.add({more_rows * both_.again[m][t].done, memory.energy.update_pj.value, false});
        prices.read_written = both_.again[m][t].running * (times - 1.0);
    }

    const Einsum& einsum_;
    const Architecture& machine_;
    const PartialBits& bits_;
    const TwoWidths both_;
    const std::vector<int> homes_;
};

bool may_keep(const Mapspace& mapspace, int memory, const PartialBits& bits) {
    for (int t = 0; t < static_cast<int>(bits.size()); ++t)
        if (bits[t] > 0 && (mapspace.kept_tensors(memory).has(t) || mapspace.free_tensors(memory).has(t))) return true;
    return false;
}

/// Searches for mappings whose partial sums meet at the same fan-out, each with the memories that hold final words
/// only.
class PartialSearches {
   public:
    PartialSearches(const Mapspace& mapspace, const Einsum& einsum, const Architecture& machine,
                    const PartialBits& bits, const PartialPrices& prices)
        : mapspace_(mapspace), einsum_(einsum), machine_(machine), bits_(bits), prices_(prices) {}

    std::vector<PricedSearch> all(const Constraints& given) {
        std::optional<Constraints> constraints = given;
        // From the outermost fan-out on: what adds up further outside adds up nowhere outside of it.
        // Of several results each would have a fan-out of its own.
        const bool one = std::ranges::count_if(bits_, [](std::int64_t bits) { return bits > 0; }) == 1;
        for (int m = 0; m < machine_.memory_count() && constraints && one; ++m) {
            if (machine_.fanout(m).size() == 1) continue;
            add(*constraints, m);
            constraints = without_adding_at(*std::move(constraints), m);
        }
        if (constraints) add(*constraints, std::numeric_limits<int>::max());
        return std::move(searches_);
    }

   private:
    // Words that are final where they arrive are so in all memories outside, too.
    void add(const Constraints& constraints, int adds_at) {
        Finality known{std::vector<bool>(machine_.memories.size(), false), adds_at};
        searches_.push_back({constraints, prices_.prices(known)});
        for (int m = 0; m < machine_.memory_count() && m <= adds_at; ++m) {
            if (!may_keep(mapspace_, m, bits_)) continue;
            known.final_only[m] = true;
            // Without a limit the room of partial ones is there, too.
            if (machine_.memories[m].usable_words() && !machine_.memories[m].spreads_only)
                searches_.push_back({constraints, prices_.prices(known)});
        }
    }

    // Of these mappings those without neighbours that add to the same words below a memory; nothing: there are none.
    std::optional<Constraints> without_adding_at(Constraints constraints, int memory) const {
        constraints.levels.resize(machine_.memories.size());
        for (int d = 0; d < einsum_.dimension_count(); ++d) {
            if (einsum_.dimensions[d].extent == 1 || !is_summed(d)) continue;
            if (!set_to_one(constraints.levels[memory].spatial, einsum_.dimension_count(), d)) return std::nullopt;
        }
        return constraints;
    }

    bool is_summed(int dimension) const {
        for (std::size_t t = 0; t < bits_.size(); ++t)
            if (bits_[t] > 0 && !is_relevant(einsum_.tensors[t], dimension)) return true;
        return false;
    }

    const Mapspace& mapspace_;
    const Einsum& einsum_;
    const Architecture& machine_;
    const PartialBits& bits_;
    const PartialPrices& prices_;
    std::vector<PricedSearch> searches_;
};

lean::Prices prices_of_words(const Einsum& einsum, const Architecture& machine, const std::vector<int>& homes = {}) {
    lean::Prices prices;
    prices.compute_pj = machine.compute.energy_pj.value;
    for (int m = 0; m < machine.memory_count(); ++m) {
        auto& at = prices.memories.emplace_back();
        for (int t = 0; t < einsum.tensor_count(); ++t) {
            const int memory = m == 0 && !homes.empty() ? homes[t] : m;
            at[t] = lean::prices_of_words(machine.memories[memory], einsum.tensors[t]);
        }
    }
    return prices;
}

TwoWidths both_widths(const Einsum& einsum, const Architecture& machine, const PartialBits& bits,
                      const std::vector<int>& homes = {}) {
    const std::vector<sparse::AgainShares> each(einsum.tensors.size());
    return {prices_of_words(einsum, machine, homes), prices_of_words(all_partial(einsum, bits), machine, homes),
            std::vector(machine.memories.size(), each)};
}

void add_partial_space(const LayerProblem& problem, const PartialBits& bits, FactorRule factors, PricedSpaces& all) {
    const Mapspace mapspace(all.einsum, all.architecture, problem.constraints, factors);
    const PartialPrices prices(all.einsum, all.architecture, bits, both_widths(all.einsum, all.architecture, bits));
    all.spaces.push_back(
        {problem.constraints, prices.least(),
         PartialSearches(mapspace, all.einsum, all.architecture, bits, prices).all(problem.constraints)});
}

// ---- Zeros ----

/// Mappings that keep tensors in one way, on a machine that does something about zeros.
class ZeroPrices {
   public:
    ZeroPrices(const LayerProblem& problem, const PricedSpaces& all, const InParts& parts, FactorRule factors,
               bool uneven, bool remainders, const Kept& kept)
        : problem_(problem),
          einsum_(all.einsum),
          machine_(all.architecture),
          parts_(parts),
          factors_(factors),
          uneven_(uneven),
          remainders_(remainders),
          kept_(kept) {}

    PricedSpace space() const {
        // Constraints do not say of uneven mappings that a tile is a single word, which has no metadata.
        const sparse::WordPrices usual = priced(einsum_, parts_.blocks, !uneven_);
        PricedSpace space;
        space.constraints = that_keep(problem_, kept_);
        const sparse::WordPrices least = usual.with_metadata.empty() ? usual : priced(einsum_, parts_.blocks, false);
        if (problem_.words.has_partial_sums()) {
            const Mapspace mapspace(einsum_, machine_, space.constraints, factors_);
            const PartialPrices prices = partial(usual, !uneven_);
            space.searches =
                PartialSearches(mapspace, einsum_, machine_, parts_.partial_bits, prices).all(space.constraints);
            space.least = partial(least, usual.with_metadata.empty()).least();
        } else {
            space.searches.push_back({space.constraints, std::make_shared<const lean::Prices>(usual.prices)});
            space.least = std::make_shared<const lean::Prices>(least.prices);
        }
        // Tiles of a single word have no metadata.
        for (const sparse::TilePlace& place : usual.with_metadata)
            if (auto single = with_single_word(einsum_, space.constraints, place.tensor, place.memory))
                space.searches.push_back({*std::move(single), space.least, true});
        return space;
    }

   private:
    sparse::WordPrices priced(const Einsum& einsum, const sparse::BlockWidths& blocks, bool metadata) const {
        return sparse::word_prices(einsum, machine_, *problem_.zeros, kept_, metadata, blocks, remainders_);
    }

    PartialPrices partial(const sparse::WordPrices& final, bool metadata) const {
        sparse::BlockWidths blocks = parts_.blocks;
        for (std::size_t t = 0; t < blocks.stored_widths.size(); ++t)
            if (parts_.partial_bits[t] > 0) blocks.stored_widths[t] = 1.0;
        const sparse::WordPrices wide = priced(all_partial(einsum_, parts_.partial_bits), blocks, metadata);
        return {einsum_, machine_, parts_.partial_bits, {final.prices, wide.prices, final.again}};
    }

    const LayerProblem& problem_;
    const Einsum& einsum_;
    const Architecture& machine_;
    const InParts& parts_;
    const FactorRule factors_;
    const bool uneven_;
    const bool remainders_;
    const Kept& kept_;
};

void add_zero_spaces(const LayerProblem& problem, const InParts& parts, FactorRule factors, bool uneven,
                     PricedSpaces& all) {
    const Mapspace mapspace(problem.einsum, problem.architecture, problem.constraints, factors);
    const auto ways = ways_to_keep(mapspace, problem.einsum.tensor_count(), kMostWays);
    if (!ways) all.refused = "there are more than 64 choices of kept tensors: constrain them (bypass), or give --dense";
    if (!all.refused.empty()) return;
    for (const Kept& kept : *ways) try {
            all.spaces.push_back(
                ZeroPrices(problem, all, parts, factors, uneven, mapspace.has_remainders(), kept).space());
        } catch (const sparse::Uncounted& what) {
            all.left_out = what.what();
        }
}

// Says layer and machine in parts of a bit where scales take fractions.
InParts said_in_parts(const LayerProblem& problem, PricedSpaces& all) {
    InParts parts{problem.words.partial_bits, {}};
    if (!problem.words.has_blocks()) return parts;
    const std::vector<WordBits> moved = moved_bits(problem.einsum, problem.words.blocks);
    parts.blocks.parts_of_bit = parts_of_bit(moved);
    for (std::int64_t& bits : parts.partial_bits) bits = checked_mul(bits, parts.blocks.parts_of_bit);
    parts.partial_bits.resize(problem.einsum.tensors.size());
    if (problem.zeros)
        parts.blocks.stored_widths =
            sparse::stored_widths(problem.einsum, problem.zeros->densities, problem.words.blocks);
    all.einsum = in_parts(problem.einsum, moved, parts.blocks.parts_of_bit);
    all.architecture = in_parts(with_room_for_scales(problem.architecture, problem.einsum, problem.words.blocks),
                                parts.blocks.parts_of_bit);
    return parts;
}

}  // namespace

PricedSpace space_of_leaf(const LayerProblem& problem, const std::vector<int>& homes, const Mapspace& mapspace) {
    const auto& [einsum, machine, constraints, words, zeros] = problem;
    const PartialBits& bits = words.partial_bits;
    const PartialPrices prices(einsum, machine, bits, both_widths(einsum, machine, bits, homes), homes);
    if (words.has_partial_sums())
        return {constraints, prices.least(), PartialSearches(mapspace, einsum, machine, bits, prices).all(constraints)};
    return {constraints, prices.least(), {{constraints, prices.least()}}};
}

PricedSpaces priced_spaces(const LayerProblem& problem, FactorRule factors, bool uneven) {
    PricedSpaces all{problem.einsum, problem.architecture, {}, "", ""};
    const InParts parts = said_in_parts(problem, all);
    if (problem.zeros)
        add_zero_spaces(problem, parts, factors, uneven, all);
    else if (problem.words.has_partial_sums())
        add_partial_space(problem, parts.partial_bits, factors, all);
    else
        all.spaces.push_back({problem.constraints, nullptr, {{problem.constraints, nullptr}}});
    return all;
}

}  // namespace tilewright::priced
