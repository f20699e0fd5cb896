#include "model/sparse/word_prices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "arch/widths.hpp"
#include "base/numbers/checked.hpp"
#include "model/sparse/avoided.hpp"
#include "model/sparse/dense_words.hpp"
#include "model/sparse/sparse_model.hpp"
#include "sparse/occupancy.hpp"

namespace tilewright::sparse {
namespace {

using lean::Price;
using lean::TensorPrices;

/// The chance that an element is not zero, at least and wherever it is; and that of two not both are.
struct ElementShare {
    const Tile& extents;
    int count;  ///< of elements: one or two

    double operator()(const FixedStructured& fixed) const { return std::min(1.0, count * fixed.density); }
    double operator()(const UniformRandom& random) const {
        const std::int64_t all = elements(extents);
        return 1.0 - hypergeometric(0, std::min<std::int64_t>(count, all), marked_of(random.density, all), all);
    }
    double operator()(const Pattern& pattern) const {
        const double one = static_cast<double>(pattern.kept) / static_cast<double>(pattern.of);
        return count == 1 ? one : 1.0 - (1.0 - one) * (1.0 - one);
    }
    double operator()(const Banded& band) const {
        double marked = 0.0;
        for (std::int64_t i = 0; i < extents.front(); ++i)
            marked += static_cast<double>(std::min(extents.front() - 1, i + band.half_width) -
                                          std::max<std::int64_t>(0, i - band.half_width) + 1);
        return marked / static_cast<double>(elements(extents));
    }
    double operator()(const Measured& measured) const {
        return static_cast<double>(measured.places->size()) / static_cast<double>(elements(extents));
    }
};

/// Room that a compressed tile takes at least, as a share of its words, and at most.
struct Held {
    const Tile& extents;
    double share;

    std::pair<double, double> operator()(const FixedStructured& fixed) const { return {fixed.density, kUnlimited}; }
    // Anything may be in one tile.
    std::pair<double, double> operator()(const UniformRandom& random) const {
        return {1.0, static_cast<double>(marked_of(random.density, elements(extents)))};
    }
    std::pair<double, double> operator()(const auto&) const { return {share, kUnlimited}; }

    static constexpr double kUnlimited = std::numeric_limits<double>::infinity();
};

Einsum single_operation(Einsum einsum) {
    for (Dimension& dimension : einsum.dimensions) dimension.extent = 1;
    return einsum;
}

Mapping without_loops(const std::vector<std::vector<bool>>& keeps, int memories) {
    std::vector<MappingLevel> levels(static_cast<std::size_t>(memories));
    for (std::size_t t = 0; t < keeps.size(); ++t)
        for (std::size_t m = 0; m < levels.size(); ++m)
            if (keeps[t][m]) levels[m].keep.add(static_cast<int>(t));
    return mapping_of(levels);
}

// As if every option were built: which is, depends on the mapping.
void build_all(std::vector<OptionGroup>& groups) {
    std::vector<OptionGroup> all;
    for (const OptionGroup& group : groups)
        for (const Option& option : group) all.push_back({option});
    groups = std::move(all);
}

/// What every element of the tensors is by itself. Tensors whose elements are in known places share what is known
/// where they meet; of more than one nothing is said, nor where some elements are touched more often than others.
std::vector<double> element_shares(const Einsum& einsum, const std::vector<Density>& densities, int count,
                                   bool remainders) {
    const auto placed = std::count_if(densities.begin(), densities.end(), is_placed);
    std::vector<double> shares;
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        const Density& density = densities[t];
        const bool known = !is_placed(density) || (placed == 1 && is_plain(einsum, t) && !remainders);
        const int looked_at = is_placed(density) ? 1 : count;
        shares.push_back(known ? std::visit(ElementShare{extents_of(einsum, t), looked_at}, density) : 0.0);
    }
    return shares;
}

Design word_by_word(Design design, const std::vector<double>& shares) {
    for (MemoryDesign& memory : design.memories) {
        build_all(memory.gating);
        build_all(memory.skipping);
    }
    for (std::size_t t = 0; t < shares.size(); ++t) design.densities[t] = FixedStructured{shares[t]};
    return design;
}

struct AccessShares {
    double asked = 1.0;
    double kept = 1.0;
    double running = 1.0;
    double done = 1.0;
};

class Pricing {
   public:
    Pricing(const Einsum& einsum, const Architecture& architecture, const Design& design,
            const std::vector<std::vector<bool>>& keeps, bool metadata, const BlockWidths& blocks, bool remainders)
        : einsum_(einsum),
          blocks_(blocks),
          architecture_(architecture),
          design_(design),
          keeps_(keeps),
          metadata_(metadata),
          has_places_(std::ranges::any_of(design.densities, is_placed)),
          remainders_(remainders),
          shares_(element_shares(einsum, design.densities, 1, remainders)),
          pairs_(element_shares(einsum, design.densities, remainders ? 1 : 2, remainders)),
          single_(single_operation(einsum)),
          words_(word_by_word(design, shares_)),
          mapping_(without_loops(keeps, architecture.memory_count())),
          nests_(nests_of(single_, architecture, mapping_)),
          chances_(nests_.front(), words_.densities),
          accesses_(accesses_of(nests_, keeps)),
          avoided_(nests_, architecture, words_, keeps, accesses_, nothing_, chances_) {}

