#include "model/sparse/counts.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers/checked.hpp"
#include "model/exact/traffic.hpp"
#include "model/sparse/tree.hpp"

namespace tilewright::sparse {

double difference(double all, double part) {
    constexpr double kRounding = 1e-12;
    return std::abs(all - part) <= kRounding * all ? 0.0 : all - part;
}

namespace {

Means operator*(const Means& means, double factor) {
    return {means.actual * factor, means.gated * factor, means.skipped * factor};
}

Means operator-(const Means& a, const Means& b) {
    return {difference(a.actual, b.actual), difference(a.gated, b.gated), difference(a.skipped, b.skipped)};
}

std::vector<RankWords> scaled(std::vector<RankWords> words, double factor) {
    for (RankWords& one : words) {
        one.metadata *= factor;
        one.payload *= factor;
    }
    return words;
}

std::vector<RankWords> less(std::vector<RankWords> words, const std::vector<RankWords>& by) {
    for (std::size_t r = 0; r < words.size(); ++r) {
        words[r].metadata -= by[r].metadata;
        words[r].payload -= by[r].payload;
    }
    return words;
}

/// How often one instance of memory `inner` is sent a tile over the whole run.
double deliveries_to_one(const Nest& nest, int inner, const Tensor& tensor) {
    const int begin = nest.levels[inner].first;
    double enclosing = 1.0;
    for (int k = 0; k < begin; ++k)
        if (!nest.loops[k].is_spatial()) enclosing *= static_cast<double>(nest.loops[k].extent);
    double deliveries = 1.0;
    std::vector<std::int64_t> reset(tensor.ranks.size(), 0);
    for (int k = begin - 1; k >= 0; --k) {
        const NestLoop& loop = nest.loops[k];
        if (loop.is_spatial()) continue;
        enclosing /= static_cast<double>(loop.extent);
        bool moved = false;
        for (std::size_t r = 0; r < reset.size(); ++r) {
            const std::int64_t shift = nest.shift(k, tensor.ranks[r]);
            moved = moved || shift != reset[r];
            reset[r] = checked_add(reset[r], checked_mul(loop.extent - 1, shift));
        }
        if (moved) deliveries += enclosing * static_cast<double>(loop.extent - 1);
    }
    return deliveries;
}

/// The accesses of one tensor at one memory.
class AccessCounts {
   public:
    AccessCounts(const Counted& counted, const Access& access)
        : counted_(counted),
          access_(access),
          needs_(counted.avoided.of(access)),
          written_(counted.tensor(access.tensor).written),
          compressed_(counted.compressed(access.source, access.tensor)) {
        refuse_uncounted();
        if (written_) first_ = temporal_loops(nest()) & ~loops_moving(nest(), access.tensor) & ~access.covered;
    }

    void count(ExpectedTensor& here, ExpectedTensor* child) {
        const TensorTraffic& traffic = counted_.traffic(access_.source, access_.tensor);
        here.reads.algorithmic = traffic.reads;
        here.updates.algorithmic = traffic.updates;
        const double firsts = traffic.updates - traffic.reads;  // of results
        if (written_) {
            here.updates.data = means({}) * traffic.updates;
            here.reads.data = here.updates.data - means({first_}) * firsts;
            const double lasts = counted_.words.final_updates[access_.source][access_.tensor];
            if (lasts > 0.0) here.final_updates = means({first_, true}) * lasts;
        } else {
            here.reads.data = means({}) * traffic.reads;
        }
        if (const TensorFormat* format = counted_.format(access_.source, access_.tensor)) count_metadata(*format, here);
        if (child != nullptr) count_fills(here, *child);
    }

   private:
    const Nest& nest() const { return counted_.nests[access_.tensor]; }
    bool to_computes() const { return serves_computes(nest(), access_); }

    void refuse_uncounted() const {
        const Tensor& tensor = counted_.tensor(access_.tensor);
        const bool plain = is_plain(*nest().einsum, access_.tensor);
        if (written_ && !plain)
            throw Uncounted("'" + tensor.name + "' is a result of which several dimensions move one rank");
        const Density& density = counted_.design.densities[access_.tensor];
        const bool placed = std::holds_alternative<Banded>(density) || std::holds_alternative<Measured>(density);
        const bool chosen = counted_.avoided.acts_between_memories(access_) || (compressed_ && placed);
        if (!plain && !to_computes() && chosen)
            throw Uncounted("tiles of '" + tensor.name + "' overlap, so that not all its accesses are alike");
        if (!plain && has_mixed_neighbours(nest(), access_) && !(needs_.done.empty() && !(compressed_ && placed)))
            throw Uncounted("neighbours share words of '" + tensor.name + "' that two dimensions move");
    }

