#include "zigzag/forms/translate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/numbers/checked.hpp"
#include "workload/layer_roles.hpp"

namespace tilewright::zigzag {
namespace {

using tilewright::Node;

// A memory without a limit.
constexpr std::int64_t kAmple = std::int64_t{1} << 60;

class LayerTranslator {
   public:
    LayerTranslator(const Einsum& einsum, std::int64_t word_bits) : einsum_(einsum), word_bits_(word_bits) {}

    Layer translate(std::vector<int>& tensor_of) {
        layer_.name = einsum_.name;
        for (const Dimension& dimension : einsum_.dimensions) layer_.dimensions.push_back(dimension);
        for (const bool written : {true, false})
            for (int t = 0; t < einsum_.tensor_count(); ++t)
                if (einsum_.tensors[t].written == written) add_operand(t, tensor_of);
        if (layer_.operand_count() < 2 || layer_.operand_count() > kMemoryOperands ||
            layer_.operands[1].memory == MemoryOperand::o)
            throw Inexpressible{"ZigZag's layers have one result and one or two inputs"};
        derive(layer_);
        if (std::string problem = problem_with(layer_); !problem.empty()) throw Inexpressible{problem};
        return layer_;
    }

   private:
    void add_operand(int t, std::vector<int>& tensor_of) {
        const Tensor& tensor = einsum_.tensors[t];
        Operand operand;
        operand.name = tensor.name;
        const bool has_input = layer_.operand_count() > 1;
        operand.memory = tensor.written ? MemoryOperand::o : has_input ? MemoryOperand::i2 : MemoryOperand::i1;
        operand.precision_bits = operand.final_precision_bits = word_bits_;
        for (const Rank& rank : tensor.ranks)
            if (!rank.terms.empty()) operand.axes.push_back(axis_of(tensor, rank));
        refuse_twice(operand);
        layer_.operands.push_back(std::move(operand));
        tensor_of.push_back(t);
    }

    Axis axis_of(const Tensor& tensor, const Rank& rank) {
        const bool positive =
            std::all_of(rank.terms.begin(), rank.terms.end(), [](const Term& term) { return term.coefficient > 0; });
        if (!positive || rank.terms.size() > 2)
            throw Inexpressible{"tensor '" + tensor.name + "' has an axis that is no window of two dimensions"};
        if (rank.terms.size() == 1 && rank.terms[0].coefficient == 1) return {false, rank.terms[0].dimension};
        DimensionRelation window;
        window.name = tensor.name + "_window" + std::to_string(layer_.windows.size());
        window.first = rank.terms[0].dimension;
        window.first_step = rank.terms[0].coefficient;
        window.second = rank.terms.size() == 2 ? rank.terms[1].dimension : unit_dimension();
        window.second_step = rank.terms.size() == 2 ? rank.terms[1].coefficient : 1;
        layer_.windows.push_back(window);
        return {true, static_cast<int>(layer_.windows.size()) - 1};
    }

    /// A dimension of one iteration, for windows of a stride alone.
    int unit_dimension() {
        if (const int known = find_dimension(layer_, "unit"); known >= 0) return known;
        if (layer_.dimension_count() == kMaxDimensions) throw Inexpressible{"it has too many dimensions"};
        layer_.dimensions.push_back({"unit", 1});
        return layer_.dimension_count() - 1;
    }

    /// ZigZag allows a dimension in one window only, and every operand with a window has all of them.
    void refuse_twice(const Operand& operand) const {
        const auto windowed = [](const Operand& one) {
            return std::any_of(one.axes.begin(), one.axes.end(), [](const Axis& axis) { return axis.windowed; });
        };
        if (!windowed(operand)) return;
        for (const Operand& other : layer_.operands)
            if (windowed(other)) throw Inexpressible{"two tensors are addressed through windows"};
        std::vector<int> seen;
        for (const Axis& axis : operand.axes) {
            std::vector<int> dimensions{axis.index};
            if (axis.windowed) dimensions = {layer_.windows[axis.index].first, layer_.windows[axis.index].second};
            for (const int d : dimensions) {
                if (std::find(seen.begin(), seen.end(), d) != seen.end() && layer_.dimensions[d].extent > 1)
                    throw Inexpressible{"tensor '" + operand.name + "' uses dimension '" + layer_.dimensions[d].name +
                                        "' in two axes"};
                seen.push_back(d);
            }
        }
    }