    WordPrices run() {
        const ExactResult counted = evaluate(single_, architecture_, mapping_, words_);
        if (!counted.uncounted.empty()) throw Uncounted(counted.uncounted);
        decided_by_words_ = are_decided_by_words();
        result_.prices.memories.resize(architecture_.memories.size());
        result_.again.assign(architecture_.memories.size(), std::vector<AgainShares>(einsum_.tensors.size()));
        for (int m = 0; m < architecture_.memory_count(); ++m)
            for (int t = 0; t < einsum_.tensor_count(); ++t)
                if (keeps_[t][m]) price(access(t, m));
        price_computes();
        return std::move(result_);
    }

   private:
    Access access(int t, int m) const { return access_of(nests_[t], keeps_[t], t, m); }
    const Memory& memory(int m) const { return architecture_.memories[m]; }
    const MemoryDesign& built(int m) const { return design_.memories[m]; }
    const Tensor& tensor(int t) const { return einsum_.tensors[t]; }
    TensorPrices& at(int t, int m) { return result_.prices.memories[m][t]; }
    const TensorFormat* format(int t, int m) const {
        const auto& format = built(m).formats[t];
        return format ? &*format : nullptr;
    }
    bool compressed(int t, int m) const {
        const TensorFormat* const one = format(t, m);
        return one != nullptr && one->is_compressed();
    }

    double stored_width(int t, int m) const {
        return compressed(t, m) && !blocks_.stored_widths.empty() ? blocks_.stored_widths[t] : 1.0;
    }
    double held_width(int t, int m) const { return memory(m).holds_scales ? stored_width(t, m) : 1.0; }
    double words_in_row(int t, int m) const {
        const double width = held_width(t, m);
        if (width == 1.0) return rows_of(memory(m), tensor(t)).words;
        return rows_of_bits(memory(m), width * static_cast<double>(bits_of(tensor(t), memory(m)))).words;
    }

    // Elements are looked at one by one: no optimisation of accesses between memories, no neighbours that are
    // served together; and which options are built is known.
    bool are_decided_by_words() const {
        if (remainders_ && has_places_) return false;
        const auto is_open = [](const OptionGroup& group) { return group.size() > 1; };
        for (const MemoryDesign& one : design_.memories)
            if (std::any_of(one.gating.begin(), one.gating.end(), is_open) ||
                std::any_of(one.skipping.begin(), one.skipping.end(), is_open))
                return false;
        for (int m = 0; m < architecture_.memory_count(); ++m)
            for (int t = 0; t < einsum_.tensor_count(); ++t) {
                if (!keeps_[t][m]) continue;
                const Access one = access(t, m);
                if (avoided_.acts_between_memories(one)) return false;
                if (!serves_computes(nests_.front(), one)) continue;
                for (int l = m; l < architecture_.memory_count(); ++l)
                    if (architecture_.fanout(l).size() > 1) return false;
            }
        return true;
    }

    AccessShares shares_of(const AccessNeeds& needs, int t, bool compressed) {
        const auto share = [&](Needs one) {
            if (compressed) one.add(t, 0);
            return one.share(chances_);
        };
        return {share(needs.asked), share(needs.kept), share(needs.running), share(needs.done)};
    }

    struct Energies {
        double whole_pj = 0.0;
        double gated_pj = 0.0;
        double skipped_pj = 0.0;
    };

