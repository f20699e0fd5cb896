#include "maestro/account/maestro.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "base/numbers/checked.hpp"
#include "base/required.hpp"
#include "maestro/account/reuse.hpp"

namespace tilewright::maestro {
namespace {

using dataflow::Axis;
using dataflow::Extents;
using dataflow::Layer;
using dataflow::LayerType;
using dataflow::Level;

constexpr std::size_t kMostClusters = 3;
// Conversion of "not a number": an empty average.
constexpr std::int64_t kNotANumber = std::numeric_limits<std::int64_t>::min();
constexpr DelayRange kNoDelay{kNotANumber, 0, kNotANumber};

// The tool's stop; caught in count().
struct Stop {
    Ending ending;
    std::string reason;
};

Coupling coupling_of(LayerType type, bool batch) {
    using enum Axis;
    Coupling coupling;
    switch (type) {
        case LayerType::depthwise: coupling = {{C, Y, X}, {C, R, S}, {C, Y, X}}; break;
        case LayerType::grouped: coupling = {{G, C, Y, X}, {G, K, C, R, S}, {G, K, C, Y, X}}; break;
        case LayerType::gemm: return {{M, K}, {K, N}, {M, N}};
        default: coupling = {{C, Y, X}, {K, C, R, S}, {K, Y, X}};
    }
    if (batch) {
        coupling.input.push_back(N);
        coupling.output.push_back(N);
    }
    return coupling;
}

bool coupled_anywhere(const Coupling& coupling, Axis axis) {
    for (const auto* tensor : {&coupling.input, &coupling.filter})
        if (std::find(tensor->begin(), tensor->end(), axis) != tensor->end()) return true;
    return false;
}

// The tool's dimension table: the declared ones and, ignoring strides, the other side of Y and X.
Extents tool_extents(const Layer& layer) {
    Extents extents = layer.extents;
    if (layer.type == LayerType::gemm) return extents;
    for (const auto& [image, out] : {std::pair{Axis::Y, Axis::out_y}, std::pair{Axis::X, Axis::out_x}}) {
        const std::int64_t halo = extents[dataflow::filter_along(image)] - 1;
        if (extents[image] > 0)
            extents[out] = extents[image] - halo;
        else
            extents[image] = extents[out] + halo;
    }
    return extents;
}

void add(DelayRange& range, std::int64_t delay) {
    range.least = std::min(range.least, delay);
    range.most = std::max(range.most, delay);
}

// One layer, level by level and tile by tile.
class Counter {
   public:
    Counter(const std::vector<Level>& levels, const Coupling& coupling, const ToolHardware& hardware)
        : levels_(levels), coupling_(coupling), hardware_(hardware) {
        for (const Level& level : levels) reuse_.emplace_back(level, coupling);
    }

    LayerCounts run(const Extents& extents) {
        LayerCounts counts;
        counts.top = *level(0, extents);
        counts.evaluations = known_.size();
        counts.innermost = *first_ended_;
        counts.levels = levels_;
        return counts;
    }

   private:
    using Counts = std::shared_ptr<const LevelCounts>;  // shared with the table of evaluations

    struct Sums {
        std::int64_t number = 0;  // counted cases
        std::int64_t iterations = 0;
        std::int64_t ingress = 0;
        std::int64_t egress = 0;
        std::int64_t compute = 0;
        std::int64_t bandwidth = 0;
        double active = 0.0;
    };

    struct Inside {
        std::int64_t compute = 0;
        double active = 0.0;
    };

    Counts level(std::size_t index, const Extents& extents) {
        std::vector<std::int64_t> key{static_cast<std::int64_t>(index)};
        for (const auto& map : levels_[index].maps) key.push_back(extents[map.axis]);
        if (const auto found = known_.find(key); found != known_.end()) return found->second;
        const Counts counts = std::make_shared<LevelCounts>(evaluate(index, extents));
        if (first_ended_ == nullptr) first_ended_ = counts;
        return known_.emplace(std::move(key), counts).first->second;
    }

    LevelCounts evaluate(std::size_t index, const Extents& extents) {
        LevelCounts counts;
        counts.clusters = levels_[index].clusters;
        Sums sums;
        for (const Case& one : cases_of(levels_[index], extents)) {
            if (one.occurrences <= 0) throw Stop{Ending::abort, "the iterations do not fit in 32 bits"};
            count_case(index, one, counts, sums);
        }
        finish(extents, counts, sums);
        return counts;
    }

