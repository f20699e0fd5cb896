// tilewright map --mapper gamma, dataflow: the best data-centric dataflow of every layer.
#pragma once

#include <string>

#include "inputs/inputs.hpp"
#include "options/options.hpp"
#include "options/search.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"

namespace tilewright::cli {

struct DataflowSearchOptions {
    std::string account;   ///< "": exact
    bool illegal = false;  ///< dataflows that break MAESTRO's conditions, too

    void declare(Options& options);
};

/// The mappers of `map` that answer with dataflows.
std::vector<std::string> dataflow_mapper_names();
bool is_dataflow_mapper(const std::string& name);

/// Throws InputError(usage) for options that such a search does not take.
ExitStatus search_dataflows(const InputOptions& inputs, const SearchPlan& plan, const DataflowSearchOptions& options,
                            const OutputOptions& output);

}  // namespace tilewright::cli
