#include "mapper/priced/prices.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "arch/blocks.hpp"
#include "base/numbers/checked.hpp"
#include "model/exact/costs.hpp"
#include "model/sparse/steps.hpp"
#include "model/sparse/word_prices.hpp"

namespace tilewright::priced {
namespace {

constexpr std::size_t kMostWays = 64;
/// Of a word that must not move: more than any mapping costs, and far from what doubles cannot hold.
constexpr double kForbidden = 1e30;

using SharedPrices = std::shared_ptr<const lean::Prices>;

// ---- Zeros ----

/// Mappings that keep tensors in one way, on a machine that does something about zeros.
class ZeroPrices {
   public:
    ZeroPrices(const LayerProblem& problem, const Kept& kept) : problem_(problem), kept_(kept) {}

    PricedSpace space() const {
        const sparse::WordPrices usual = priced(true);
        PricedSpace space;
        space.constraints = that_keep(problem_, kept_);
        space.least = shared(usual.with_metadata.empty() ? usual : priced(false));
        space.searches.push_back({space.constraints, shared(usual)});
        // Tiles of a single word have no metadata.
        for (const sparse::TilePlace& place : usual.with_metadata)
            if (auto single = with_single_word(problem_.einsum, space.constraints, place.tensor, place.memory))
                space.searches.push_back({*std::move(single), space.least, true});
        return space;
    }

   private:
    sparse::WordPrices priced(bool metadata) const {
        return sparse::word_prices(problem_.einsum, problem_.architecture, *problem_.zeros, kept_, metadata);
    }
    static SharedPrices shared(const sparse::WordPrices& prices) {
        return std::make_shared<const lean::Prices>(prices.prices);
    }

    const LayerProblem& problem_;
    const Kept& kept_;
};

void add_zero_spaces(const LayerProblem& problem, FactorRule factors, PricedSpaces& all) {
    const Mapspace mapspace(problem.einsum, problem.architecture, problem.constraints, factors);
    const auto ways = ways_to_keep(mapspace, problem.einsum.tensor_count(), kMostWays);
    if (mapspace.has_remainders())
        all.refused = "constraints allow remainders, which are not counted with zeros";
    else if (!ways)
        all.refused =
            "there are more than 64 ways to choose which tensors each memory keeps: constrain them (bypass), or give "
            "--dense";
    if (!all.refused.empty()) return;
    for (const Kept& kept : *ways) try {
            all.spaces.push_back(ZeroPrices(problem, kept).space());
        } catch (const sparse::Uncounted& what) {
            all.left_out = what.what();
        }
}

// ---- Partial sums ----

/// Mappings of which the same is known of where words are final.
struct Finality {
    /// Memories in which no word is ever partial: they are not read, and have the room of final ones.
    std::vector<bool> final_only;
    /// The outermost fan-out with several neighbours that add to the same words: inside it none is final.
    int adds_at = std::numeric_limits<int>::max();
};

/// What tensors cost of which a fused leaf finds some in shared stores, and results that are wider until they are
/// final. Of a word that a memory is sent n times the last arrival is a final one, and of n arrivals n - 1 are preceded
/// by a read: so an arrival costs what a final one does, and a read the difference besides.
class PartialPrices {
   public:
    /// `homes`: by tensor, memory for which the outermost one stands; empty: none does.
    PartialPrices(const Einsum& einsum, const Architecture& machine, const PartialBits& bits,
                  std::vector<int> homes = {})
        : einsum_(einsum), machine_(machine), bits_(bits), homes_(std::move(homes)) {}

    SharedPrices prices(const Finality& known) const { return made(known, true); }
    /// For all mappings.
    SharedPrices least() const { return made({std::vector<bool>(machine_.memories.size(), true)}, false); }

   private:
    SharedPrices made(const Finality& known, bool forbids) const {
        auto prices = std::make_shared<lean::Prices>();
        prices->compute_pj = machine_.compute.energy_pj.value;
        for (int m = 0; m < machine_.memory_count(); ++m) {
            auto& at = prices->memories.emplace_back();
            for (int t = 0; t < einsum_.tensor_count(); ++t) {
                const int home = static_cast<std::size_t>(t) < homes_.size() ? homes_[t] : 0;
                const Memory& memory = machine_.memories[m == 0 ? home : m];
                at[t] = lean::prices_of_words(memory, einsum_.tensors[t]);
                if (static_cast<std::size_t>(t) < bits_.size() && bits_[t] > 0)
                    add_sums(memory, m, t, known, forbids, at[t]);
                if (m == 0 && home > 0)
                    at[t].read_moved = at[t].read_written = at[t].fill_moved = at[t].update_moved = 0.0;
                if (m < home) at[t].on_link = 0.0;
            }
        }
        return prices;
    }

    void add_sums(const Memory& memory, int m, int t, const Finality& known, bool forbids,
                  lean::TensorPrices& prices) const {
        widen(memory, t, m > known.adds_at, prices);
        if (!known.final_only[m]) prices.held = ratio(memory, t);
        if (known.final_only[m] && forbids) prices.read.add({1.0, kForbidden, false});
        if (m >= known.adds_at) prices.on_link = link_ratio(memory, t);
    }

    Tensor partial(int t) const {
        Tensor wide = einsum_.tensors[t];
        wide.bits = bits_[t];
        wide.scale_bits = 0;
        return wide;
    }

    double ratio(const Memory& memory, int t) const {
        return static_cast<double>(bits_[t]) / static_cast<double>(bits_of(einsum_.tensors[t], memory));
    }

    double link_ratio(const Memory& memory, int t) const {
        const auto of = [&](const Link& link) {
            return link_share(partial(t), link) / link_share(einsum_.tensors[t], link);
        };
        return memory.update_link ? std::min(of(memory.link), of(*memory.update_link)) : of(memory.link);
    }

