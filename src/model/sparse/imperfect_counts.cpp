#include "model/sparse/counts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/exact/traffic.hpp"
#include "model/sparse/chance.hpp"
#include "model/sparse/tree.hpp"

namespace tilewright::sparse {
namespace {

constexpr std::size_t kMostRegions = 1024;

LoopSet spatial_loops(const Nest& nest) { return loops_from(nest, 0) & ~temporal_loops(nest); }

LoopSet loops_between(const Nest& nest, int first, int end) { return loops_from(nest, first) & ~loops_from(nest, end); }

// Loops that move ranks which several dimensions move.
LoopSet window_loops(const Nest& nest, int tensor) {
    LoopSet loops = 0;
    for (const Rank& rank : nest.einsum->tensors[tensor].ranks)
        for (int k = 0; k < static_cast<int>(nest.loops.size()); ++k)
            if (is_window(*nest.einsum, rank) && nest.shift(k, rank) != 0) loops |= loop_bit(k);
    return loops;
}

void add(const Means& some, Means& sum) {
    sum.actual += some.actual;
    sum.gated += some.gated;
    sum.skipped += some.skipped;
}

void add(const std::vector<RankWords>& some, double times, std::vector<RankWords>& sum) {
    sum.resize(std::max(sum.size(), some.size()));
    for (std::size_t r = 0; r < some.size(); ++r) {
        sum[r].metadata += times * some[r].metadata;
        sum[r].payload += times * some[r].payload;
    }
}

void take_off(const Means& some, Means& sum) {
    sum = {difference(sum.actual, some.actual), difference(sum.gated, some.gated),
           difference(sum.skipped, some.skipped)};
}

Sum with(Sum sum, const Needs& needs) {
    for (std::size_t t = 0; t < needs.sets().size(); ++t)
        if (needs.sets()[t]) sum.factors.push_back({Factor::Kind::chance, static_cast<int>(t), *needs.sets()[t], true});
    return sum;
}

// ---- Tiles as formats write them ----

/// Words that each rank takes of all tiles that a sum goes through.
class TileWords {
   public:
    /// `sum`: by tile, with the loops that say the tile's places free; `first`: the tile's first loop.
    TileWords(const Nest& nest, int tensor, const TensorFormat& format, int first, Iterations& iterations)
        : nest_(nest),
          tensor_(tensor),
          format_(format),
          tree_(tree_of(nest, tensor, format, first)),
          windows_(window_loops(nest, tensor) & loops_from(nest, first)),
          iterations_(iterations) {}

    /// `per_word`: for every word of the tile as much as it takes, divided by the words.
    std::vector<RankWords> of(const Sum& sum, bool per_word) const {
        std::vector<RankWords> words;
        for (std::size_t r = 0; r < tree_.size(); ++r)
            words.push_back(tree_[r].places == 1 ? RankWords{}
                                                 : rank(tree_[r], format_.ranks[r].format, sum, per_word));
        return words;
    }

   private:
    RankWords rank(const Fibres& fibres, RankFormat format, const Sum& sum, bool per_word) const {
        const auto count = [&](LoopSet stay, LoopSet not_empty, bool always = false) {
            return total(sum, per_word, stay, not_empty, always);
        };
        const double none = 0.0;
        switch (format) {
            case RankFormat::uop:
                return {0.0,
                        fibres.has_data ? none : count(fibres.below, fibres.whole) + count(fibres.whole, fibres.whole)};
            case RankFormat::cp:
            case RankFormat::rle: {
                const double occupied = count(fibres.below, fibres.below);
                return {occupied, fibres.has_data ? none : occupied};
            }
            case RankFormat::b:
                return {count(fibres.below, fibres.whole), fibres.has_data ? none : count(fibres.below, fibres.below)};
            case RankFormat::ub: {
                const double all = count(fibres.below, 0, true);
                return {all, fibres.has_data ? none : all};
            }
        }
        return {};
    }

