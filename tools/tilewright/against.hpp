// --against of evaluate and compare: what Timeloop printed about a mapping beside what is counted here.
#pragma once

#include <string>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "options.hpp"
#include "run/evaluate_layer.hpp"
#include "timeloop/account/timeloop.hpp"
#include "workload/network.hpp"

namespace tilewright::cli {

struct AgainstOptions {
    std::string file;  ///< "": nothing was given

    void declare(Options& options);
    bool given() const { return !file.empty(); }
};

/// Every figure of `file` that differs under `options`, and the switches with which the fewest do. Throws InputError
/// for a file that is no output of Timeloop.
std::string against_text(const std::string& file, const Layer& layer, const Architecture& architecture,
                         const Mapping& mapping, const account::TimeloopOptions& options);

/// The same of a machine that does something about zeros: every line of statistics that differs.
std::string against_sparse_text(const std::string& file, const Layer& layer, const Architecture& architecture,
                                const Mapping& mapping, const Accounting& accounting);

}  // namespace tilewright::cli
