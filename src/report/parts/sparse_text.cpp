#include "report/parts/sparse_text.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/numbers/number_text.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report {
namespace {

std::string computes_line(const sparse::Costs& costs) {
    return fmt::format("  of {} computes {} are done, {} gated, {} skipped\n\n", count_text(costs.algorithmic_computes),
                       count_text(costs.computes.actual), count_text(costs.computes.gated),
                       count_text(costs.computes.skipped));
}

void add_accesses(const std::string& memory, const std::string& tensor, const sparse::TensorCosts& costs,
                  Table& table) {
    const std::array kinds{std::pair("reads", &costs.reads), std::pair("fills", &costs.fills),
                           std::pair("updates", &costs.updates)};
    for (const auto& [name, accesses] : kinds) {
        if (accesses->algorithmic == 0) continue;
        table.add({memory, tensor, name, count_text(accesses->algorithmic), count_text(accesses->data.actual),
                   count_text(accesses->data.gated), count_text(accesses->data.skipped),
                   count_text(accesses->metadata_rows.actual)});
    }
}

std::string densities_text(const Einsum& einsum, const sparse::Costs& costs) {
    Table table({"tensor", "not zero", "model", "said by"}, "lrll");
    bool any = false;
    for (std::size_t t = 0; t < costs.densities.size(); ++t) {
        const sparse::TensorDensity& density = costs.densities[t];
        any = any || density.share < 1.0 || !density.from.empty();
        table.add({einsum.tensors[t].name, share_text(density.share), density.model,
                   density.from.empty() ? "not given: dense" : density.from});
    }
    return any ? table.text() + "\n" : "";
}

std::string format_text(const sparse::TensorCosts& costs) { return fmt::format("{}", fmt::join(costs.format, " ")); }

}  // namespace

std::string sparse_text(const Einsum& einsum, const sparse::Costs& costs) {
    Table accesses({"memory", "tensor", "", "algorithmic", "actual", "gated", "skipped", "metadata rows"}, "lllrrrrr");
    Table room({"memory", "tensor", "density", "format", "tile words", "expected", "most", "metadata bits"},
               "llllrrrr");
    for (const sparse::MemoryCosts& memory : costs.memories)
        for (std::size_t t = 0; t < memory.tensors.size(); ++t) {
            const sparse::TensorCosts& tensor = memory.tensors[t];
            if (!tensor.kept) continue;
            const std::string& name = einsum.tensors[t].name;
            add_accesses(memory.name, name, tensor, accesses);
            if (tensor.format.empty()) continue;
            room.add({memory.name, name, tensor.density, format_text(tensor), count_text(tensor.tile_words),
                      figure_text(tensor.expected_words), count_text(tensor.most_words),
                      count_text(tensor.most_metadata_bits)});
        }
    std::string text = computes_line(costs) + densities_text(einsum, costs) + accesses.text();
    if (!room.empty()) text += "\n" + room.text();
    return text;
}

}  // namespace tilewright::report