    void widen(const Memory& memory, int t, bool never_final, lean::TensorPrices& prices) const {
        const lean::TensorPrices wide = lean::prices_of_words(memory, partial(t));
        const double times = ratio(memory, t);
        prices.read = wide.read;
        prices.fill = wide.fill;
        prices.read_moved = prices.fill_moved = times;
        prices.holds_whole_words = false;
        if (never_final) {
            prices.update = wide.update;
            prices.update_moved = times;
            return;
        }
        // Rows of partial and of final words are counted apart.
        for (std::size_t i = 0; i < prices.update.count; ++i) prices.update.terms[i].whole = false;
        const double more_rows =
            1.0 / rows_of(memory, partial(t)).words - 1.0 / rows_of(memory, einsum_.tensors[t]).words;
        prices.read.add({more_rows, memory.energy.update_pj.value, false});
        prices.read_written = times - 1.0;
    }

    const Einsum& einsum_;
    const Architecture& machine_;
    const PartialBits& bits_;
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
    PartialSearches(const LayerProblem& problem, const PartialBits& bits, const Mapspace& mapspace,
                    const Einsum& einsum, const Architecture& machine, const std::vector<int>& homes = {})
        : problem_(problem),
          bits_(bits),
          mapspace_(mapspace),
          machine_(machine),
          prices_(einsum, machine, bits, homes) {}

    PricedSpace space() {
        space_ = {problem_.constraints, prices_.least(), {}};
        std::optional<Constraints> constraints = problem_.constraints;
        // From the outermost fan-out on: what adds up further outside adds up nowhere outside of it.
        // Of several results each would have a fan-out of its own.
        const bool one = std::ranges::count_if(bits_, [](std::int64_t bits) { return bits > 0; }) == 1;
        for (int m = 0; m < machine_.memory_count() && constraints && one; ++m) {
            if (machine_.fanout(m).size() == 1) continue;
            add(*constraints, m);
            constraints = without_adding_at(*std::move(constraints), m);
        }
        if (constraints) add(*constraints, std::numeric_limits<int>::max());
        return std::move(space_);
    }

   private:
    // Words that are final where they arrive are so in all memories outside, too.
    void add(const Constraints& constraints, int adds_at) {
        Finality known{std::vector<bool>(machine_.memories.size(), false), adds_at};
        space_.searches.push_back({constraints, prices_.prices(known)});
        for (int m = 0; m < machine_.memory_count() && m <= adds_at; ++m) {
            if (!may_keep(mapspace_, m, bits_)) continue;
            known.final_only[m] = true;
            // Without a limit the room of partial ones is there, too.
            if (machine_.memories[m].usable_words() && !machine_.memories[m].spreads_only)
                space_.searches.push_back({constraints, prices_.prices(known)});
        }
    }

    // Of these mappings those without neighbours that add to the same words below a memory; nothing: there are none.
    std::optional<Constraints> without_adding_at(Constraints constraints, int memory) const {
        constraints.levels.resize(machine_.memories.size());
        for (int d = 0; d < problem_.einsum.dimension_count(); ++d) {
            if (problem_.einsum.dimensions[d].extent == 1 || !is_summed(d)) continue;
            if (!set_to_one(constraints.levels[memory].spatial, problem_.einsum.dimension_count(), d))
                return std::nullopt;
        }
        return constraints;
    }

    bool is_summed(int dimension) const {
        for (std::size_t t = 0; t < bits_.size(); ++t)
            if (bits_[t] > 0 && !is_relevant(problem_.einsum.tensors[t], dimension)) return true;
        return false;
    }

    const LayerProblem& problem_;
    const PartialBits& bits_;
    const Mapspace& mapspace_;
    const Architecture& machine_;
    const PartialPrices prices_;
    PricedSpace space_;
};

void add_partial_space(const LayerProblem& problem, const PartialBits& bits, FactorRule factors, PricedSpaces& all) {
    const Mapspace mapspace(all.einsum, all.architecture, problem.constraints, factors);
    all.spaces.push_back(PartialSearches(problem, bits, mapspace, all.einsum, all.architecture).space());
}

PartialBits in_parts_of(PartialBits bits, std::int64_t parts) {
    for (std::int64_t& one : bits) one = checked_mul(one, parts);
    return bits;
}

}  // namespace

PricedSpace space_of_leaf(const LayerProblem& problem, const std::vector<int>& homes, const Mapspace& mapspace) {
    const auto& [einsum, machine, constraints, words, zeros] = problem;
    if (words.has_partial_sums())
        return PartialSearches(problem, words.partial_bits, mapspace, einsum, machine, homes).space();
    const SharedPrices prices = PartialPrices(einsum, machine, {}, homes).least();
    return {constraints, prices, {{constraints, prices}}};
}

PricedSpaces priced_spaces(const LayerProblem& problem, FactorRule factors) {
    PricedSpaces all{problem.einsum, problem.architecture, {}, "", ""};
    if (problem.zeros) {
        add_zero_spaces(problem, factors, all);
        return all;
    }
    std::int64_t parts = 1;
    if (problem.words.has_blocks()) {
        const std::vector<WordBits> moved = moved_bits(problem.einsum, problem.words.blocks);
        parts = parts_of_bit(moved);
        all.einsum = in_parts(problem.einsum, moved, parts);
        all.architecture =
            in_parts(with_room_for_scales(problem.architecture, problem.einsum, problem.words.blocks), parts);
    }
    if (problem.words.has_partial_sums())
        add_partial_space(problem, in_parts_of(problem.words.partial_bits, parts), factors, all);
    else
        all.spaces.push_back({problem.constraints, nullptr, {{problem.constraints, nullptr}}});
    return all;
}

}  // namespace tilewright::priced