    // Of what the loops of `stay` hold, each once, those with something in what those of `not_empty` hold.
    double total(Sum sum, bool per_word, LoopSet stay, LoopSet not_empty, bool always) const {
        sum.first |= stay & ~windows_;
        if (!always) sum.factors.push_back({Factor::Kind::chance, tensor_, not_empty});
        if (windows_ != 0) {
            if (per_word)
                sum.factors.push_back({Factor::Kind::per_word, tensor_, windows_});
            else
                sum.first |= windows_;
            sum.factors.push_back({Factor::Kind::words, tensor_, windows_ & ~stay});
        }
        return iterations_.sum(sum);
    }

    const Nest& nest_;
    int tensor_;
    const TensorFormat& format_;
    std::vector<Fibres> tree_;
    LoopSet windows_;
    Iterations& iterations_;
};

// ---- Accesses ----

/// The accesses of one tensor at one memory, in iterations of one region.
class RegionAccesses {
   public:
    RegionAccesses(const Mapped& mapped, const Access& access, const AccessNeeds& needs, const Region& region,
                   Iterations& iterations)
        : mapped_(mapped),
          access_(access),
          needs_(needs),
          region_(region),
          iterations_(iterations),
          written_(mapped.tensor(access.tensor).written),
          compressed_(mapped.compressed(access.source, access.tensor)) {
        const LoopSet moving = loops_moving(nest(), access.tensor);
        stays_ = access.covered & ~moving;
        if (written_) again_ = temporal_loops(nest()) & ~moving & ~access.covered;
        if (!to_computes())
            lanes_ = spatial_loops(nest()) & ~moving &
                     loops_between(nest(), nest().levels[access.source].first, begin_of(nest(), access));
    }

    /// Not of windows between memories.
    void count(ExpectedTensor& here, ExpectedTensor* child) const {
        if (written_) {
            const Means all = means({.first = stays_});
            add(all, here.updates.data);
            add(all, here.reads.data);
            take_off(means({.first = stays_ | again_}), here.reads.data);
            if (mapped_.words.final_updates[access_.source][access_.tensor] > 0.0)
                add(means({.first = stays_, .last = again_}), here.final_updates);
            here.updates.algorithmic += sum({.first = stays_});
            here.reads.algorithmic += sum({.first = stays_}) - sum({.first = stays_ | again_});
        } else {
            add(means({.first = stays_}), here.reads.data);
            here.reads.algorithmic += sum({.first = stays_});
        }
        if (const TensorFormat* format = mapped_.format(access_.source, access_.tensor)) count_metadata(*format, here);
        if (child != nullptr) count_fills(*child);
    }

   private:
    const Nest& nest() const { return mapped_.nests[access_.tensor]; }
    bool to_computes() const { return serves_computes(nest(), access_); }

    Sum here(Sum sum) const {
        sum.covered = access_.covered;
        sum.region = &region_;
        return sum;
    }

    double sum(const Sum& sum) const { return iterations_.sum(here(sum)); }

    // The needs of the access and that a word is there. A smaller part of the tensor itself says it all.
    double met(const Sum& sum, const Needs& needs, bool stored) const {
        Needs others = needs;
        if (stored) others.add(access_.tensor, 0);
        Sum all = with(here(sum), others);
        for (Factor& factor : all.factors)
            if (stored && factor.tensor == access_.tensor) factor.at_access = false;
        return iterations_.sum(all);
    }

    Means means(const Sum& sum) const {
        const double asked = met(sum, needs_.asked, compressed_);
        const double kept = met(sum, needs_.kept, compressed_);
        const double running = met(sum, needs_.running, compressed_);
        const double done = met(sum, needs_.done, compressed_);
        return {done, running - done, asked - kept};
    }

    std::vector<RankWords> metadata(const TensorFormat& format, const Needs& needs, Sum sum) const {
        const int tile = nest().levels[to_computes() ? access_.source : access_.child].first;
        return TileWords(nest(), access_.tensor, format, tile, iterations_)
            .of(with(here(std::move(sum)), needs), to_computes());
    }

    void count_metadata(const TensorFormat& format, ExpectedTensor& here) const {
        const Needs& needs = to_computes() ? needs_.asked : needs_.done;
        const std::vector<RankWords> all = metadata(format, needs, {.first = stays_});
        add(all, 1.0, here.reads.metadata);
        if (!written_) return;
        add(all, 1.0, here.updates.metadata);
        add(metadata(format, needs, {.first = stays_ | again_}), -1.0, here.reads.metadata);
    }

