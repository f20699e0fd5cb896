#include "zigzag/accounting/allocation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "zigzag/accounting/nest.hpp"

namespace tilewright::zigzag {
namespace {

// Candidate allocations of one operand at one memory, by ascending number of loops.
struct Offer {
    struct Choice {
        std::size_t loops = 0;
        double bits = 0.0;
        double cost = 0.0;  // bits delivered by the memory above
    };
    int operand = 0;
    bool top = false;
    std::vector<Choice> choices;
};

struct Progress {
    TileSizes tile = unit_tile();  // below the next memory
    std::size_t taken = 0;         // loops of the order
    int level = 0;                 // of the next memory
};

void grow(TileSizes& tile, std::span<const TemporalLoop> loops) {
    for (const TemporalLoop& loop : loops) tile[loop.dimension] *= static_cast<double>(loop.size);
}

void grow(TileSizes& tile, const std::vector<ParallelLoop>& loops) {
    for (const ParallelLoop& loop : loops) tile[loop.dimension] *= loop.size;
}

class Allocator {
   public:
    Allocator(const Accelerator& accelerator, const Layer& layer, const SpatialMapping& spatial,
              std::span<const TemporalLoop> order, Evenness evenness)
        : accelerator_(accelerator), layer_(layer), spatial_(spatial), order_(order), evenness_(evenness) {
        for (int o = 0; o < layer.operand_count(); ++o) {
            Progress at;
            grow(at.tile, spatial.loops[o].front());
            progress_.push_back(at);
            mapping_.operands.emplace_back();
        }
    }

    std::variant<UnevenMapping, Shortage> run() {
        for (const int memory : accelerator_.allocation_order)
            if (const std::optional<Shortage> shortage = fill(memory)) return *shortage;
        return mapping_;
    }

   private:
    std::optional<Shortage> fill(int memory) {
        std::vector<Offer> offers;
        for (const MemoryOperand held : accelerator_.memories[memory].operands) {
            const int operand = find_operand(layer_, held);
            if (operand < 0) continue;
            offers.push_back(offer(memory, operand));
            const double smallest = smallest_tile_bits(operand);
            if (offers.back().choices.empty()) return Shortage{memory, operand, smallest};
        }
        if (offers.empty()) return std::nullopt;
        double together = 0.0;
        for (const Offer& offer : offers) together += offer.choices.front().bits;
        if (together > capacity(memory)) return Shortage{memory, -1, together};
        const std::vector<std::size_t> chosen = best_combination(memory, offers);
        for (std::size_t k = 0; k < offers.size(); ++k)
            if (!put(offers[k], chosen[k])) return left_over(memory, offers[k].operand);
        return std::nullopt;
    }

    double capacity(int memory) const { return static_cast<double>(accelerator_.memories[memory].size_bits); }

    bool is_top(int operand) const {
        return progress_[operand].level + 1 == accelerator_.level_count(layer_.operands[operand].memory);
    }

    double smallest_tile_bits(int operand) const {
        return tile_elements(layer_, layer_.operands[operand], progress_[operand].tile) * element_bits(operand);
    }

    Offer offer(int memory, int operand) const {
        const Progress& at = progress_[operand];
        Offer offer{operand, is_top(operand), {}};
        const double element = element_bits(operand);
        TileSizes tile = at.tile;
        for (std::size_t loops = 0; at.taken + loops <= order_.size(); ++loops) {
            if (loops > 0) grow(tile, order_.subspan(at.taken + loops - 1, 1));
            const double bits = tile_elements(layer_, layer_.operands[operand], tile) * element;
            if (bits > capacity(memory)) break;
            offer.choices.push_back({loops, bits, iterations_outside(at.taken + loops) * bits});
        }
        if (offer.top && !offer.choices.empty()) {
            offer.choices.erase(offer.choices.begin(), offer.choices.end() - 1);
            offer.choices.front().cost = 0.0;
        }
        return offer;
    }

    double iterations_outside(std::size_t position) const {
        double product = 1.0;
        for (const TemporalLoop& loop : order_.subspan(position)) product *= static_cast<double>(loop.size);
        return product;
    }

    // Outputs are partial sums while any outer loop, taken here or not, runs over an irrelevant dimension; a parallel
    // loop of one unit counts too.
    double element_bits(int operand) const {
        const Operand& values = layer_.operands[operand];
        const Progress& at = progress_[operand];
        if (!values.is_result()) return static_cast<double>(values.precision_bits);
        const auto irrelevant = [&](const auto& loop) { return values.irrelevant.has(loop.dimension); };
        const std::span<const TemporalLoop> outside = order_.subspan(at.taken);
        bool partial = std::any_of(outside.begin(), outside.end(), irrelevant);
        const auto& levels = spatial_.loops[operand];
        for (std::size_t l = static_cast<std::size_t>(at.level) + 1; l < levels.size(); ++l)
            partial = partial || std::any_of(levels[l].begin(), levels[l].end(), irrelevant);
        return static_cast<double>(partial ? values.precision_bits : values.final_precision_bits);
    }

    // Loop counts per operand: the cheapest fitting combination, the last operand's count changing fastest, the later
    // of equals.
    std::vector<std::size_t> best_combination(int memory, const std::vector<Offer>& offers) const {
        std::vector<std::size_t> best(offers.size(), 0);
        double least = std::numeric_limits<double>::infinity();
        std::vector<std::size_t> index(offers.size(), 0);
        do {
            std::vector<std::size_t> loops;
            double bits = 0.0;
            double cost = 0.0;
            for (std::size_t k = 0; k < offers.size(); ++k) {
                const Offer::Choice& choice = offers[k].choices[index[k]];
                loops.push_back(choice.loops);
                bits += choice.bits;
                cost += choice.cost;
            }
            if (bits > capacity(memory) || cost > least || !allowed(offers, loops)) continue;
            least = cost;
            best = loops;
        } while (next_combination(offers, index));
        return best;
    }

