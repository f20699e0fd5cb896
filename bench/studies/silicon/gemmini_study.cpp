// Cycles of Gemmini's RTL, measured and predicted, row by row, as JSON: by the zoo's machine as it is, by
// cross-validation over shapes, and Gemmini's own tiling beside them.
//
//     silicon_gemmini rtl.csv [--folds 7] [--seed 1]
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <map>

#include "command_line/command_line.hpp"
#include "gemmini_fit.hpp"
#include "gemmini_rows.hpp"
#include "silicon/files/silicon.hpp"
#include "silicon/systolic/latency.hpp"
#include "silicon/systolic/machine.hpp"
#include "silicon/systolic/search.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"

namespace {

using namespace tilewright;
using namespace tilewright::silicon_study;

silicon::SystolicMachine zoo_machine(const char* name) {
    const yaml::Node root = timeloop::zoo_architecture(name);
    const auto read = silicon::read_silicon(root, timeloop::read_architecture(root));
    return std::get<silicon::SystolicMachine>(read->machine);
}

std::string tile_text(const silicon::TiledLayer& layer) {
    std::string text;
    for (const auto axis :
         {silicon::Axis::p, silicon::Axis::q, silicon::Axis::k, silicon::Axis::c, silicon::Axis::r, silicon::Axis::s})
        text += fmt::format("{}{}{}", text.empty() ? "" : " ", silicon::letter_of(axis), layer.tile[axis]);
    return text;
}

// The best tile of each shape that fits half of Gemmini's memories, as its own tiler's do.
std::map<std::string, silicon::SystolicAnswer> proven_tilings(const std::vector<GemminiRow>& rows,
                                                              const silicon::SystolicMachine& machine) {
    std::map<std::string, silicon::SystolicAnswer> answers;
    for (const GemminiRow& row : rows) {
        const std::string shape = fmt::format("{} {}", row.shape, row.layer.columns.stride);
        if (answers.contains(shape)) continue;
        const auto fit = [&](const silicon::AxisExtents& tile) { return silicon::fits(row.layer, tile, {}); };
        if (auto best = silicon::best_tiling(row.layer, machine, fit)) answers.emplace(shape, *std::move(best));
    }
    return answers;
}

void print_row(const GemminiRow& row, const silicon::SystolicMachine& machine, double cross_validated,
               const silicon::SystolicAnswer& proven, bool last) {
    const silicon::SystolicLatency latency = silicon::systolic_latency(row.layer, machine);
    fmt::print(
        R"({{"shape": "{}", "tile": "{}", "stride": {}, "product": {}, "measured": {}, "predicted": {:.1f}, )"
        R"("cross_validated": {:.1f}, "replayed": {:.1f}, "bound": "{}", "tiles": {}, "load": {:.1f}, "compute": {:.1f}, "store": {:.1f})",
        row.shape, tile_text(row.layer), row.layer.columns.stride, row.layer.is_product, row.measured, latency.cycles,
        cross_validated, silicon::replay(row.layer, machine).cycles, latency.bound, latency.tiles, latency.mean.load,
        latency.mean.compute, latency.mean.store);
    if (row.timeloop) fmt::print(R"(, "timeloop": {})", *row.timeloop);
    if (row.own)
        fmt::print(R"(, "own": {:.1f}, "own_measured": {})", silicon::systolic_latency(*row.own, machine).cycles,
                   row.own_measured);
    fmt::print(R"(, "proven": {:.1f}, "proven_tile": "{}")", proven.latency.cycles, tile_text(proven.layer));
    fmt::print("}}{}\n", last ? "" : ",");
}

void study(const std::string& file, int folds, std::uint64_t seed) {
    const silicon::SystolicMachine machine = zoo_machine("gemmini");
    const std::vector<GemminiRow> rows = gemmini_rows(Table::read(file));
    std::vector<MeasuredTraffic> measured;
    for (const GemminiRow& row : rows)
        measured.push_back({row.shape, silicon::traffic_of(row.layer, machine), row.measured});
    const std::vector<double> predicted = cross_validated(measured, machine, folds, seed);
    const auto proven = proven_tilings(rows, machine);
    fmt::print("[\n");
    for (std::size_t i = 0; i < rows.size(); ++i)
        print_row(rows[i], machine, predicted[i],
                  proven.at(fmt::format("{} {}", rows[i].shape, rows[i].layer.columns.stride)), i + 1 == rows.size());
    fmt::print("]\n");
}

}  // namespace

int main(int argc, char** argv) {
    std::string file;
    std::uint64_t seed = 1;
    int folds = 7;
    CommandLine line("Gemmini's RTL cycles, measured and predicted");
    line.option("ROWS", &file, "rtl.csv, or rows of the same form", {.required = true});
    line.option("--folds", &folds, "of the cross-validation over shapes", {.positive = true});
    line.option("--seed", &seed, "how shapes are dealt to folds");
    if (const std::optional<int> status = line.parse(argc, argv)) return *status;
    try {
        study(file, folds, seed);
    } catch (const std::exception& error) {
        fmt::print(stderr, "silicon_gemmini: {}\n", error.what());
        return 1;
    }
    return 0;
}