    // Every neighbour is filled.
    void count_fills(ExpectedTensor& child) const {
        const bool stored = mapped_.compressed(access_.child, access_.tensor);
        const LoopSet stay = stays_ & ~lanes_;
        const TensorFormat* format = mapped_.format(access_.child, access_.tensor);
        child.fills.algorithmic += sum({.first = stay});
        child.fills.data.actual += met({.first = stay}, needs_.done, stored);
        if (format != nullptr) add(metadata(*format, needs_.done, {.first = stay}), 1.0, child.fills.metadata);
        if (!written_) return;
        child.fills.algorithmic -= sum({.first = stay | again_});
        child.fills.data.actual =
            difference(child.fills.data.actual, met({.first = stay | again_}, needs_.done, stored));
        if (format != nullptr)
            add(metadata(*format, needs_.done, {.first = stay | again_}), -1.0, child.fills.metadata);
    }

    const Mapped& mapped_;
    const Access& access_;
    const AccessNeeds& needs_;
    const Region& region_;
    Iterations& iterations_;
    bool written_;
    bool compressed_;
    LoopSet stays_ = 0;  ///< do not move the tensor and are covered
    LoopSet again_ = 0;  ///< by which the words of a result arrive again
    LoopSet lanes_ = 0;  ///< neighbours that get the same
};

/// Words of a tensor whose tiles overlap, between memories, which nothing avoids: as many of each as of all.
class WindowAccesses {
   public:
    WindowAccesses(const Mapped& mapped, const Access& access, Iterations& iterations)
        : mapped_(mapped), access_(access), iterations_(iterations) {}

    void count(ExpectedTensor& here, ExpectedTensor* child) const {
        const TensorTraffic& traffic = mapped_.traffic(access_.source, access_.tensor);
        const bool outside = mapped_.compressed(access_.source, access_.tensor);
        here.reads.algorithmic = traffic.reads;
        here.reads.data.actual = traffic.reads * (outside ? share() : 1.0);
        if (child != nullptr) count_fills(traffic.reads, here, *child);
    }

   private:
    const Nest& nest() const { return mapped_.nests[access_.tensor]; }

    void count_fills(double reads, ExpectedTensor& here, ExpectedTensor& child) const {
        const double fills = mapped_.traffic(access_.child, access_.tensor).fills;
        child.fills.algorithmic = fills;
        child.fills.data.actual = fills * (mapped_.compressed(access_.child, access_.tensor) ? share() : 1.0);
        if (const TensorFormat* format = mapped_.format(access_.source, access_.tensor))
            add(delivered(*format), fills == 0.0 ? 0.0 : reads / fills, here.reads.metadata);
        if (const TensorFormat* format = mapped_.format(access_.child, access_.tensor))
            add(delivered(*format), 1.0, child.fills.metadata);
    }

    double share() const {
        const Sum one{.first = loops_from(nest(), 0), .factors = {{Factor::Kind::chance, access_.tensor, 0}}};
        return iterations_.sum(one);
    }

    // Tiles that all receivers get, as written: the first ones, and those that each loop brings.
    std::vector<RankWords> delivered(const TensorFormat& format) const {
        const int begin = begin_of(nest(), access_);
        const LoopSet moving = loops_moving(nest(), access_.tensor);
        const LoopSet unmoved = loops_from(nest(), begin) & ~moving;
        const LoopSet outside = loops_between(nest(), 0, begin) & temporal_loops(nest());
        const TileWords tiles(nest(), access_.tensor, format, begin, iterations_);
        std::vector<RankWords> all = tiles.of({.first = unmoved | outside}, false);
        for (int k = 0; k < begin; ++k)
            if ((outside & loop_bit(k)) != 0)
                add(tiles.of({.first = unmoved | (outside & loops_from(nest(), k + 1)),
                              .arrival = {access_.tensor, k, begin}},
                             false),
                    1.0, all);
        return all;
    }