    static bool next_combination(const std::vector<Offer>& offers, std::vector<std::size_t>& index) {
        for (std::size_t k = offers.size(); k-- > 0;) {
            if (++index[k] < offers[k].choices.size()) return true;
            index[k] = 0;
        }
        return false;
    }

    // Even: no loop is taken by one operand of the memory and left outside by another.
    bool allowed(const std::vector<Offer>& offers, const std::vector<std::size_t>& loops) const {
        if (evenness_ == Evenness::uneven) return true;
        for (std::size_t a = 0; a < offers.size(); ++a)
            for (std::size_t b = 0; b < offers.size(); ++b) {
                const std::size_t start_a = progress_[offers[a].operand].taken;
                const std::size_t end_a = start_a + loops[a];
                const std::size_t end_b = progress_[offers[b].operand].taken + loops[b];
                if (std::max(start_a, end_b) < end_a) return false;
            }
        return true;
    }

    bool put(const Offer& offer, std::size_t loops) {
        Progress& at = progress_[offer.operand];
        const std::span<const TemporalLoop> taken = order_.subspan(at.taken, loops);
        mapping_.operands[offer.operand].emplace_back(taken.begin(), taken.end());
        grow(at.tile, taken);
        ++at.level;
        grow(at.tile, spatial_.loops[offer.operand][at.level]);
        at.taken += loops;
        return !offer.top || at.taken == order_.size();
    }

    // The operand's last memory cannot hold the remaining loops.
    Shortage left_over(int memory, int operand) const {
        TileSizes tile = progress_[operand].tile;
        grow(tile, order_.subspan(progress_[operand].taken));
        const double bits = static_cast<double>(layer_.operands[operand].precision_bits);
        return {memory, operand, tile_elements(layer_, layer_.operands[operand], tile) * bits};
    }

    const Accelerator& accelerator_;
    const Layer& layer_;
    const SpatialMapping& spatial_;
    std::span<const TemporalLoop> order_;
    Evenness evenness_;
    std::vector<Progress> progress_;
    UnevenMapping mapping_;
};

}  // namespace

std::string text_of(const Shortage& shortage, const Accelerator& accelerator, const Layer& layer) {
    const SharedMemory& memory = accelerator.memories[shortage.memory];
    const auto needed = static_cast<std::int64_t>(std::ceil(shortage.needed_bits));
    if (needed <= memory.size_bits)
        return "memory '" + memory.name + "' cannot keep operand " + layer.operands[shortage.operand].name +
               " whole and evenly with the others";
    const std::string who = shortage.operand < 0 ? "the smallest tiles of its operands together need "
                                                 : "operand " + layer.operands[shortage.operand].name + " needs ";
    return "memory '" + memory.name + "' lacks " + std::to_string(needed - memory.size_bits) + " bits: " + who +
           std::to_string(needed) + ", there are " + std::to_string(memory.size_bits);
}

namespace {

// Minimum bits of an operand's smallest tile below a level. Partial sums become final once all irrelevant loops lie
// below: at the innermost memory no temporal one does.
double least_bits(const Layer& layer, const SpatialMapping& spatial, int operand, std::size_t level,
                  std::span<const TemporalLoop> loops) {
    const Operand& values = layer.operands[operand];
    TileSizes tile = unit_tile();
    for (std::size_t l = 0; l <= level; ++l) grow(tile, spatial.loops[operand][l]);
    const auto irrelevant = [&](const auto& loop) { return values.irrelevant.has(loop.dimension); };
    bool partial = values.is_result() && level == 0 && std::any_of(loops.begin(), loops.end(), irrelevant);
    for (std::size_t l = level + 1; values.is_result() && l < spatial.loops[operand].size(); ++l)
        partial =
            partial || std::any_of(spatial.loops[operand][l].begin(), spatial.loops[operand][l].end(), irrelevant);
    const std::int64_t bits = partial || !values.is_result() ? values.precision_bits : values.final_precision_bits;
    return tile_elements(layer, values, tile) * static_cast<double>(bits);
}

}  // namespace

std::string why_nothing_fits(const Accelerator& accelerator, const Layer& layer, const SpatialMapping& spatial) {
    const std::vector<TemporalLoop> loops = temporal_loops(layer, spatial);
    std::vector<std::size_t> level(layer.operands.size(), 0);
    for (const int m : accelerator.allocation_order) {
        const SharedMemory& memory = accelerator.memories[m];
        double together = 0.0;
        for (const MemoryOperand held : memory.operands) {
            const int operand = find_operand(layer, held);
            if (operand < 0 || level[operand] >= spatial.loops[operand].size()) continue;
            const double bits = least_bits(layer, spatial, operand, level[operand]++, loops);
            if (bits > static_cast<double>(memory.size_bits)) return text_of({m, operand, bits}, accelerator, layer);
            together += bits;
        }
        if (together > static_cast<double>(memory.size_bits)) return text_of({m, -1, together}, accelerator, layer);
    }
    return "";
}

std::variant<UnevenMapping, Shortage> allocate(const Accelerator& accelerator, const Layer& layer,
                                               const SpatialMapping& spatial, std::span<const TemporalLoop> order,
                                               Evenness evenness) {
    return Allocator(accelerator, layer, spatial, order, evenness).run();
}

}  // namespace tilewright::zigzag