    void count_case(std::size_t index, const Case& one, LevelCounts& counts, Sums& sums) {
        const Reuse& reuse = reuse_[index];
        const std::int64_t times = one.occurrences;
        const std::int64_t input = reuse.ingress(coupling_.input, one);
        const std::int64_t filter = reuse.ingress(coupling_.filter, one);
        const std::int64_t output = reuse.egress(one);
        const std::int64_t operations = reuse.operations(one);
        if (sums.number == 0) size_buffers(reuse, input, filter, output, counts);
        TensorCounts& written = counts.tensors[kOutput];
        written.l2_write = checked_add(written.l2_write, checked_mul(times, output));
        written.l1_write = checked_add(written.l1_write, checked_mul(times, operations));
        written.l1_read = written.l1_write;
        const std::int64_t critical = reuse.critical_operations(one);
        if (critical <= 0) return;

        const Inside inside = run_inside(index, one, critical);
        const std::int64_t moved = std::max(input + filter, output);
        const std::int64_t in = delay(input + filter);
        const std::int64_t out = delay(output);
        std::int64_t cycles = sums.number == 0 ? inside.compute + in : std::max({out, inside.compute, in});
        if (index == 0) cycles = std::max(cycles, offchip(inside.compute, counts));
        counts.runtime = checked_add(counts.runtime, checked_mul(times, cycles));
        counts.operations = checked_add(counts.operations, checked_mul(times, operations));
        for (const auto& [tensor, sent] : {std::pair{kInput, input}, std::pair{kFilter, filter}}) {
            TensorCounts& read = counts.tensors[tensor];
            read.l2_read = checked_add(read.l2_read, checked_mul(times, sent));
            read.l1_write = read.l2_read;
            read.l1_read = checked_add(read.l1_read, checked_mul(times, operations));
        }
        add(counts.ingress, in);
        add(counts.egress, out);
        add(counts.compute, inside.compute);
        const std::int64_t per = inside.compute == 0 ? 1 : inside.compute;
        counts.peak_bandwidth = std::max(counts.peak_bandwidth, moved / per);
        counts.arithmetic_intensity = static_cast<double>(operations) / static_cast<double>(input + filter);
        ++sums.number;
        sums.iterations += times;
        sums.ingress += checked_mul(times, in);
        sums.egress += checked_mul(times, out);
        sums.compute += checked_mul(times, inside.compute);
        sums.bandwidth += checked_mul(times, moved) / per;
        sums.active += static_cast<double>(times) * inside.active;
    }

    void size_buffers(const Reuse& reuse, std::int64_t input, std::int64_t filter, std::int64_t output,
                      LevelCounts& counts) const {
        counts.tensors[kInput].l2_size += 2 * input;
        counts.tensors[kFilter].l2_size += 2 * filter;
        counts.tensors[kOutput].l2_size = 2 * output;
        counts.tensors[kInput].l1_size += reuse.l1_size(coupling_.input);
        counts.tensors[kFilter].l1_size += reuse.l1_size(coupling_.filter);
        counts.tensors[kOutput].l1_size = reuse.l1_size(coupling_.output);
    }

    // Compute delay and active units of a case: the level below, or the busiest unit itself.
    Inside run_inside(std::size_t index, const Case& one, std::int64_t critical) {
        const Reuse& reuse = reuse_[index];
        const State& spatial = reuse.spatial_state(one);
        const std::int64_t copies = spatial.is_edge() ? reuse.edge_clusters() : reuse.clusters();
        if (index + 1 == levels_.size()) return {ceil_div(critical, hardware_.simd_lanes), static_cast<double>(copies)};
        Inside inside;
        const auto evaluate_tile = [&](bool partial, std::int64_t times) {
            const Counts counts = level(index + 1, reuse.tile(one, partial));
            inside.compute = std::max(inside.compute, counts->runtime);
            inside.active += counts->active_units * static_cast<double>(times);
        };
        const bool partial = spatial.is_edge() && spatial.partial_last;
        if (partial) evaluate_tile(true, 1);
        if (!partial || copies > 1) evaluate_tile(false, partial ? copies - 1 : copies);
        return inside;
    }

