#include "report/network_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "base/numbers/checked.hpp"
#include "base/numbers/number_text.hpp"
#include "report/csv.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report {
namespace {

// More tensors than these are a sum: "others".
constexpr std::size_t kMostTensors = 6;

std::size_t index_of(const std::string& name, std::vector<std::string>& names) {
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    names.push_back(name);
    return names.size() - 1;
}

struct EnergyTable {
    std::vector<std::string> memories;
    std::vector<std::string> tensors;
    std::map<std::pair<std::size_t, std::size_t>, double> cells;  ///< by memory and tensor
    std::map<std::pair<int, std::size_t>, double> of_no_tensor;   ///< by kind (has_column) and memory
    std::vector<double> sums;                                     ///< by memory
    double total = 0.0;

    void add(const CostRow& row, double repeats) {
        if (!row.energy_pj || row.memory.empty()) return;
        const double energy_pj = *row.energy_pj * repeats;
        const std::size_t memory = index_of(row.memory, memories);
        sums.resize(memories.size());
        sums[memory] += energy_pj;
        total += energy_pj;
        if (!row.tensor.empty())
            cells[{memory, tensor_column(row.tensor)}] += energy_pj;
        else
            of_no_tensor[{row.action == "leak" ? 1 : 0, memory}] += energy_pj;
    }

    // Costs of no tensor: 0, operations of the units; 1, leakage.
    bool has_column(int kind) const {
        return std::ranges::any_of(of_no_tensor,
                                   [&](const auto& cell) { return cell.first.first == kind && cell.second > 0.0; });
    }

   private:
    std::size_t tensor_column(const std::string& name) {
        const bool known = std::ranges::find(tensors, name) != tensors.end();
        return index_of(known || tensors.size() < kMostTensors ? name : "others", tensors);
    }
};

std::string cell_text(double energy_pj) { return energy_pj > 0.0 ? energy_text(energy_pj) : "-"; }

template <typename Key>
double value_or_0(const std::map<Key, double>& cells, const Key& key) {
    const auto found = cells.find(key);
    return found == cells.end() ? 0.0 : found->second;
}

constexpr std::array kNoTensor{"operations", "leakage"};  // by kind

void add_saved(const std::string& name, const sparse::Saved& saved, Table& table) {
    const auto cell = [](double energy_pj) { return energy_pj == 0.0 ? "-" : energy_text(energy_pj); };
    table.add({name, cell(saved.dense_pj), cell(saved.left_out_pj), cell(saved.gating_pj), cell(saved.skipping_pj),
               cell(saved.metadata_pj), cell(saved.spent_pj())});
}

void add_times(std::int64_t repeats, const sparse::Savings& one, sparse::Savings& sum) {
    const auto times = static_cast<double>(repeats);
    sum.dense_energy_pj += times * one.dense_energy_pj;
    sum.dense_cycles = checked_add(sum.dense_cycles, checked_mul(repeats, one.dense_cycles));
    sum.computes += times * one.computes;
    for (std::size_t m = 0; m < one.memories.size(); ++m) sum.memories[m] += times * one.memories[m];
    sum.elsewhere_pj += times * one.elsewhere_pj;
}

std::string savings_text(const sparse::Savings& savings, const Architecture& architecture, double energy_pj,
                         std::int64_t cycles) {
    Table table({"energy", "nothing done", "left out", "gated", "skipped", "metadata", "spent"}, "lrrrrrr");
    for (std::size_t m = 0; m < savings.memories.size(); ++m)
        add_saved(architecture.memories[m].name, savings.memories[m], table);
    add_saved(architecture.compute.name, savings.computes, table);
    table.rule();
    add_saved("accesses and computes", total_of(savings), table);
    return table.text() + fmt::format("  with links and leakage {} in place of {}, and {} cycles in place of {}\n",
                                      energy_text(energy_pj), energy_text(savings.dense_energy_pj), count_text(cycles),
                                      count_text(savings.dense_cycles));
}

}  // namespace

std::string energy_by_memory_text(const Report& report) {
    EnergyTable energies;
    for (const LayerResult& layer : report.layers)
        if (layer.evaluation)
            for (const CostRow& row : cost_rows(layer, report.architecture))
                energies.add(row, static_cast<double>(layer.repeats));
    if (energies.total <= 0.0) return "";
    std::vector<std::string> names{"energy by memory"};
    names.insert(names.end(), energies.tensors.begin(), energies.tensors.end());
    std::vector<int> kinds;
    for (int kind = 0; kind < static_cast<int>(kNoTensor.size()); ++kind) {
        if (!energies.has_column(kind)) continue;
        kinds.push_back(kind);
        names.emplace_back(kNoTensor[static_cast<std::size_t>(kind)]);
    }
    names.insert(names.end(), {"all", "share"});
    Table table(names, "l" + std::string(names.size() - 1, 'r'));
    for (std::size_t m = 0; m < energies.memories.size(); ++m) {
        if (energies.sums[m] <= 0.0) continue;
        std::vector<std::string> row{energies.memories[m]};
        for (std::size_t t = 0; t < energies.tensors.size(); ++t)
            row.push_back(cell_text(value_or_0(energies.cells, {m, t})));
        for (const int kind : kinds) row.push_back(cell_text(value_or_0(energies.of_no_tensor, {kind, m})));
        row.push_back(energy_text(energies.sums[m]));
        row.push_back(share_text(energies.sums[m] / energies.total));
        table.add(std::move(row));
    }
    return table.text();
}

std::string saved_text(const LayerResult& layer, const Architecture& architecture) {
    if (!layer.sparse || !layer.sparse->savings || !layer.evaluation) return "";
    return savings_text(*layer.sparse->savings, architecture, layer.evaluation->energy_pj, layer.evaluation->cycles);
}

std::string saved_text(const Report& report) {
    sparse::Savings sum;
    sum.memories.resize(report.architecture.memories.size());
    double energy_pj = 0.0;
    std::int64_t cycles = 0;
    bool any = false;
    for (const LayerResult& layer : report.layers) {
        if (!layer.sparse || !layer.sparse->savings || !layer.evaluation) continue;
        any = true;
        add_times(layer.repeats, *layer.sparse->savings, sum);
        energy_pj += static_cast<double>(layer.repeats) * layer.evaluation->energy_pj;
        cycles = checked_add(cycles, checked_mul(layer.repeats, layer.evaluation->cycles));
    }
    return any ? savings_text(sum, report.architecture, energy_pj, cycles) : "";
}

}  // namespace tilewright::report
