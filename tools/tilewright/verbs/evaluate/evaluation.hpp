// Evaluates a given mapping under an accounting. Shared by evaluate and compare.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "inputs/dataflow_inputs.hpp"
#include "mapping/mapping.hpp"
#include "mapping/text.hpp"
#include "model/evaluation.hpp"
#include "options/options.hpp"
#include "report/peers/dataflow_report.hpp"
#include "report/report.hpp"
#include "run/map_network.hpp"
#include "timeloop/account/timeloop.hpp"
#include "timeloop/sparse/full_nest.hpp"
#include "workload/network.hpp"

namespace tilewright::cli {

/// Which rules count, and their switches.
struct AccountOptions {
    std::string account;  ///< "": "exact", but "zigzag" for ZigZag's own files
    bool no_link_transfers = false;
    bool no_extrapolation = false;
    bool no_first_read_elision = false;
    bool no_reuse_after_pause = false;
    bool first_fills = false;
    bool dearest_action = false;

    void declare_switches(Options& options);
    account::TimeloopOptions timeloop() const;
};

/// What the accountings are called: "exact", "timeloop", "zigzag".
std::vector<std::string> accountings();

/// The layer's evaluation, or why there is none: every rule that the mapping breaks. OverflowError becomes an
/// InputError that names the layer.
report::LayerResult evaluate_layer(const Layer& layer, const Architecture& architecture, const Mapping& mapping,
                                   const AccountOptions& options, const MappingPlaces& places = {},
                                   const LayerDetails& details = {}, const account::LoopOrders& orders = {});

/// Puts those behind `notes` that are not among them: many layers may have the same.
void add_notes(const std::vector<std::string>& more, std::vector<std::string>& notes);

// The exact analysis of what a user named: counts of every layer, and what they cost on the machine.

/// Requires what require_layers() asks for.
report::DataflowReport exact_report(const DataflowInputs& given);

}  // namespace tilewright::cli