    const Einsum& einsum_;
    std::int64_t word_bits_;
    Layer layer_;
};

using HeldOperands = std::vector<std::vector<MemoryOperand>>;

class MachineTranslator {
   public:
    /// `bits` of every word; 0: each memory's own.
    MachineTranslator(const Architecture& architecture, std::int64_t bits) : architecture_(architecture), bits_(bits) {
        add_array();
    }

    static std::int64_t word_bits(const Architecture& architecture) {
        return std::max<std::int64_t>(1, architecture.compute.word_bits);
    }

    Accelerator translate(const HeldOperands& operands, std::vector<int>& memory_of) {
        machine_.name = architecture_.name;
        machine_.unit_energy_pj = architecture_.compute.energy_pj.value;
        for (int m = architecture_.memory_count(); m-- > 0;) {
            if (operands[m].empty()) continue;
            machine_.memories.push_back(memory(m, operands[m]));
            memory_of.push_back(m);
        }
        derive(machine_);
        return machine_;
    }

    /// The array dimension of the fan-out below memory `m` along X or Y, or -1.
    int array_dimension(int m, LoopKind axis) const { return array_of_[m][axis == LoopKind::spatial_y ? 1 : 0]; }

   private:
    void add_array() {
        for (int m = 0; m < architecture_.memory_count(); ++m) {
            const Mesh fanout = architecture_.fanout(m);
            std::array<int, 2>& axes = array_of_.emplace_back();
            axes = {-1, -1};
            const std::string& name = architecture_.memories[m].name;
            const auto add = [&](std::size_t axis, std::int64_t size, const char* letter) {
                if (size <= 1) return;
                axes[axis] = static_cast<int>(machine_.array.size());
                machine_.array.push_back({name + "." + letter, size});
            };
            add(0, fanout.x, "X");
            add(1, fanout.y, "Y");
        }
        if (machine_.array.empty()) machine_.array.push_back({"unit", 1});
    }

    std::int64_t bits_of(const Memory& source) const { return bits_ > 0 ? bits_ : source.word_bits; }

    SharedMemory memory(int m, const std::vector<MemoryOperand>& operands) const {
        const Memory& source = architecture_.memories[m];
        SharedMemory memory;
        memory.name = source.name;
        memory.operands = operands;
        const std::optional<std::int64_t> words = source.usable_words();
        memory.size_bits = words ? std::min(kAmple, saturating_mul(*words, bits_of(source))) : kAmple;
        add_ports(source, memory);
        for (int inside = m; inside < architecture_.memory_count(); ++inside)
            for (const int dimension : array_of_[inside])
                if (dimension >= 0) memory.served.push_back(dimension);
        return memory;
    }

    /// One port for a shared bandwidth, else one each for reads and writes.
    void add_ports(const Memory& source, SharedMemory& memory) const {
        using enum Direction;
        const std::vector<Direction> reads{read_down, read_up};
        const std::vector<Direction> writes{write_from_below, write_from_above};
        const Port read =
            port("read", source,
                 source.shared_words_per_cycle ? source.shared_words_per_cycle : source.read_words_per_cycle);
        const Port write =
            port("write", source,
                 source.shared_words_per_cycle ? source.shared_words_per_cycle : source.write_words_per_cycle);
        memory.ports = {read, write};
        if (source.shared_words_per_cycle) memory.ports.pop_back();
        Port& last = memory.ports.back();
        for (const MemoryOperand operand : memory.operands) {
            for (const Direction direction : reads) memory.ports.front().uses.push_back({operand, direction});
            for (const Direction direction : writes) last.uses.push_back({operand, direction});
        }
        // Our costs are per block; ZigZag's per port-wide word.
        const double read_blocks = blocks_of(source, read);
        const double write_blocks = blocks_of(source, write);
        memory.read_pj = source.energy.read_pj.value * read_blocks;
        memory.write_pj = source.energy.fill_pj.value * write_blocks;
    }

    double blocks_of(const Memory& source, const Port& port) const {
        return static_cast<double>(port.bandwidth_max_bits) / static_cast<double>(block_bits(source));
    }

    std::int64_t block_bits(const Memory& source) const { return checked_mul(source.block_words, bits_of(source)); }

    Port port(const char* type, const Memory& source, std::optional<double> words_per_cycle) const {
        Port port;
        port.name = port.type = type;
        const std::int64_t block = block_bits(source);
        port.bandwidth_min_bits = port.bandwidth_max_bits = block;
        if (!words_per_cycle) {
            port.takes_no_time = true;
            return port;
        }
        const double bits = *words_per_cycle * static_cast<double>(bits_of(source));
        port.bandwidth_max_bits = std::max<std::int64_t>(1, std::llround(std::min(bits, 1e15)));
        port.bandwidth_min_bits = std::min(block, port.bandwidth_max_bits);
        return port;
    }

