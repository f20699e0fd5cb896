#include "report/network_costs.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

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
    std::vector<double> sums;                                     ///< by memory
    double total = 0.0;

    void add(const CostRow& row, double repeats) {
        if (!row.energy_pj || row.memory.empty()) return;
        const double energy_pj = *row.energy_pj * repeats;
        const std::size_t memory = index_of(row.memory, memories);
        sums.resize(memories.size());
        sums[memory] += energy_pj;
        total += energy_pj;
        if (!row.tensor.empty()) cells[{memory, tensor_column(row.tensor)}] += energy_pj;
    }

   private:
    std::size_t tensor_column(const std::string& name) {
        const bool known = std::ranges::find(tensors, name) != tensors.end();
        return index_of(known || tensors.size() < kMostTensors ? name : "others", tensors);
    }
};

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
    names.insert(names.end(), {"all", "share"});
    Table table(names, "l" + std::string(names.size() - 1, 'r'));
    for (std::size_t m = 0; m < energies.memories.size(); ++m) {
        if (energies.sums[m] <= 0.0) continue;
        std::vector<std::string> row{energies.memories[m]};
        for (std::size_t t = 0; t < energies.tensors.size(); ++t) {
            const auto cell = energies.cells.find({m, t});
            row.push_back(cell == energies.cells.end() || cell->second <= 0.0 ? "-" : energy_text(cell->second));
        }
        row.push_back(energy_text(energies.sums[m]));
        row.push_back(share_text(energies.sums[m] / energies.total));
        table.add(std::move(row));
    }
    return table.text();
}

}  // namespace tilewright::report
