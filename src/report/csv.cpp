#include "report/csv.hpp"

#include <fmt/format.h>

#include <array>

#include "report/parts/table.hpp"

namespace tilewright::report {
namespace {

constexpr const char* kHeader =
    "network,architecture,accounting,layer,repeats,memory,tensor,action,words,operations,energy_pj,cycles\n";

// Common first cells of rows, and the text so far.
class CsvTable {
   public:
    CsvTable(std::string network, std::string architecture)
        : network_(std::move(network)), machine_(std::move(architecture)) {}

    void add(const std::string& accounting, const std::string& layer, std::int64_t repeats,
             const std::vector<CostRow>& rows) {
        const std::string start = fmt::format("{},{},{},{},{}", csv_cell(network_), csv_cell(machine_),
                                              csv_cell(accounting), csv_cell(layer), repeats);
        for (const CostRow& row : rows)
            text_ += fmt::format("{},{},{},{},{},{},{},{}\n", start, csv_cell(row.memory), csv_cell(row.tensor),
                                 csv_cell(row.action), csv_number(row.words), csv_number(row.operations),
                                 csv_number(row.energy_pj), csv_number(row.cycles));
    }
    std::string take() { return std::move(text_); }

   private:
    std::string network_;
    std::string machine_;
    std::string text_ = kHeader;
};

using Rows = std::vector<CostRow>;

// An evaluation has one energy for the three actions of a tensor at a memory: divided in proportion to words times
// energy per access, exact up to whole blocks.
std::array<double, 3> energies_by_action(const TensorTraffic& traffic, const Memory& memory) {
    std::array<double, 3> energies{traffic.reads * memory.energy.read_pj.value,
                                   traffic.fills * memory.energy.fill_pj.value,
                                   traffic.updates * memory.energy.update_pj.value};
    const double sum = energies[0] + energies[1] + energies[2];
    if (sum <= 0.0) return {traffic.energy_pj, 0.0, 0.0};
    for (double& energy : energies) energy *= traffic.energy_pj / sum;
    return energies;
}

void add_tensor(const MemoryEvaluation& memory, const Memory& machine, std::size_t t, const std::string& tensor,
                Rows& rows) {
    const TensorTraffic& traffic = memory.tensors[t];
    if (traffic.kept) {
        const std::array<double, 3> energies = energies_by_action(traffic, machine);
        rows.push_back({.memory = memory.name,
                        .tensor = tensor,
                        .action = "read",
                        .words = traffic.reads,
                        .energy_pj = energies[0]});
        rows.push_back({.memory = memory.name,
                        .tensor = tensor,
                        .action = "fill",
                        .words = traffic.fills,
                        .energy_pj = energies[1]});
        rows.push_back({.memory = memory.name,
                        .tensor = tensor,
                        .action = "update",
                        .words = traffic.updates,
                        .energy_pj = energies[2]});
        if (traffic.address_generations > 0.0 || traffic.address_energy_pj > 0.0)
            rows.push_back({.memory = memory.name,
                            .tensor = tensor,
                            .action = "address",
                            .words = traffic.address_generations,
                            .energy_pj = traffic.address_energy_pj});
    }
    if (t >= memory.link.size()) return;
    const LinkTraffic& link = memory.link[t];
    if (link.words > 0.0 || link.energy_pj > 0.0)
        rows.push_back({.memory = memory.name,
                        .tensor = tensor,
                        .action = "link",
                        .words = link.words,
                        .energy_pj = link.energy_pj});
}

void add_evaluation(const Evaluation& evaluation, const Einsum& einsum, const Architecture& architecture,
                    bool on_vector_unit, Rows& rows) {
    for (std::size_t m = 0; m < evaluation.memories.size(); ++m) {
        const MemoryEvaluation& memory = evaluation.memories[m];
        for (std::size_t t = 0; t < memory.tensors.size(); ++t)
            add_tensor(memory, architecture.memories[m], t, einsum.tensors[t].name, rows);
        if (memory.leakage_pj > 0.0)
            rows.push_back({.memory = memory.name, .action = "leak", .energy_pj = memory.leakage_pj});
    }
    const std::string& units = architecture.compute.name;
    rows.push_back({.memory = on_vector_unit ? kVectorUnit : units,
                    .action = "compute",
                    .operations = static_cast<double>(evaluation.computes),
                    .energy_pj = evaluation.compute_energy_pj});
    if (evaluation.compute_leakage_pj > 0.0)
        rows.push_back({.memory = units, .action = "leak", .energy_pj = evaluation.compute_leakage_pj});
    const int bounding = evaluation.bounding_memory;
    const std::string bound = bounding >= 0 ? evaluation.memories[bounding].name : on_vector_unit ? kVectorUnit : units;
    rows.push_back({.memory = bound, .action = "latency", .cycles = static_cast<double>(evaluation.cycles)});
}

Rows rows_of(const std::optional<Evaluation>& evaluation, const Einsum& einsum, const Architecture& architecture,
             bool on_vector_unit = false) {
    Rows rows;
    if (evaluation)
        add_evaluation(*evaluation, einsum, architecture, on_vector_unit, rows);
    else
        rows.push_back({.action = "no_mapping"});
    return rows;
}

void add_result(const zigzag::Result& result, const ZigzagLayer& one, const zigzag::Accelerator& accelerator,
                Rows& rows) {
    for (std::size_t i = 0; i < result.levels.size(); ++i)
        for (const zigzag::LevelCost& level : result.levels[i])
            for (int d = 0; d < zigzag::kDirections; ++d) {
                const auto direction = static_cast<zigzag::Direction>(d);
                rows.push_back({.memory = accelerator.memories[level.memory].name,
                                .tensor = one.layer.operands[i].name,
                                .action = std::string(zigzag::long_name_of(direction)),
                                .words = static_cast<double>(level.words[direction]),
                                .energy_pj = level.energy_pj_by_direction[direction]});
            }
    rows.push_back({.action = "compute",
                    .operations = static_cast<double>(one.layer.operations),
                    .energy_pj = result.mac_energy_pj});
    rows.push_back({.action = "latency", .cycles = result.latency.total()});
}

}  // namespace

std::vector<CostRow> cost_rows(const LayerResult& layer, const Architecture& architecture) {
    Rows rows = rows_of(layer.evaluation, layer.einsum, architecture, layer.on_vector_unit);
    if (layer.as_built && layer.as_built->bound != "compute") rows.back().memory = layer.as_built->bound;
    return rows;
}

std::string costs_csv(const Report& report) {
    CsvTable table(report.network, report.architecture.name);
    for (const LayerResult& layer : report.layers)
        table.add(accounting_of(report, layer), layer.names.front(), layer.repeats,
                  cost_rows(layer, report.architecture));
    return table.take();
}

std::string costs_csv(const Report& report, const std::vector<NamedEvaluation>& evaluations) {
    CsvTable table(report.network, report.architecture.name);
    const LayerResult& layer = report.layers.front();
    for (const auto& [accounting, evaluation] : evaluations)
        table.add(accounting, layer.names.front(), layer.repeats,
                  rows_of(evaluation, layer.einsum, report.architecture));
    return table.take();
}

std::string costs_csv(const ZigzagReport& report) {
    CsvTable table(report.network, report.accelerator.name);
    for (const ZigzagLayer& one : report.layers) {
        Rows rows;
        if (one.result)
            add_result(*one.result, one, report.accelerator, rows);
        else
            rows.push_back({.action = "no_mapping"});
        table.add(report.provenance.accounting, one.layer.name, 1, rows);
    }
    return table.take();
}

}  // namespace tilewright::report
