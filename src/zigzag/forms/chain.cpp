#include "zigzag/forms/chain.hpp"

#include <algorithm>
#include <map>

#include "base/numbers/checked.hpp"

namespace tilewright::zigzag {
namespace {

/// Stores of a memory: tensors by number of loops outside, counted from the innermost.
using Gaps = std::map<std::size_t, TensorSet, std::greater<>>;

class ChainBuilder {
   public:
    ChainBuilder(const Accelerator& accelerator, const Layer& layer, const ArrayUnrolling& unrolling,
                 const UnevenMapping& mapping)
        : accelerator_(accelerator), layer_(layer), unrolling_(unrolling), mapping_(mapping) {}

    Chain build() {
        if (accelerator_.in_memory)
            throw Inexpressible{"accelerator '" + accelerator_.name +
                                "' computes in its memory cells, whose circuits only ZigZag's accounting has"};
        chain_.einsum = to_einsum(layer_);
        for (const Operand& operand : layer_.operands)
            chain_.tensor_of.push_back(find_tensor(chain_.einsum, operand.name));
        find_gaps();
        order_memories();
        add_memories();
        add_nodes();
        cover_exactly();
        return chain_;
    }

   private:
    void find_gaps() {
        gaps_.resize(accelerator_.memories.size());
        for (std::size_t i = 0; i < layer_.operands.size(); ++i) {
            std::size_t inside = 0;
            for (std::size_t l = 0; l < mapping_.operands[i].size(); ++l) {
                inside += mapping_.operands[i][l].size();
                gaps_[accelerator_.levels_of(layer_.operands[i].memory)[l]][inside].add(chain_.tensor_of[i]);
            }
        }
    }

    /// By their outermost store; on ties the later one in the file is further out.
    void order_memories() {
        for (int m = static_cast<int>(accelerator_.memories.size()); m-- > 0;)
            if (!gaps_[m].empty()) order_.push_back(m);
        std::stable_sort(order_.begin(), order_.end(),
                         [&](int a, int b) { return gaps_[a].begin()->first > gaps_[b].begin()->first; });
        chain_.memory_of.assign(accelerator_.memories.size(), -1);
        for (std::size_t place = 0; place < order_.size(); ++place)
            chain_.memory_of[order_[place]] = static_cast<int>(place);
    }

    bool serves(int memory, int dimension) const {
        const std::vector<int>& served = accelerator_.memories[memory].served;
        return std::find(served.begin(), served.end(), dimension) != served.end();
    }

    static LoopKind axis_of(std::size_t dimension) {
        return dimension == 0 ? LoopKind::spatial_x : LoopKind::spatial_y;
    }

    Mesh mesh_of(int memory) const {
        Mesh mesh;
        for (std::size_t d = 0; d < accelerator_.array.size(); ++d) {
            if (memory >= 0 && serves(memory, static_cast<int>(d))) continue;
            std::int64_t& side = axis_of(d) == LoopKind::spatial_x ? mesh.x : mesh.y;
            side = checked_mul(side, accelerator_.array[d].size);
        }
        return mesh;
    }

    void add_memories() {
        for (const Operand& operand : layer_.operands) word_bits_ = std::max(word_bits_, operand.precision_bits);
        Architecture& architecture = chain_.architecture;
        architecture.name = accelerator_.name;
        for (std::size_t place = 0; place < order_.size(); ++place) {
            if (place > 0) refuse_unnested(order_[place - 1], order_[place]);
            architecture.memories.push_back(memory(order_[place]));
        }
        architecture.compute.word_bits = word_bits_;
        architecture.compute.mesh = mesh_of(-1);
        architecture.compute.instances = architecture.compute.mesh.size();
        architecture.compute.energy_pj = {accelerator_.unit_energy_pj, "given"};
        if (std::string problem = problem_with(architecture); !problem.empty()) throw Inexpressible{problem};
    }

    void refuse_unnested(int outer, int inner) const {
        for (std::size_t d = 0; d < accelerator_.array.size(); ++d)
            if (serves(inner, static_cast<int>(d)) && !serves(outer, static_cast<int>(d)))
                throw Inexpressible{"memory '" + accelerator_.memories[outer].name + "' is replicated along " +
                                    accelerator_.array[d].name + ", which '" + accelerator_.memories[inner].name +
                                    "' inside it shares"};
    }

    Memory memory(int index) const {
        const SharedMemory& source = accelerator_.memories[index];
        Memory memory;
        memory.name = source.name;
        memory.word_bits = word_bits_at(source);
        memory.capacity_words = source.size_bits / memory.word_bits;
        memory.mesh = mesh_of(index);
        memory.instances = memory.mesh.size();
        add_bandwidth(source, memory);
        return memory;
    }

    /// Of its widest operand.
    std::int64_t word_bits_at(const SharedMemory& memory) const {
        std::int64_t bits = 1;
        for (const Operand& operand : layer_.operands)
            if (memory.holds(operand.memory)) bits = std::max(bits, operand.precision_bits);
        return bits;
    }