    const Mapped& mapped_;
    const Access& access_;
    Iterations& iterations_;
};

// ---- Regions ----

/// All accesses of a mapping, region by region.
class ImperfectCounts {
   public:
    ImperfectCounts(const Mapped& mapped, const Architecture& architecture)
        : mapped_(mapped),
          architecture_(architecture),
          nest_(mapped.nests.front()),
          iterations_(nest_, mapped.design.densities),
          chances_(nest_, mapped.design.densities) {
        for (int t = 0; t < tensors(); ++t) touched(nest_, t, 0);  // refuses what it does not count
        list_regions();
    }

    Expected run() {
        const Design design = with_options_chosen();
        expected_.memories.assign(static_cast<std::size_t>(nest_.level_count()),
                                  std::vector<ExpectedTensor>(static_cast<std::size_t>(tensors())));
        each_access([&](const Access& access) {
            const ExpectedTensor room =
                imperfect_room(nest_, mapped_.design, access.source, access.tensor,
                               mapped_.traffic(access.source, access.tensor).tile_words, iterations_);
            at(access.source, access.tensor) = room;
            refuse_formats(mapped_, access);
        });
        for (const Region& region : regions_) count_region(region, design);
        finish();
        return std::move(expected_);
    }

   private:
    int tensors() const { return nest_.einsum->tensor_count(); }
    ExpectedTensor& at(int memory, int tensor) { return expected_.memories[memory][tensor]; }
    bool slides(const Access& access) const {
        return !is_plain(*nest_.einsum, access.tensor) && !serves_computes(nest_, access);
    }
    // Of words that overlap and that nothing avoids, the dense account knows how neighbours share them.
    bool are_alike(const Access& access, const Avoided& avoided) const {
        return slides(access) ||
               (!is_plain(*nest_.einsum, access.tensor) && has_mixed_neighbours(nest_, access) &&
                avoided.of(access).done.empty() && mapped_.format(access.source, access.tensor) == nullptr);
    }

    template <class Use>
    void each_access(const Use& use) const {
        for (int t = 0; t < tensors(); ++t)
            for (int m = 0; m < nest_.level_count(); ++m)
                if (mapped_.keeps[t][m]) use(access_of(nest_, mapped_.keeps[t], t, m));
    }

    // Loops of which an access may cover more where they run once.
    std::vector<Single> singles_of(const Access& access, int dimension) const {
        std::vector<Single> singles;
        if (serves_computes(nest_, access) || slides(access)) return singles;
        const LoopSet moving = loops_moving(nest_, access.tensor);
        const int begin = begin_of(nest_, access);
        LoopSet own = 0;
        for (int k = 0; k < begin; ++k)
            if (nest_.loops[k].dimension == dimension) own |= loop_bit(k);
        bool stays_outside = false;
        for (int k = 0; k < begin; ++k) {
            if (nest_.loops[k].is_spatial()) continue;
            if ((own & moving & loop_bit(k)) != 0 && stays_outside) singles.push_back({k, own});
            stays_outside = stays_outside || (moving & loop_bit(k)) == 0;
        }
        return singles;
    }

    void list_regions() {
        regions_ = {Region(nest_.einsum->dimensions.size())};
        for (int d = 0; d < nest_.einsum->dimension_count(); ++d) {
            std::vector<Single> singles;
            each_access([&](const Access& access) {
                const std::vector<Single> some = singles_of(access, d);
                singles.insert(singles.end(), some.begin(), some.end());
            });
            const std::vector<std::vector<Single>> ways = iterations_.ways(d, singles);
            if (ways.size() * regions_.size() > kMostRegions)
                throw Uncounted("loops with remainders have too many kinds of iterations");
            std::vector<Region> more;
            for (const Region& region : regions_)
                for (const std::vector<Single>& way : ways) {
                    more.push_back(region);
                    more.back()[d] = way;
                }
            regions_ = std::move(more);
            if (ways.size() > 1) varied_.push_back(d);
        }
    }