    std::int64_t delay(std::int64_t elements) const {
        const std::int64_t b = hardware_.noc_bandwidth;
        const std::int64_t transfers = elements / b + (elements % b > 0 ? 1 : 0);
        return hardware_.noc_latency + transfers - 1;
    }

    // Cycles of an L2 refill; keeps the tool's running requirement, halved once per case.
    std::int64_t offchip(std::int64_t compute, LevelCounts& counts) const {
        const std::int64_t in = counts.tensors[kInput].l2_size + counts.tensors[kFilter].l2_size;
        const std::int64_t out = counts.tensors[kOutput].l2_size;
        if (compute == 0) throw Stop{Ending::division_by_zero, "a case takes no time to compute"};
        counts.offchip_bandwidth = std::max({counts.offchip_bandwidth, out / compute, in / compute}) / 2;
        return std::max(in / hardware_.offchip_bandwidth / 2, out / hardware_.offchip_bandwidth / 2);
    }

    void finish(const Extents& extents, LevelCounts& counts, const Sums& sums) const {
        for (const auto& [tensor, axes] :
             {std::pair{kInput, &coupling_.input}, std::pair{kFilter, &coupling_.filter}}) {
            std::int64_t all = 1;
            for (const Axis axis : *axes) all = checked_mul(all, extents[axis]);
            counts.tensors[tensor].l2_write = all;
        }
        std::int64_t all = 1;
        for (const Axis axis : coupling_.output) {
            const auto window = coupling_.input.size() > 2 ? dataflow::window_of(axis) : std::nullopt;
            const std::int64_t halo = window ? extents[*window] - 1 : 0;
            all = checked_mul(all, extents[axis] - halo);
        }
        counts.tensors[kOutput].l2_read = all;
        const auto iterations = static_cast<double>(sums.iterations);
        counts.average_bandwidth = static_cast<double>(sums.bandwidth) / iterations;
        if (sums.iterations == 0) {
            counts.ingress = counts.egress = counts.compute = kNoDelay;
            return;
        }
        counts.ingress.average = sums.ingress / sums.iterations;
        counts.egress.average = sums.egress / sums.iterations;
        counts.compute.average = sums.compute / sums.iterations;
        counts.active_units = sums.active / iterations;
    }

