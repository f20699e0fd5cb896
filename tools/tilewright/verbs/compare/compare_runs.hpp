// Whole runs side by side, as their documents tell them: totals first, then memories, then layers, by how they differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "options/options.hpp"
#include "report/views/figures.hpp"
#include "report/views/run.hpp"
#include "sparse/design.hpp"
#include "timeloop/account/timeloop.hpp"
#include "workload/network.hpp"
#include "yaml/node.hpp"

namespace tilewright::cli {

/// Words that are documents of Tilewright's own: *.json, or directories.
bool are_runs(const std::vector<std::string>& words);

/// Reads the documents: report.json, simulation.json and the like, none larger than `largest_input_mib` (64). Throws
/// InputError.
std::vector<views::Document> read_documents(const std::vector<std::string>& words,
                                            std::optional<std::int64_t> largest_input_mib);

/// Requires at least one run.
std::string runs_text(const std::vector<views::Run>& runs);

// tilewright compare, of simulations: simulated cycles beside the model's, by layer and by what they went to.

/// A row for every layer that was simulated: the cycles of the runs, or, without runs, of the first simulation's model;
/// then, of every simulation, its cycles, how many times the first column that is, and the term that was
/// underestimated. Below it, by simulation, the terms summed over the layers, each as often as it runs. Requires a
/// simulation.
std::string simulations_text(const std::vector<views::Run>& runs, const std::vector<views::Simulation>& simulations);

// --against of evaluate and compare: what Timeloop printed about a mapping beside what is counted here.

struct AgainstOptions {
    static constexpr const char* kWhy = "--against compares what --account timeloop counts, as text";
    std::string file;  ///< "": nothing was given

    void declare(Options& options);
    bool given() const { return !file.empty(); }
};

/// Every figure of `file` that differs under `options`, and the switches with which the fewest do. `zeros`: what the
/// machine does about them (null: nothing); every line of statistics that differs, with the loop orders that `root`
/// gives the mapping. Throws InputError for a file that is no output of Timeloop.
std::string against_text(const std::string& file, const Layer& layer, const Architecture& architecture,
                         const Mapping& mapping, const account::TimeloopOptions& options, const sparse::Design* zeros,
                         const yaml::Node& root);

}  // namespace tilewright::cli