    // In the order of list_regions().
    AccessTable accesses_in(const Region& region) const {
        AccessTable accesses(static_cast<std::size_t>(tensors()),
                             std::vector<Access>(static_cast<std::size_t>(nest_.level_count())));
        std::vector<std::size_t> next(region.size(), 0);
        each_access([&](const Access& one) {
            LoopSet once = 0;
            LoopSet decided_by = 0;
            for (std::size_t d = 0; d < region.size(); ++d) {
                const std::size_t count = singles_of(one, static_cast<int>(d)).size();
                for (std::size_t i = 0; i < count; ++i, ++next[d])
                    if (region[d][next[d]].once) once |= loop_bit(region[d][next[d]].loop);
                if (count == 0 || std::ranges::find(varied_, static_cast<int>(d)) == varied_.end()) continue;
                for (int k = 0; k < static_cast<int>(nest_.loops.size()); ++k)
                    if (nest_.loops[k].dimension == static_cast<int>(d)) decided_by |= loop_bit(k);
            }
            Access& access = accesses[one.tensor][one.source];
            access = access_of(nest_, mapped_.keeps[one.tensor], one.tensor, one.source, once);
            access.decided_by = decided_by;
        });
        return accesses;
    }

    // Of every group the option that saves most.
    Design with_options_chosen() {
        Design design = mapped_.design;
        for (int m = 0; m < nest_.level_count(); ++m)
            for (auto* groups : {&design.memories[m].gating, &design.memories[m].skipping})
                for (OptionGroup& group : *groups) {
                    std::size_t best = 0;
                    std::vector<double> savings;
                    for (std::size_t i = 0; i < group.size() && group.size() > 1; ++i) {
                        savings.push_back(saving_pj(m, group[i]));
                        if (savings[i] >= savings[best]) best = i;
                    }
                    if (group.size() > 1) group = {group[best]};
                }
        return design;
    }

    double saving_pj(int memory, const Option& option) {
        int source = memory;
        while (source >= 0 && !mapped_.keeps[option.target][source]) --source;
        if (source < 0) return 0.0;  // refused later
        double all = 0.0;
        double met = 0.0;
        for (const Region& region : regions_) {
            const Access access = accesses_in(region)[option.target][source];
            Needs needs(nest_);
            for (const int condition : option.conditions) needs.add(condition, access.covered);
            const Sum sum{.first = access.covered & ~loops_moving(nest_, option.target),
                          .covered = access.covered,
                          .region = &region};
            all += iterations_.sum(sum);
            met += iterations_.sum(with(sum, needs));
        }
        const TensorTraffic& traffic = mapped_.traffic(source, option.target);
        return (1.0 - (all == 0.0 ? 1.0 : met / all)) * architecture_.memories[source].energy.read_pj.value *
               (traffic.reads + traffic.updates);
    }

    void count_region(const Region& region, const Design& design) {
        const AccessTable accesses = accesses_in(region);
        const Avoided avoided(mapped_.nests, architecture_, design, mapped_.keeps, accesses, mapped_.words.counted,
                              chances_);
        each_access([&](const Access& one) {
            const Access& access = accesses[one.tensor][one.source];
            refuse_uncounted(access, avoided);
            ExpectedTensor* child = serves_computes(nest_, access) ? nullptr : &at(access.child, access.tensor);
            if (!are_alike(access, avoided))
                RegionAccesses(mapped_, access, avoided.of(access), region, iterations_)
                    .count(at(access.source, access.tensor), child);
            else if (&region == &regions_.front())
                WindowAccesses(mapped_, access, iterations_).count(at(access.source, access.tensor), child);
        });
        const ComputeNeeds needs = avoided.of_computes();
        const auto share = [&](const Needs& some) { return iterations_.sum(with({.region = &region}, some)); };
        const double asked = share(needs.asked);
        const double kept = share(needs.kept);
        const double done = share(needs.done);
        add(Means{done, kept - done, asked - kept}, expected_.computes);
    }