    // What is gated where a tile decides may be less: then it costs no more than what is done, and parts of rows
    // nothing.
    void add_data(const AccessShares& shares, bool exact, const Energies& energies, double row_words, Price& price) {
        const bool whole = row_words != 1.0;
        const double gated_pj = exact ? energies.gated_pj : std::min(energies.gated_pj, energies.whole_pj);
        price.add({shares.done / row_words, energies.whole_pj, whole && (exact || gated_pj == 0.0)});
        price.add({(shares.running - shares.done) / row_words, gated_pj, whole && exact});
        if (exact) price.add({(shares.asked - shares.kept) / row_words, energies.skipped_pj, whole});
    }

    // Bits of the innermost rank that come with a word; what other ranks take depends on the tile.
    double metadata_bits(const TensorFormat& format, int t, const Needs& needs) {
        const FormatRank& rank = format.ranks.front();
        const auto bits = static_cast<double>(rank.metadata_bits);
        switch (rank.format) {
            case RankFormat::uop: return 0.0;
            case RankFormat::cp:
            case RankFormat::rle: {
                Needs stored = needs;
                stored.add(t, 0);
                return bits * stored.share(chances_);
            }
            case RankFormat::b: return bits * needs.share(chances_) * pairs_[t];
            case RankFormat::ub: return bits * needs.share(chances_);
        }
        return 0.0;
    }

    // A result's first update needs no read of a partial sum, and its last one is final. Where elements that are not
    // zero have places, more of the first updates may be done than of all: of n >= 2 updates a share s is done, all of
    // the first at most, so that of n - 1 reads (n s - 1) / (n - 1) are left at least, least of all with two.
    double share_of_reads(int t, double share) const {
        return tensor(t).written && has_places_ ? std::max(0.0, 2.0 * share - 1.0) : share;
    }
    // Likewise of n updates and n - 1 reads.
    double share_on_link(int t, double share) const {
        return tensor(t).written && has_places_ ? std::max(0.0, (4.0 * share - 1.0) / 3.0) : share;
    }

    void add_reads(const Access& one, const AccessShares& shares, bool exact, Price& price) {
        const Energies energies{rates_of(memory(one.source)).read_pj, built(one.source).gated.read_pj,
                                built(one.source).skipped.read_pj};
        const double row_words = words_in_row(one.tensor, one.source);
        if (!tensor(one.tensor).written || !has_places_) return add_data(shares, exact, energies, row_words, price);
        const double done = share_of_reads(one.tensor, shares.done);
        add_data({done, done, done, done}, false, energies, row_words, price);
    }

    /// Of what moves at memory `m`, as tiles of `tile_memory`: its part of a word of bandwidth.
    double add_metadata(int t, int m, int tile_memory, const Needs& needs, double pj, Price& price) {
        const TensorFormat* const one = format(t, m);
        if (!metadata_ || one == nullptr) return 0.0;
        const double bits = metadata_bits(*one, t, needs);
        if (bits == 0.0) return 0.0;
        const auto width = static_cast<double>(built(m).metadata_width_bits);
        if (width > 0.0) price.add({bits / width, pj, width != 1.0});
        const TilePlace place{t, tile_memory};
        const bool counts = (width > 0.0 && pj > 0.0) || rates_of(memory(m)).may_throttle();
        if (counts &&
            std::find(result_.with_metadata.begin(), result_.with_metadata.end(), place) == result_.with_metadata.end())
            result_.with_metadata.push_back(place);
        return bits * static_cast<double>(blocks_.parts_of_bit) / static_cast<double>(bits_of(tensor(t), memory(m)));
    }

    void price(const Access& one) {
        const int t = one.tensor;
        const int m = one.source;
        const bool written = tensor(t).written;
        const AccessNeeds needs = avoided_.of(one);
        const bool to_computes = serves_computes(nests_.front(), one);
        const bool exact = needs.done.empty() || (to_computes && decided_by_words_);
        const AccessShares shares = shares_of(needs, t, compressed(t, m));
        const MemoryRates rates = rates_of(memory(m));
        const double row_words = words_in_row(t, m);
        const MemoryDesign& design = built(m);
        TensorPrices& prices = at(t, m);
        add_reads(one, shares, exact, prices.read);
        add_data(shares, exact, {rates.update_pj, design.gated.update_pj, design.skipped.update_pj}, row_words,
                 prices.update);
        (written ? prices.update : prices.read).add({shares.running, rates.address_pj, false});
        const Needs& moved = to_computes ? needs.asked : needs.done;
        const int tile_memory = to_computes ? m : one.child;
        const double width = held_width(t, m);
        prices.read_moved = share_of_reads(t, shares.running) * width;
        if (!written || !has_places_)
            prices.read_moved += add_metadata(t, m, tile_memory, moved, design.metadata.read_pj, prices.read);
        prices.update_moved =
            shares.running * width + add_metadata(t, m, tile_memory, moved, design.metadata.update_pj, prices.update);
        prices.on_link = share_on_link(t, shares.done) * stored_width(t, m);
        // Partial sums have no scales: by how much they are wider is not known where final words have.
        result_.again[m][t] = width > 1.0
                                  ? AgainShares{0.0, 0.0}
                                  : AgainShares{share_of_reads(t, shares.done), share_of_reads(t, shares.running)};
        set_room(t, m, prices);
        if (!to_computes) price_fills(one, needs.done, shares.done);
    }