    Needs data_needs(Needs needs) const {
        if (compressed_) needs.add(access_.tensor, 0);
        return needs;
    }

    double share(const Needs& needs, Pinned pinned) const { return data_needs(needs).share(counted_.chances, pinned); }

    /// Shares of the accesses that would be.
    Means means(Pinned pinned) const {
        const double asked = share(needs_.asked, pinned);
        const double kept = share(needs_.kept, pinned);
        const double running = share(needs_.running, pinned);
        const double done = share(needs_.done, pinned);
        return {done, running - done, asked - kept};
    }

    /// Distinct words of a result that instances of the memory ever hold, each counted by itself.
    double distinct_words(int memory) const {
        LoopSet inside = loops_from(nest(), 0);
        for (int k = 0; k < nest().levels[memory].first; ++k)
            if (nest().loops[k].is_spatial()) inside &= ~loop_bit(k);
        return static_cast<double>(touched(nest(), access_.tensor, inside)) *
               static_cast<double>(nest().levels[memory].instances);
    }

    std::int64_t tile_of(int memory) const {
        return touched(nest(), access_.tensor, loops_from(nest(), nest().levels[memory].first));
    }

    /// Deliveries that so many words are; to compute units: times that they make up the tile.
    double times(double words, int tile_memory) const {
        if (words == 0.0) return 0.0;
        if (to_computes() || written_) return words / static_cast<double>(tile_of(tile_memory));
        const auto child = static_cast<std::size_t>(access_.child);
        const double to_one =
            counted_.traffic(access_.child, access_.tensor).fills / static_cast<double>(nest().levels[child].instances);
        return words / to_one * deliveries_to_one(nest(), access_.child, counted_.tensor(access_.tensor));
    }

    /// Of what moves, in a format, for so many words, of which some are there for the first time.
    ExpectedAccesses metadata(const TensorFormat& format, int tile_memory, const Needs& needs, double words,
                              double firsts) const {
        const std::vector<Fibres> tree = tree_of(nest(), access_.tensor, format, nest().levels[tile_memory].first);
        ExpectedAccesses counts;
        counts.metadata =
            scaled(expected_words(format, tree, access_.tensor, needs, counted_.chances), times(words, tile_memory));
        if (firsts != 0.0)
            counts.metadata = less(
                counts.metadata, scaled(expected_words(format, tree, access_.tensor, needs, counted_.chances, {first_}),
                                        times(firsts, tile_memory)));
        counts.metadata_bits = bits_of(format, counts.metadata);
        return counts;
    }

    static void take_metadata(ExpectedAccesses from, ExpectedAccesses& into) {
        into.metadata = std::move(from.metadata);
        into.metadata_bits = from.metadata_bits;
    }

    // Compute units are served word by word, for which the tile's metadata is gone through from one end to the other.
    void count_metadata(const TensorFormat& format, ExpectedTensor& here) const {
        const int tile_memory = to_computes() ? access_.source : access_.child;
        const Needs& needs = to_computes() ? needs_.asked : needs_.done;
        const TensorTraffic& traffic = counted_.traffic(access_.source, access_.tensor);
        if (!written_) return take_metadata(metadata(format, tile_memory, needs, traffic.reads, 0.0), here.reads);
        take_metadata(metadata(format, tile_memory, needs, traffic.updates, 0.0), here.updates);
        take_metadata(metadata(format, tile_memory, needs, traffic.updates, traffic.updates - traffic.reads),
                      here.reads);
    }

    void count_fills(const ExpectedTensor& here, ExpectedTensor& child) const {
        const int t = access_.tensor;
        const bool child_compressed = counted_.compressed(access_.child, t);
        const double fills = counted_.traffic(access_.child, t).fills;
        const double held = written_ ? distinct_words(access_.child) : 0.0;
        Needs needs = needs_.done;
        if (child_compressed) needs.add(t, 0);
        child.fills.algorithmic = fills;
        child.fills.data.actual =
            (fills + held) * needs.share(counted_.chances) - held * needs.share(counted_.chances, {first_});
        if (const TensorFormat* format = counted_.format(access_.child, t))
            take_metadata(metadata(*format, access_.child, needs_.done, fills + held, held), child.fills);
        if (!compressed_ || child_compressed) return;
        child.decompressions = child.fills.data.actual;
        if (written_) child.compressions = here.updates.data.actual;
    }

