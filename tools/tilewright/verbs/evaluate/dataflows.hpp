// Data-centric dataflows on the command line: MAESTRO's files (*.m), and --dataflow for networks of any kind.
#pragma once

#include <string>
#include <vector>

#include "inputs/densities.hpp"
#include "inputs/inputs.hpp"
#include "maestro/designs/dataflow_evaluator.hpp"
#include "mapping/mapping.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"
#include "workload/network.hpp"

namespace tilewright::cli {

struct DataflowOptions {
    std::string dataflow;            ///< a name or a file; "": what the layers' file says
    std::vector<std::string> sizes;  ///< "P_cluster_size=64"
    std::string tool_csv;            ///< a file for the public tool's CSV

    void declare(Options& options);
    /// --tool-csv.
    void declare_tool(Options& options);
};

/// "x.m"
bool is_dataflow_file(const std::string& name);
/// True when --dataflow is given, or a file is one of MAESTRO's and none holds a mapping, which would be evaluated
/// instead. Throws InputError of files that cannot be read.
bool has_dataflows(const InputOptions& inputs, const DataflowOptions& options);

/// What a file of MAESTRO's says of the zeros of its network's layers; nothing where all are dense.
std::vector<LayerDensity> dataflow_densities(const std::string& file, std::uintmax_t most_bytes);

/// The layers of a file as einsums; those that are none (pooling) are not mapped. `strict`: keys that change nothing
/// are errors, not notes.
Network dataflow_network(const std::string& file, std::uintmax_t most_bytes, bool strict,
                         std::vector<std::string>& notes);

/// One verb each. `account`: "", "exact" or "maestro"; `accounts`: both, to be shown beside each other.
ExitStatus evaluate_dataflows(const InputOptions& inputs, const DataflowOptions& options, const std::string& account,
                              const OutputOptions& output);
ExitStatus compare_dataflows(const InputOptions& inputs, const DataflowOptions& options,
                             const std::vector<std::string>& accounts, bool json);
ExitStatus show_dataflows(const InputOptions& inputs, const DataflowOptions& options);
ExitStatus check_dataflows(const InputOptions& inputs, const DataflowOptions& options);
/// The network and the machine in the notation.
ExitStatus convert_to_dataflows(const InputOptions& inputs);
/// What `explore` varies, and what it is called. `has_hardware`: a machine was given.
struct ExploredDataflows {
    explore::DataflowSubject subject;
    std::string title;
    std::string text;  ///< all of it in the notation
    bool has_hardware = false;
    std::vector<std::string> notes;
};
ExploredDataflows explored_dataflows(const InputOptions& inputs, const DataflowOptions& options);
/// Timeloop's form of every layer's mapping, or why it has none.
struct LayerMappingText {
    std::string layer;
    std::string yaml;
    std::string failure;
};
std::vector<LayerMappingText> dataflow_mappings(const InputOptions& inputs, const DataflowOptions& options);
/// A layer with its mapping in the notation, on as many units as the mapping uses; or why a dataflow cannot say it.
struct LayerDataflowText {
    std::string text;
    std::string failure;
};
LayerDataflowText dataflow_text_of(const Layer& layer, const Architecture& architecture, const Mapping& mapping,
                                   const std::string& network);

}  // namespace tilewright::cli