    const std::vector<Level>& levels_;
    const Coupling& coupling_;
    const ToolHardware& hardware_;
    std::vector<Reuse> reuse_;
    std::map<std::vector<std::int64_t>, Counts> known_;  // by level and tile
    Counts first_ended_;
};

void check_windows(const Layer& layer) {
    for (const auto& directive : required(layer.dataflow).directives) {
        if (directive.kind != dataflow::DirectiveKind::temporal) continue;
        if (directive.axis != Axis::R && directive.axis != Axis::S) continue;
        const std::int64_t whole = layer.extents[directive.axis];
        const std::string name(dataflow::name_of(directive.axis));
        for (const dataflow::Size* size : {&directive.size, &directive.offset})
            if (value_of(*size, layer.extents, {}).value != whole)
                throw Stop{Ending::message, to_text(directive) + ": a temporal map of " + name + " has to cover its " +
                                                std::to_string(whole) + " elements at once"};
    }
}

void check_spatial_maps(const std::vector<Level>& levels) {
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const auto maps = std::count_if(levels[i].maps.begin(), levels[i].maps.end(),
                                        [](const dataflow::Map& map) { return map.spatial; });
        const std::string where = "cluster level " + std::to_string(i);
        if (maps == 0) throw Stop{Ending::message, where + " has no SpatialMap"};
        if (maps > 2) throw Stop{Ending::message, where + " has more than two SpatialMaps"};
    }
}

std::vector<Level> make_levels(const Layer& layer, const Coupling& coupling, const Extents& extents,
                               const ToolHardware& hardware) {
    dataflow::LevelsRequest request{extents, {}, layer.stride, {}, hardware.units, dataflow::Reading::public_tool};
    request.dilation = dataflow::AxisTable<std::int64_t>{std::int64_t{1}};
    for (const Axis axis : dataflow::operand_axes(layer.type))
        if (coupled_anywhere(coupling, axis)) request.coupled.push_back(axis);
    for (const Axis axis : request.coupled)
        if (extents[axis] == 0)
            throw Stop{Ending::message, "dimension " + std::string(dataflow::name_of(axis)) + " not found"};
    std::int64_t unit = 1;
    std::size_t clusters = 0;
    for (const auto& directive : required(layer.dataflow).directives) {
        if (directive.kind != dataflow::DirectiveKind::cluster) continue;
        ++clusters;
        unit = saturating_mul(unit, value_of(directive.size, extents, {}).value);
    }
    if (clusters > kMostClusters) throw Stop{Ending::abort, "it knows at most three Clusters"};
    if (unit > hardware.units) throw Stop{Ending::division_by_zero, "the clusters need more units than there are"};
    dataflow::LevelsResult made = levels_of(required(layer.dataflow), {}, request);
    if (!made.ok()) throw Stop{Ending::message, made.problem};
    return std::move(made.levels);
}

// Refuses magnitudes beyond 64 bits: the products below are unchecked.
void check_magnitude(const std::vector<Level>& levels) {
    for (const Level& level : levels) {
        std::int64_t most = checked_mul(8, level.clusters);
        for (const dataflow::Map& map : level.maps)
            most = checked_mul(most, std::max(map.size, level.extents[map.axis]));
    }
}

LayerCounts count_layer(const Layer& layer, bool batch, const ToolHardware& hardware) {
    if (layer.type >= LayerType::fully_connected)
        throw Stop{Ending::message, "its reader does not make layers of type " + std::string(name_of(layer.type))};
    if (!parameters_of(required(layer.dataflow)).empty()) throw Stop{Ending::message, "a size is left open"};
    check_windows(layer);
    const Coupling coupling = coupling_of(layer.type, batch);
    const Extents extents = tool_extents(layer);
    const std::vector<Level> levels = make_levels(layer, coupling, extents, hardware);
    check_spatial_maps(levels);
    check_magnitude(levels);
    LayerCounts counts = Counter(levels, coupling, hardware).run(extents);
    counts.name = layer.name;
    for (const Axis axis : coupling.input)
        if (layer.extents[axis] > 0) counts.declared_input = checked_mul(counts.declared_input, layer.extents[axis]);
    return counts;
}

// A layer without directives takes the previous layer's, with the tool's extra empty cluster.
void check_has_dataflow(const std::vector<Layer>& layers, std::size_t index) {
    if (layers[index].dataflow) return;
    if (index == 0) throw Stop{Ending::segmentation_fault, "the first layer has no Dataflow"};
    throw Stop{Ending::message, "the layer has no Dataflow, and that of the layer before ends in an empty cluster now"};
}

}  // namespace

ToolHardware tool_hardware(const dataflow::Hardware& hardware) {
    ToolHardware tool;
    tool.units = hardware.units;
    tool.l1_size = hardware.l1_bytes.value_or(tool.l1_size);
    tool.l2_size = hardware.l2_bytes.value_or(tool.l2_size);
    tool.noc_bandwidth = hardware.noc_bytes_per_cycle.value_or(tool.noc_bandwidth);
    tool.noc_latency = hardware.noc_latency_cycles;
    tool.offchip_bandwidth = hardware.offchip_bytes_per_cycle.value_or(tool.offchip_bandwidth);
    tool.simd_lanes = hardware.vector_width;
    return tool;
}

std::int64_t LayerCounts::l1_size() const {
    std::int64_t size = 0;
    for (const TensorCounts& tensor : innermost.tensors) size += tensor.l1_size;
    return size;
}

std::int64_t LayerCounts::l2_size() const {
    std::int64_t size = 0;
    for (const TensorCounts& tensor : top.tensors) size += tensor.l2_size;
    return size;
}

ToolResult count(const std::vector<Layer>& layers, const ToolHardware& hardware) {
    ToolResult result;
    std::map<LayerType, bool> batch;  // from the first layer of the type
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const LayerType kind = layers[i].type == LayerType::transposed ? LayerType::conv : layers[i].type;
        const bool with_batch = batch.emplace(kind, layers[i].extents[Axis::N] > 0).first->second;
        try {
            check_has_dataflow(layers, i);
            result.layers.push_back(count_layer(layers[i], with_batch, hardware));
        } catch (const Stop& stop) {
            result.layers.clear();
            result.refused = ToolRefused{stop.ending, layers[i].name, stop.reason};
            return result;
        }
    }
    return result;
}

}  // namespace tilewright::maestro
