// What was mapped, in the form that reports (text, JSON, CSV, HTML) are written from.
//
//     report::Report report = report_of(network, architecture, problem, answer);
//     std::cout << report::report_text(report);
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "arch/architecture.hpp"
#include "report/report.hpp"
#include "run/map_network.hpp"
#include "workload/network.hpp"

namespace tilewright {

class Machine;

/// The answer for one shape. Throws nothing.
report::LayerResult layer_result(const ShapeProblem& shape, const LayerAnswer& answer);

/// All but the provenance (version, inputs, options) and the notes, which the caller knows. `problem` and `answer` are
/// of this network and architecture.
report::Report report_of(const Network& network, const Architecture& architecture, const NetworkProblem& problem,
                         const NetworkAnswer& answer);

/// The same with provenance and notes, as a user of the library knows them: the version, what was read of the machine,
/// the network as it is, the seed and the options. Throws what Machine::notes_about() does.
report::Report report_of(const Network& network, const Machine& machine, const NetworkProblem& problem,
                         const NetworkAnswer& answer, const MapOptions& options = {});

/// What has to be the same for the same answer, as provenance says it: mapper, objective, factors, ... `objective` and
/// `factors` as they were written ("": nowhere).
std::vector<std::pair<std::string, std::string>> provenance_options(const MapOptions& options,
                                                                    const std::string& objective,
                                                                    const std::string& factors);

}  // namespace tilewright