    const Architecture& architecture_;
    std::int64_t bits_;
    Accelerator machine_;
    std::vector<std::array<int, 2>> array_of_;
};

HeldOperands operands_held(const Architecture& architecture, const Mapping& mapping, const Translation& translation) {
    HeldOperands held(architecture.memories.size());
    for (std::size_t m = 0; m < held.size(); ++m)
        for (std::size_t i = 0; i < translation.layer.operands.size(); ++i) {
            const int tensor = translation.tensor_of[i];
            const bool stored = std::any_of(mapping.nodes.begin(), mapping.nodes.end(), [&](const Node& node) {
                const Store* store = std::get_if<Store>(&node);
                return store != nullptr && store->memory == static_cast<int>(m) && store->tensors.has(tensor);
            });
            if (stored) held[m].push_back(translation.layer.operands[i].memory);
        }
    return held;
}

/// A property beyond ZigZag's hardware; "" for none.
std::string unsaid(const Memory& memory, bool holds) {
    const auto costs = [](const std::optional<double>& energy) { return energy && *energy > 0.0; };
    const auto charges = [&](const Link& link) {
        return costs(link.energy_per_hop_pj) || costs(link.router_energy_pj) || link.adder_energy_pj > 0.0 ||
               !link.multicast_energy_pj.empty() || !link.tensor_multicast_energy_pj.empty() ||
               !link.passages.empty() || (costs(link.wire_energy_pj_per_bit_mm) && costs(link.tile_width_um));
    };
    if (charges(memory.link) || (memory.update_link && charges(*memory.update_link)))
        return "the network inside it costs energy, and there are no networks";
    if (!holds) return "";
    if (memory.write_stall_cycles > 0.0) return "its writes stop the units, and there is no such time";
    if (memory.cluster_size > 1) return "several instances share one access (cluster_size)";
    if (memory.energy.fill_pj.value != memory.energy.update_pj.value)
        return "a fill and an update cost different energies, and there is one cost of writing";
    if (costs(memory.address_energy_pj)) return "the generation of addresses costs energy";
    if (memory.rules_tiles()) return "it has rules for tiles (alignment_words, buffers, tile)";
    if (memory.min_utilization > 0.0) return "it has to be filled to some share (min_utilization)";
    if (!memory.bandwidth_scale.empty()) return "tensors take different shares of the bandwidth";
    return memory.power_gated_at ? "it is power-gated" : "";
}

class MappingTranslator {
   public:
    MappingTranslator(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                      const MachineTranslator& machine, Translation& translation)
        : einsum_(einsum), architecture_(architecture), mapping_(mapping), machine_(machine), result_(translation) {}

    /// From the innermost node outwards.
    void translate() {
        result_.unrolling.resize(result_.accelerator.array.size());
        std::vector<int> fanouts = fanouts_of_nodes();
        for (const Operand& operand : result_.layer.operands) {
            result_.mapping.operands.emplace_back(result_.accelerator.level_count(operand.memory));
            level_.push_back(0);
        }
        for (std::size_t n = mapping_.nodes.size(); n-- > 0;) {
            if (const Store* store = std::get_if<Store>(&mapping_.nodes[n]))
                pass(*store);
            else if (const Loop& loop = std::get<Loop>(mapping_.nodes[n]); loop.extent > 1)
                place(loop, fanouts[n]);
        }
        for (const auto& levels : result_.mapping.operands)
            if (levels.empty()) throw Inexpressible{"a tensor is stored nowhere"};
    }

   private:
    /// By node, the innermost memory stored so far: spatial loops use the fan-out below it.
    std::vector<int> fanouts_of_nodes() const {
        std::vector<int> fanouts;
        int memory = 0;
        for (const Node& node : mapping_.nodes) {
            if (const Store* store = std::get_if<Store>(&node)) memory = std::max(memory, store->memory);
            fanouts.push_back(memory);
        }
        return fanouts;
    }

    void pass(const Store& store) {
        for (std::size_t i = 0; i < level_.size(); ++i)
            if (store.tensors.has(result_.tensor_of[i])) ++level_[i];
    }

