// --against of evaluate and compare: what Timeloop printed about a mapping beside what is counted here.
#pragma once

#include <string>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "options/options.hpp"
#include "sparse/design.hpp"
#include "timeloop/account/timeloop.hpp"
#include "workload/network.hpp"
#include "yaml/node.hpp"

namespace tilewright::cli {

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