    /// Blocks are as wide as the widest port; a read-write port makes the bandwidth shared.
    void add_bandwidth(const SharedMemory& source, Memory& memory) const {
        std::int64_t widest = memory.word_bits;
        std::int64_t read = 0;
        std::int64_t write = 0;
        bool shared = false;
        for (const Port& port : source.ports) {
            const auto uses = [&](bool reading) {
                return std::any_of(port.uses.begin(), port.uses.end(), [&](const PortUse& use) {
                    return reading == (use.direction == Direction::read_down || use.direction == Direction::read_up);
                });
            };
            widest = std::max(widest, port.bandwidth_max_bits);
            if (uses(true)) read = checked_add(read, port.bandwidth_max_bits);
            if (uses(false)) write = checked_add(write, port.bandwidth_max_bits);
            shared = shared || (uses(true) && uses(false));
        }
        memory.block_words = std::max<std::int64_t>(1, widest / memory.word_bits);
        const double block_share =
            static_cast<double>(memory.block_words * memory.word_bits) / static_cast<double>(widest);
        memory.energy.read_pj = {source.read_pj * block_share, "given"};
        memory.energy.fill_pj = memory.energy.update_pj = {source.write_pj * block_share, "given"};
        const auto words = [&](std::int64_t bits) {
            return static_cast<double>(bits) / static_cast<double>(memory.word_bits);
        };
        if (shared) memory.shared_words_per_cycle = words(std::max(read, write));
        if (!shared && read > 0) memory.read_words_per_cycle = words(read);
        if (!shared && write > 0) memory.write_words_per_cycle = words(write);
    }

    /// Chain index of the innermost memory serving an array dimension.
    int fanout_of(int dimension) const {
        for (std::size_t place = order_.size(); place-- > 0;)
            if (serves(order_[place], dimension)) return static_cast<int>(place);
        throw Inexpressible{"no memory is shared along " + accelerator_.array[dimension].name};
    }

    /// Spatial loops precede the first store into a memory inside their fan-out.
    void add_parallel_before(int place) {
        for (std::size_t d = 0; d < unrolling_.size(); ++d) {
            if (spread_[d] || unrolling_[d].empty() || fanout_of(static_cast<int>(d)) >= place) continue;
            spread_[d] = true;
            for (const Unrolling& one : unrolling_[d])
                if (one.factor > 1)
                    chain_.mapping.nodes.emplace_back(Loop{one.dimension, one.factor, one.factor, axis_of(d)});
        }
    }

    void add_nodes() {
        LevelLoops nest;
        for (const LevelLoops& loops : mapping_.operands.front()) nest.insert(nest.end(), loops.begin(), loops.end());
        spread_.assign(unrolling_.size(), false);
        for (std::size_t gap = nest.size();; --gap) {
            for (std::size_t place = 0; place < order_.size(); ++place) {
                const auto store = gaps_[order_[place]].find(gap);
                if (store == gaps_[order_[place]].end()) continue;
                add_parallel_before(static_cast<int>(place));
                chain_.mapping.nodes.emplace_back(Store{static_cast<int>(place), store->second});
            }
            if (gap == 0) break;
            const TemporalLoop& loop = nest[gap - 1];
            if (loop.size > 1)
                chain_.mapping.nodes.emplace_back(Loop{loop.dimension, loop.size, loop.size, LoopKind::temporal});
        }
        add_parallel_before(static_cast<int>(order_.size()));
    }

    void cover_exactly() {
        for (int d = 0; d < layer_.dimension_count(); ++d) {
            std::int64_t product = 1;
            for (const auto& node : chain_.mapping.nodes)
                if (const Loop* loop = std::get_if<Loop>(&node); loop != nullptr && loop->dimension == d)
                    product = checked_mul(product, loop->extent);
            exact_ = exact_ && product == layer_.dimensions[d].extent;
        }
        if (!exact_ && !restore_remainders(chain_.mapping, chain_.einsum))
            throw Inexpressible{"its loops do not cover the layer exactly once"};
    }

    const Accelerator& accelerator_;
    const Layer& layer_;
    const ArrayUnrolling& unrolling_;
    const UnevenMapping& mapping_;
    std::int64_t word_bits_ = 1;
    std::vector<Gaps> gaps_;  ///< by memory of the accelerator
    std::vector<int> order_;  ///< memories of the accelerator, outermost first
    std::vector<bool> spread_;
    bool exact_ = true;
    Chain chain_;
};

}  // namespace

std::variant<Chain, std::string> to_chain(const Accelerator& accelerator, const Layer& layer,
                                          const ArrayUnrolling& unrolling, const UnevenMapping& mapping) {
    try {
        return ChainBuilder(accelerator, layer, unrolling, mapping).build();
    } catch (const Inexpressible& problem) {
        return problem.reason;
    }
}

}  // namespace tilewright::zigzag