    void place(const Loop& loop, int memory) {
        const std::string& name = einsum_.dimensions[loop.dimension].name;
        if (!loop.is_perfect()) throw Inexpressible{"the loop over " + name + " has a remainder"};
        if (loop.is_spatial()) return unroll(loop, memory);
        for (std::size_t i = 0; i < level_.size(); ++i) {
            std::vector<LevelLoops>& levels = result_.mapping.operands[i];
            if (level_[i] == static_cast<int>(levels.size()))
                throw Inexpressible{"the loop over " + name + " lies outside the outermost memory of tensor '" +
                                    result_.layer.operands[i].name + "'"};
            levels[level_[i]].push_back({loop.dimension, loop.extent});
        }
    }

    void unroll(const Loop& loop, int memory) {
        const int dimension = machine_.array_dimension(memory, loop.kind);
        if (dimension < 0)
            throw Inexpressible{"memory '" + architecture_.memories[memory].name + "' has nothing to spread over"};
        std::vector<Unrolling>& row = result_.unrolling[dimension];
        for (Unrolling& one : row)
            if (one.dimension == loop.dimension) {
                one.factor = checked_mul(one.factor, loop.extent);
                return;
            }
        row.push_back({loop.dimension, loop.extent});
    }

    const Einsum& einsum_;
    const Architecture& architecture_;
    const Mapping& mapping_;
    const MachineTranslator& machine_;
    Translation& result_;
    std::vector<int> level_;  ///< of each operand, at the current node
};

}  // namespace

std::variant<Translation, std::string> translate(const Einsum& einsum, const Architecture& architecture,
                                                 const Mapping& mapping) {
    Translation result;
    try {
        result.layer = LayerTranslator(einsum, MachineTranslator::word_bits(architecture)).translate(result.tensor_of);
        MachineTranslator machine(architecture, MachineTranslator::word_bits(architecture));
        result.accelerator = machine.translate(operands_held(architecture, mapping, result), result.memory_of);
        if (std::string problem = problem_with(result.accelerator, result.layer); !problem.empty())
            throw Inexpressible{problem};
        MappingTranslator(einsum, architecture, mapping, machine, result).translate();
    } catch (const Inexpressible& problem) {
        return problem.reason;
    }
    return result;
}

std::string unsaid_in_hardware(const Architecture& architecture,
                               const std::vector<std::vector<MemoryOperand>>& operands) {
    for (int m = 0; m < architecture.memory_count(); ++m)
        if (const std::string what = unsaid(architecture.memories[m], !operands[m].empty()); !what.empty())
            return "'" + architecture.memories[m].name + "': " + what;
    return "";
}

Accelerator from_architecture(const Architecture& architecture,
                              const std::vector<std::vector<MemoryOperand>>& operands) {
    std::vector<int> unused;
    return MachineTranslator(architecture, 0).translate(operands, unused);
}

namespace {

constexpr std::int64_t kUsualBits = 8;
constexpr std::int64_t kPartialSumBits = 16;

// The einsum's widths, else the usual ones.
void give_widths(const Einsum& einsum, Layer& layer) {
    for (Operand& operand : layer.operands) {
        const std::int64_t own = einsum.tensors[find_tensor(einsum, operand.name)].bits;
        operand.precision_bits = own > 0 ? own : operand.is_result() ? kPartialSumBits : kUsualBits;
        operand.final_precision_bits = own > 0 ? own : kUsualBits;
    }
}

void give_usual_names(const Einsum& einsum, Layer& layer) {
    static constexpr std::array<std::array<std::string_view, 2>, 7> kNames{
        {{"N", "B"}, {"P", "OX"}, {"Q", "OY"}, {"R", "FX"}, {"S", "FY"}, {"Z", "OZ"}, {"T", "FZ"}}};
    for (Dimension& dimension : layer.dimensions)
        for (const auto& [ours, theirs] : kNames)
            if (dimension.name == ours) {
                dimension.name = theirs;
                break;
            }
    if (weights_come_first(einsum)) {  // W is I2, whatever the order
        layer.operands[1].memory = MemoryOperand::i2;
        layer.operands[2].memory = MemoryOperand::i1;
    }
    for (Operand& operand : layer.operands) {
        const bool is_result = operand.is_result();
        operand.name = is_result ? "O" : operand.memory == MemoryOperand::i2 ? "W" : "I";
    }
}

}  // namespace

std::variant<Layer, std::string> from_einsum(const Einsum& einsum, std::string name, std::string operator_type) {
    try {
        std::vector<int> unused;
        Layer layer = LayerTranslator(einsum, kUsualBits).translate(unused);
        layer.name = std::move(name);
        layer.operator_type = std::move(operator_type);
        give_widths(einsum, layer);
        give_usual_names(einsum, layer);
        derive(layer);
        return layer;
    } catch (const Inexpressible& problem) {
        return problem.reason;
    }
}

Einsum to_einsum(const Layer& layer) {
    Einsum einsum{layer.name, layer.dimensions, {}};
    for (const bool written : {false, true}) {
        for (const Operand& operand : layer.operands) {
            if (operand.is_result() != written) continue;
            Tensor& tensor = einsum.tensors.emplace_back(Tensor{operand.name, {}, written});
            for (const Axis& axis : operand.axes) {
                Rank& rank = tensor.ranks.emplace_back();
                if (!axis.windowed) {
                    rank.terms = {{axis.index, 1}};
                    continue;
                }
                const DimensionRelation& window = layer.windows[axis.index];
                rank.terms = {{window.first, window.first_step}, {window.second, window.second_step}};
            }
        }
    }
    return einsum;
}

namespace {

/// Elements in one direction at one level, all instances.
double elements_of(const OperandMovement& movement, std::size_t level, Direction direction) {
    const Flow& flow = movement.flows[level][direction];
    if (flow.precision_bits == 0) return 0.0;
    return static_cast<double>(flow.elements) * static_cast<double>(flow.count) *
           static_cast<double>(movement.units.units[level + 1]);
}

/// Towards the units; of results, the arriving sums.
double words_below(const OperandMovement& movement, std::size_t level) {
    return std::max(elements_of(movement, level, Direction::read_down),
                    elements_of(movement, level, Direction::write_from_below));
}

TensorTraffic traffic_of(const OperandMovement& movement, const LevelCost& cost, std::size_t level) {
    using enum Direction;
    const auto elements = [&](Direction direction) { return elements_of(movement, level, direction); };
    TensorTraffic traffic;
    traffic.kept = true;
    traffic.tile_words = movement.elements[level + 1];
    traffic.reads = elements(read_down) + elements(read_up);
    traffic.fills = elements(write_from_above);
    traffic.updates = elements(write_from_below);
    traffic.instances = static_cast<double>(movement.units.units[level + 1]);
    traffic.energy_pj = cost.energy_pj;
    return traffic;
}

}  // namespace

Evaluation to_evaluation(const Result& result, const Translation& translation, const Einsum& einsum,
                         const Architecture& architecture) {
    Evaluation evaluation;
    evaluation.computes = translation.layer.operations;
    evaluation.compute_cycles = result.latency.ideal_temporal_cycles;
    evaluation.cycles = std::llround(std::max(0.0, result.latency.total()));
    evaluation.utilization = result.latency.utilization(result.latency.total());
    evaluation.energy_pj = result.energy_pj();
    evaluation.compute_energy_pj = result.mac_energy_pj;
    evaluation.compute_units_used = result.movement.front().units.units.front();
    evaluation.area_um2 = total_area_um2(architecture);
    for (const Memory& source : architecture.memories) {
        MemoryEvaluation& memory = evaluation.memories.emplace_back();
        memory.name = source.name;
        memory.cycles = evaluation.compute_cycles;
        memory.tensors.resize(einsum.tensors.size());
        memory.link.resize(einsum.tensors.size());
        memory.area_um2 = source.area_um2.value * static_cast<double>(source.instances);
    }
    for (std::size_t i = 0; i < result.levels.size(); ++i) {
        for (std::size_t l = 0; l < result.levels[i].size(); ++l) {
            const LevelCost& cost = result.levels[i][l];
            MemoryEvaluation& memory = evaluation.memories[translation.memory_of[cost.memory]];
            const TensorTraffic traffic = traffic_of(result.movement[i], cost, l);
            memory.tensors[translation.tensor_of[i]] = traffic;
            memory.link[translation.tensor_of[i]].words = words_below(result.movement[i], l);
            memory.used_words += traffic.tile_words;
            memory.energy_pj += traffic.energy_pj;
        }
    }
    for (const PortCost& port : result.ports) {
        MemoryEvaluation& memory = evaluation.memories[translation.memory_of[port.memory]];
        const std::int64_t cycles = evaluation.compute_cycles + std::max<std::int64_t>(0, port.stall_cycles);
        if (cycles <= memory.cycles) continue;
        memory.cycles = cycles;
        memory.slowdown = static_cast<double>(evaluation.compute_cycles) / static_cast<double>(cycles);
        memory.bound = Bound::shared_bandwidth;
        const int index = translation.memory_of[port.memory];
        const int bound = evaluation.bounding_memory;
        if (bound < 0 || cycles > evaluation.memories[bound].cycles || bound == index)
            evaluation.bounding_memory = index;
    }
    return evaluation;
}

}  // namespace tilewright::zigzag