    const Counted& counted_;
    Access access_;
    AccessNeeds needs_;
    bool written_;
    bool compressed_;
    /// Loops of which the first iteration is that in which words arrive for the first time, and the last the last.
    LoopSet first_ = 0;
};

}  // namespace

// Neighbours between which words meet that two dimensions move: not all multicasts are alike.
bool has_mixed_neighbours(const Nest& nest, const Access& access) {
    const Tensor& tensor = nest.einsum->tensors[access.tensor];
    for (const Rank& rank : tensor.ranks) {
        int moved_by = -1;
        for (int k = nest.levels[access.source].first; k < begin_of(nest, access); ++k) {
            if (!nest.loops[k].is_spatial() || nest.shift(k, rank) == 0) continue;
            const int dimension = nest.loops[k].dimension;
            if (moved_by >= 0 && moved_by != dimension) return true;
            moved_by = dimension;
        }
    }
    return false;
}

void refuse_formats(const Mapped& counted, const Access& access) {
    if (serves_computes(counted.nests[access.tensor], access)) return;
    const bool outside = counted.compressed(access.source, access.tensor);
    const bool inside = counted.compressed(access.child, access.tensor);
    const Tensor& tensor = counted.tensor(access.tensor);
    const std::string& name = counted.words.counted.memories[access.child].name;
    const MemoryDesign& child = counted.design.memories[access.child];
    if (!outside && inside)
        throw Uncounted("'" + name + "' compresses '" + tensor.name + "', which arrives uncompressed");
    if (outside && !inside && !child.decompresses)
        throw Uncounted("'" + tensor.name + "' arrives compressed at '" + name +
                        "', which neither stores it so nor decompresses it (decompression_supported)");
    if (outside && !inside && tensor.written && !child.compresses)
        throw Uncounted("'" + tensor.name + "' leaves '" + name +
                        "' for a memory that stores it compressed (compression_supported)");
}

const TensorFormat* Mapped::format(int memory, int t) const {
    const auto& format = design.memories[memory].formats[t];
    return format && keeps[t][memory] ? &*format : nullptr;
}

bool Mapped::compressed(int memory, int t) const {
    const TensorFormat* one = format(memory, t);
    return one != nullptr && one->is_compressed();
}

ExpectedTensor plain_room(std::int64_t tile_words) {
    ExpectedTensor room;
    room.kept = true;
    room.tile_words = room.most_words = tile_words;
    room.held_words = static_cast<double>(tile_words);
    return room;
}

void set_most_metadata(const TensorFormat& format, const std::vector<Fibres>& tree, std::int64_t most,
                       ExpectedTensor& room) {
    room.most_metadata = most_words(format, tree, most);
    room.most_metadata_bits = bits_of(format, room.most_metadata);
}

ExpectedTensor expected_room(const Nest& nest, const Design& design, int memory, int tensor, std::int64_t tile_words,
                             Chances& chances) {
    ExpectedTensor room = plain_room(tile_words);
    const auto& format = design.memories[memory].formats[tensor];
    if (!format) return room;
    const int first = nest.levels[memory].first;
    const std::int64_t most = chances.most(tensor, loops_from(nest, first));
    Needs not_zero(nest);
    not_zero.add(tensor, 0);
    if (format->is_compressed()) {
        room.most_words = most;
        room.held_words *= not_zero.share(chances);
    }
    const std::vector<Fibres> tree = tree_of(nest, tensor, *format, first);
    room.held_metadata = expected_words(*format, tree, tensor, Needs(nest), chances);
    set_most_metadata(*format, tree, most, room);
    return room;
}

Expected expected_counts(const Counted& counted) {
    Expected expected;
    const int memories = counted.nests.front().level_count();
    const int tensors = counted.nests.front().einsum->tensor_count();
    expected.memories.assign(static_cast<std::size_t>(memories),
                             std::vector<ExpectedTensor>(static_cast<std::size_t>(tensors)));
    for (int t = 0; t < tensors; ++t) {
        const std::vector<bool>& keeps = counted.keeps[t];
        const auto at = [&](int memory) -> ExpectedTensor& { return expected.memories[memory][t]; };
        for (int m = 0; m < memories; ++m)
            if (keeps[m])
                at(m) = expected_room(counted.nests[t], counted.design, m, t, counted.traffic(m, t).tile_words,
                                      counted.chances);
        for (int m = 0; m < memories; ++m) {
            if (!keeps[m]) continue;
            const Access access = access_of(counted.nests[t], keeps, t, m);
            refuse_formats(counted, access);
            AccessCounts(counted, access)
                .count(at(m), serves_computes(counted.nests[t], access) ? nullptr : &at(access.child));
        }
    }
    const ComputeNeeds needs = counted.avoided.of_computes();
    expected.algorithmic_computes = static_cast<double>(counted.words.counted.computes);
    const double asked = needs.asked.share(counted.chances);
    const double kept = needs.kept.share(counted.chances);
    const double done = needs.done.share(counted.chances);
    expected.computes = Means{done, kept - done, asked - kept} * expected.algorithmic_computes;
    return expected;
}

}  // namespace tilewright::sparse
