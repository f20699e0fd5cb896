#include "report/csv.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "report/csv_cell.hpp"

namespace tilewright::report {
namespace {

constexpr const char* kHeader =
    "network,architecture,accounting,layer,repeats,memory,tensor,action,words,operations,energy_pj,cycles\n";

// What fills one row beside the names.
struct Amounts {
    std::optional<double> words = {};
    std::optional<double> operations = {};
    std::optional<double> energy_pj = {};
    std::optional<double> cycles = {};
};

// The rows of one layer: what they all begin with, and the text so far.
class LayerRows {
   public:
    LayerRows(const std::string& network, const std::string& architecture, const std::string& accounting,
              const std::string& layer, std::int64_t repeats)
        : start_(fmt::format("{},{},{},{},{}", csv_cell(network), csv_cell(architecture), csv_cell(accounting),
                             csv_cell(layer), repeats)) {}

    void add(const std::string& memory, const std::string& tensor, const std::string& action, const Amounts& amounts) {
        text_ += fmt::format("{},{},{},{},{},{},{},{}\n", start_, csv_cell(memory), csv_cell(tensor), csv_cell(action),
                             csv_number(amounts.words), csv_number(amounts.operations), csv_number(amounts.energy_pj),
                             csv_number(amounts.cycles));
    }
    std::string take() { return std::move(text_); }

   private:
    std::string start_;
    std::string text_;
};

// An evaluation has one energy for the three actions of a tensor at a memory: it is divided in proportion to words
// times the energy of an access, which is exact but for rounding up to whole blocks.
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
                LayerRows& rows) {
    const TensorTraffic& traffic = memory.tensors[t];
    if (traffic.kept) {
        const std::array<double, 3> energies = energies_by_action(traffic, machine);
        rows.add(memory.name, tensor, "read", {.words = traffic.reads, .energy_pj = energies[0]});
        rows.add(memory.name, tensor, "fill", {.words = traffic.fills, .energy_pj = energies[1]});
        rows.add(memory.name, tensor, "update", {.words = traffic.updates, .energy_pj = energies[2]});
        if (traffic.address_generations > 0.0 || traffic.address_energy_pj > 0.0)
            rows.add(memory.name, tensor, "address",
                     {.words = traffic.address_generations, .energy_pj = traffic.address_energy_pj});
    }
    if (t >= memory.link.size()) return;
    const LinkTraffic& link = memory.link[t];
    if (link.words > 0.0 || link.energy_pj > 0.0)
        rows.add(memory.name, tensor, "link", {.words = link.words, .energy_pj = link.energy_pj});
}

void add_evaluation(const Evaluation& evaluation, const Einsum& einsum, const Architecture& architecture,
                    LayerRows& rows) {
    for (std::size_t m = 0; m < evaluation.memories.size(); ++m) {
        const MemoryEvaluation& memory = evaluation.memories[m];
        for (std::size_t t = 0; t < memory.tensors.size(); ++t)
            add_tensor(memory, architecture.memories[m], t, einsum.tensors[t].name, rows);
        if (memory.leakage_pj > 0.0) rows.add(memory.name, "", "leak", {.energy_pj = memory.leakage_pj});
    }
    const std::string& units = architecture.compute.name;
    rows.add(units, "", "compute",
             {.operations = static_cast<double>(evaluation.computes), .energy_pj = evaluation.compute_energy_pj});
    if (evaluation.compute_leakage_pj > 0.0) rows.add(units, "", "leak", {.energy_pj = evaluation.compute_leakage_pj});
    rows.add("", "", "latency", {.cycles = static_cast<double>(evaluation.cycles)});
}

std::string layer_csv(const Report& report, const LayerResult& layer, const std::string& accounting,
                      const std::optional<Evaluation>& evaluation) {
    LayerRows rows(report.network, report.architecture.name, accounting, layer.names.front(), layer.repeats);
    if (evaluation)
        add_evaluation(*evaluation, layer.einsum, report.architecture, rows);
    else
        rows.add("", "", "no_mapping", {});
    return rows.take();
}

void add_result(const zigzag::Result& result, const ZigzagLayer& one, const zigzag::Accelerator& accelerator,
                LayerRows& rows) {
    for (std::size_t i = 0; i < result.levels.size(); ++i)
        for (const zigzag::LevelCost& level : result.levels[i])
            for (int d = 0; d < zigzag::kDirections; ++d) {
                const auto direction = static_cast<zigzag::Direction>(d);
                rows.add(accelerator.memories[level.memory].name, one.layer.operands[i].name,
                         std::string(zigzag::long_name_of(direction)),
                         {.words = static_cast<double>(level.words[direction]),
                          .energy_pj = level.energy_pj_by_direction[direction]});
            }
    rows.add("", "", "compute",
             {.operations = static_cast<double>(one.layer.operations), .energy_pj = result.mac_energy_pj});
    rows.add("", "", "latency", {.cycles = result.latency.total()});
}

}  // namespace

std::string costs_csv(const Report& report) {
    std::string text = kHeader;
    for (const LayerResult& layer : report.layers)
        text += layer_csv(report, layer, report.provenance.accounting, layer.evaluation);
    return text;
}

std::string costs_csv(const Report& report, const std::vector<NamedEvaluation>& evaluations) {
    std::string text = kHeader;
    for (const auto& [accounting, evaluation] : evaluations)
        text += layer_csv(report, report.layers.front(), accounting, evaluation);
    return text;
}

std::string costs_csv(const ZigzagReport& report) {
    std::string text = kHeader;
    for (const ZigzagLayer& one : report.layers) {
        LayerRows rows(report.network, report.accelerator.name, report.provenance.accounting, one.layer.name, 1);
        if (one.result)
            add_result(*one.result, one, report.accelerator, rows);
        else
            rows.add("", "", "no_mapping", {});
        text += rows.take();
    }
    return text;
}

}  // namespace tilewright::report
