#include "report/views/schedule_figures.hpp"

#include <fmt/format.h>

#include <bit>
#include <set>

#include "report/views/parts.hpp"

namespace tilewright::views {
namespace {

using schedule::Execution;
using schedule::Operand;
using schedule::OperationGraph;
using schedule::Transfer;
using schedule::TransferKind;

constexpr std::array<const char*, 6> kGanttKinds{"operation",        "load input",        "load weight",
                                                 "load partial sum", "spill partial sum", "store output"};

std::size_t kind_of(const Transfer& transfer) {
    if (transfer.kind == TransferKind::spill) return 4;
    if (transfer.kind == TransferKind::store) return 5;
    return 1 + static_cast<std::size_t>(transfer.operand);
}

std::string tiles_of(const OperationGraph& graph, const Execution& one) {
    std::string text;
    for (const int tile : graph.operation(one.operation).tiles)
        text += " " + schedule::tile_name(graph.tile(tile).operand, graph.tile(tile).index);
    return text;
}

plot::Block span(std::int64_t start, std::int64_t end, std::size_t row, std::size_t kind, const std::string& label) {
    return {static_cast<double>(start),
            static_cast<double>(end),
            static_cast<double>(row),
            static_cast<double>(row + 1),
            kind,
            fmt::format("{}: cycles {} to {}", label, start, end)};
}

Figure gantt(const ScheduledLayer& layer, const OperationGraph& graph) {
    const schedule::MultiNpu& machine = layer.problem.machine;
    plot::Blocks chart{"Cores and channels: " + layer.name, {"time", "cycles"}, {}, {}, {}, {}};
    for (std::int64_t core = 0; core < machine.cores; ++core) chart.rows.push_back(fmt::format("core {}", core));
    for (std::int64_t c = 0; c < machine.dma_channels; ++c) chart.rows.push_back(fmt::format("DMA {}", c));
    chart.kinds.assign(kGanttKinds.begin(), kGanttKinds.end());
    for (const Execution& one : layer.schedule.executions)
        chart.blocks.push_back(span(one.start, one.end, static_cast<std::size_t>(one.core), 0,
                                    fmt::format("operation {},{}", one.operation, tiles_of(graph, one))));
    for (const Transfer& one : layer.schedule.transfers)
        chart.blocks.push_back(
            span(one.start, one.end, static_cast<std::size_t>(machine.cores + one.channel), kind_of(one),
                 fmt::format("{} {}, {} bytes", schedule::kTransferKindNames[static_cast<std::size_t>(one.kind)],
                             schedule::tile_name(one.operand, one.index), one.bytes)));
    return {"gantt", "What every core and every DMA channel does in each cycle; empty is idle.", std::move(chart),
            layer.name};
}

// Tensors kept in the scratchpad while the layer runs, at its two ends.
void add_kept(const ScheduledLayer& layer, plot::Blocks& chart) {
    const schedule::Kept& kept = layer.problem.layer.kept;
    if (kept.below_bytes + kept.above_bytes == 0) return;
    const auto end = static_cast<double>(layer.schedule.latency_cycles);
    const auto bytes = static_cast<double>(layer.problem.machine.scratchpad_bytes);
    const auto add = [&](double low, double high) {
        if (low < high)
            chart.blocks.push_back(
                {0.0, end, low, high, chart.kinds.size(), fmt::format("tensors that stay, {:.0f} bytes", high - low)});
    };
    add(0.0, static_cast<double>(kept.below_bytes));
    add(bytes - static_cast<double>(kept.above_bytes), bytes);
    chart.kinds.emplace_back("tensors that stay");
}

Figure scratchpad(const ScheduledLayer& layer, const OperationGraph& graph) {
    plot::Blocks chart{"Scratchpad: " + layer.name, {"time", "cycles"}, {}, {"address", "bytes"}, {}, {}};
    chart.kinds.assign(schedule::kOperandNames.begin(), schedule::kOperandNames.end());
    for (const schedule::Residence& one : schedule::residences(graph, layer.schedule)) {
        const schedule::Tile& tile = graph.tile(one.tile);
        chart.blocks.push_back(
            {static_cast<double>(one.begin), static_cast<double>(one.end), static_cast<double>(one.address),
             static_cast<double>(one.address + tile.block_bytes), static_cast<std::size_t>(tile.operand),
             fmt::format("{}, {} bytes: cycles {} to {}", schedule::tile_name(tile.operand, tile.index),
                         tile.block_bytes, one.begin, one.end)});
    }
    add_kept(layer, chart);
    return {"scratchpad",
            fmt::format("Which addresses hold which operand, from load to last use. The scratchpad has {} bytes.",
                        layer.problem.machine.scratchpad_bytes),
            std::move(chart), layer.name};
}

void add_bytes(const ScheduledLayer& layer, std::size_t bar, Parts& parts) {
    std::set<std::pair<Operand, int>> loaded;
    for (const Transfer& one : layer.schedule.transfers) {
        const auto bytes = static_cast<double>(one.bytes);
        const std::string operand = schedule::kOperandNames[static_cast<std::size_t>(one.operand)];
        if (one.kind == TransferKind::store)
            parts.add(bar, "output, stored", bytes);
        else if (one.operand == Operand::output)
            parts.add(bar, "partial sums, out and back", bytes);
        else
            parts.add(bar,
                      operand + (loaded.emplace(one.operand, one.index).second ? ", for the first time" : ", again"),
                      bytes);
    }
}

Figure operands(const std::vector<ScheduledLayer>& layers) {
    Parts parts(layers.size());
    for (const char* name : {"input, for the first time", "input, again", "weight, for the first time", "weight, again",
                             "partial sums, out and back", "output, stored"})
        parts.name(name);
    plot::StackedBars chart{"Bytes moved, by operand", {}, {"traffic", "B"}, {}};
    for (std::size_t i = 0; i < layers.size(); ++i) {
        chart.bars.push_back(layers[i].name);
        add_bytes(layers[i], i, parts);
    }
    chart.parts = parts.take();
    return {"operands",
            "Bytes between the scratchpad and the memory behind it, of one run of each layer. 'Again': the tile had to "
            "leave before its last use.",
            std::move(chart), ""};
}

std::string used_by(std::int64_t cores) { return fmt::format("used by {} core{}", cores, cores == 1 ? "" : "s"); }

Figure sharing(const std::vector<ScheduledLayer>& layers) {
    Parts parts(schedule::kOperands);
    for (const ScheduledLayer& layer : layers) {
        const OperationGraph graph = make_graph(layer.problem);
        for (std::int64_t cores = 1; cores <= layer.problem.machine.cores; ++cores) parts.name(used_by(cores));
        for (const schedule::Residence& one : schedule::residences(graph, layer.schedule)) {
            const int cores = std::popcount(one.cores);
            const schedule::Tile& tile = graph.tile(one.tile);
            if (cores > 0)
                parts.add(static_cast<std::size_t>(tile.operand), used_by(cores),
                          static_cast<double>(tile.block_bytes));
        }
    }
    plot::StackedBars chart{"Sharing between cores", {}, {"bytes held", "B"}, {}};
    chart.bars.assign(schedule::kOperandNames.begin(), schedule::kOperandNames.end());
    chart.parts = parts.take();
    return {"sharing",
            "By how many cores a tile was used while it lay in the scratchpad, weighted with its bytes and counted "
            "once for every time that it came.",
            std::move(chart), ""};
}

}  // namespace

std::vector<Figure> schedule_figures(const std::vector<ScheduledLayer>& layers) {
    std::vector<Figure> figures;
    for (const ScheduledLayer& layer : layers) {
        const OperationGraph graph = make_graph(layer.problem);
        figures.push_back(gantt(layer, graph));
        figures.push_back(scratchpad(layer, graph));
    }
    figures.push_back(operands(layers));
    figures.push_back(sharing(layers));
    return figures;
}

}  // namespace tilewright::views