    void refuse_uncounted(const Access& access, const Avoided& avoided) const {
        const Tensor& tensor = mapped_.tensor(access.tensor);
        if (is_plain(*nest_.einsum, access.tensor)) return;
        if (tensor.written)
            throw Uncounted("'" + tensor.name + "' is a result of which several dimensions move one rank");
        const Density& density = mapped_.design.densities[access.tensor];
        bool placed = is_placed(density);
        if (const auto* pattern = std::get_if<Pattern>(&density))
            placed = is_window(*nest_.einsum, tensor.ranks[pattern->rank]);
        const bool has_format = mapped_.format(access.source, access.tensor) != nullptr ||
                                (slides(access) && mapped_.format(access.child, access.tensor) != nullptr);
        if (has_format && placed) throw Uncounted("tiles of '" + tensor.name + "' overlap, and loops have remainders");
        if (slides(access) && avoided.acts_between_memories(access))
            throw Uncounted("tiles of '" + tensor.name + "' overlap, so that not all its accesses are alike");
        if (slides(access) && has_format && has_mixed_neighbours(nest_, access))
            throw Uncounted("neighbours share words of '" + tensor.name + "' that two dimensions move");
    }

    // Units of a step cut short move together, which digits do not say (docs/model.md).
    void check_against(double counted, double dense, const Access& access) const {
        constexpr double kRounding = 1e-9;
        if (std::abs(counted - dense) <= kRounding * (1.0 + std::abs(dense))) return;
        throw Uncounted("where loops have remainders, neighbours that get '" + mapped_.tensor(access.tensor).name +
                        "' of '" + architecture_.memories[access.source].name + "' change places");
    }

    void finish() {
        each_access([&](const Access& access) {
            ExpectedTensor& here = at(access.source, access.tensor);
            const TensorTraffic& traffic = mapped_.traffic(access.source, access.tensor);
            for (const auto& [accesses, dense] :
                 {std::pair{&here.reads, traffic.reads}, std::pair{&here.updates, traffic.updates},
                  std::pair{&here.fills, traffic.fills}}) {
                check_against(accesses->algorithmic, dense, access);
                accesses->algorithmic = dense;
                if (const TensorFormat* format = mapped_.format(access.source, access.tensor))
                    accesses->metadata_bits = bits_of(*format, accesses->metadata);
            }
        });
        each_access([&](const Access& access) {
            if (serves_computes(nest_, access)) return;
            const bool inside = mapped_.compressed(access.child, access.tensor);
            if (!mapped_.compressed(access.source, access.tensor) || inside) return;
            ExpectedTensor& child = at(access.child, access.tensor);
            child.decompressions = child.fills.data.actual;
            if (mapped_.tensor(access.tensor).written)
                child.compressions = at(access.source, access.tensor).updates.data.actual;
        });
        expected_.algorithmic_computes = static_cast<double>(mapped_.words.counted.computes);
    }

    const Mapped& mapped_;
    const Architecture& architecture_;
    const Nest& nest_;
    Iterations iterations_;
    Chances chances_;  ///< asked of nothing: options are chosen
    std::vector<Region> regions_;
    std::vector<int> varied_;  ///< dimensions of which regions differ
    Expected expected_;
};

}  // namespace

ExpectedTensor imperfect_room(const Nest& nest, const Design& design, int memory, int tensor, std::int64_t tile_words,
                              Iterations& iterations) {
    ExpectedTensor room = plain_room(tile_words);
    const auto& format = design.memories[memory].formats[tensor];
    if (!format) return room;
    const int first = nest.levels[memory].first;
    const LoopSet inside = loops_from(nest, first);
    const std::int64_t most = iterations.most(tensor, inside);
    const double tiles = iterations.sum({.first = inside});
    const LoopSet unmoved = inside & ~loops_moving(nest, tensor);
    if (format->is_compressed()) {
        const LoopSet windows = window_loops(nest, tensor) & inside;
        room.most_words = most;
        room.held_words =
            iterations.sum({.first = unmoved | windows,
                            .factors = {{Factor::Kind::chance, tensor, 0}, {Factor::Kind::words, tensor, windows}}}) /
            tiles;
    }
    add(TileWords(nest, tensor, *format, first, iterations).of({.first = unmoved}, false), 1.0 / tiles,
        room.held_metadata);
    set_most_metadata(*format, tree_of(nest, tensor, *format, first), most, room);
    return room;
}

Expected imperfect_counts(const Mapped& mapped, const Architecture& architecture) {
    return ImperfectCounts(mapped, architecture).run();
}

}  // namespace tilewright::sparse
