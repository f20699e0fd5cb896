// What the user named for a verb about data-centric dataflows: layers, the machine, sizes; read once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "maestro/dataflow/dataflow.hpp"
#include "maestro/files/document.hpp"
#include "verbs/evaluate/dataflows.hpp"

namespace tilewright::cli {

struct DataflowInputs {
    maestro::Document document;
    std::vector<dataflow::Layer> layers;  ///< each with its dataflow, if there is one
    dataflow::Hardware hardware;
    bool has_hardware = false;
    std::optional<Architecture> machine;  ///< when the hardware is one of ours: with its energies
    dataflow::Parameters parameters;
    std::vector<std::string> notes;
    std::int64_t missing_layers = 0;  ///< of the network, each as often as it runs: without a form or an answer
};

/// How often each layer runs.
std::vector<std::int64_t> repeats_of(const std::vector<dataflow::Layer>& layers);

/// Files, --net, --arch, --dataflow, --size and --layers. Throws InputError.
DataflowInputs read_dataflows(const std::string& verb, InputOptions inputs, const DataflowOptions& options);

/// A machine of ours in the notation: its units, its innermost memory as L1, its outermost on the chip as L2.
dataflow::Hardware hardware_of(const Architecture& architecture);

/// Throws InputError for what is missing: any layer, the machine, a layer's dataflow.
void require_problem(const std::string& verb, const DataflowInputs& given);
void require_layers(const std::string& verb, const DataflowInputs& given);

/// The sizes that --size gives, written into the directives: the public tool knows no open ones.
void close_sizes(DataflowInputs& given);

}  // namespace tilewright::cli