    void price_fills(const Access& one, const Needs& needs, double sent) {
        const int t = one.tensor;
        const int child = one.child;
        const MemoryDesign& design = built(child);
        const MemoryRates rates = rates_of(memory(child));
        Needs stored = needs;
        if (compressed(t, child)) stored.add(t, 0);
        const double filled = share_of_reads(t, stored.share(chances_));
        TensorPrices& prices = at(t, child);
        const double row_words = words_in_row(t, child);
        prices.fill.add({filled / row_words, rates.fill_pj, row_words != 1.0});
        prices.fill.add({filled, rates.address_pj, false});
        prices.fill_moved = filled * held_width(t, child);
        if (!tensor(t).written || !has_places_)
            prices.fill_moved += add_metadata(t, child, child, needs, design.metadata.fill_pj, prices.fill);
        if (!compressed(t, one.source) || compressed(t, child)) return;
        prices.fill.add({filled, design.decompression_pj, false});
        if (tensor(t).written) at(t, one.source).update.add({sent, design.compression_pj, false});
    }

    void set_room(int t, int m, TensorPrices& prices) const {
        if (!compressed(t, m)) return;
        const bool gapless = is_plain(einsum_, t) || std::all_of(tensor(t).ranks.begin(), tensor(t).ranks.end(), unit);
        const Tile extents = extents_of(einsum_, t);
        const auto [share, most] = std::visit(Held{extents, shares_[t]}, design_.densities[t]);
        prices.held = gapless ? share : 0.0;  // boxes have places that no step touches
        prices.most_held = most;
    }

    static bool unit(const Rank& rank) {
        return std::all_of(rank.terms.begin(), rank.terms.end(),
                           [](const Term& term) { return std::abs(term.coefficient) == 1; });
    }

    void price_computes() {
        const ComputeNeeds needs = avoided_.of_computes();
        const bool exact = needs.done.empty() || decided_by_words_;
        const double asked = needs.asked.share(chances_);
        const double kept = needs.kept.share(chances_);
        const double done = needs.done.share(chances_);
        const double whole_pj = architecture_.compute.energy_pj.value;
        const auto spared = [&](double pj) { return pj == whole_pj ? 0.0 : pj; };
        const double gated_pj = spared(design_.gated_compute_pj);
        result_.prices.compute_pj = done * whole_pj + (kept - done) * (exact ? gated_pj : std::min(gated_pj, whole_pj));
        if (exact) result_.prices.compute_pj += (asked - kept) * spared(design_.skipped_compute_pj);
        result_.prices.busy = kept;
    }

    const Einsum& einsum_;
    const BlockWidths& blocks_;
    const Architecture& architecture_;
    const Design& design_;
    const std::vector<std::vector<bool>>& keeps_;
    bool metadata_;
    bool has_places_;  ///< of some tensor it is known where elements are not zero
    bool remainders_;
    std::vector<double> shares_;  ///< by tensor: elements that are not zero
    std::vector<double> pairs_;   ///< pairs of which one is not
    Einsum single_;
    Design words_;
    Mapping mapping_;
    std::vector<Nest> nests_;
    Evaluation nothing_;
    Chances chances_;
    AccessTable accesses_;
    Avoided avoided_;
    bool decided_by_words_ = false;
    WordPrices result_;
};

}  // namespace

WordPrices word_prices(const Einsum& einsum, const Architecture& architecture, const Design& design,
                       const std::vector<std::vector<bool>>& keeps, bool metadata, const BlockWidths& blocks,
                       bool remainders) {
    return Pricing(einsum, architecture, design, keeps, metadata, blocks, remainders).run();
}

}  // namespace tilewright::sparse
