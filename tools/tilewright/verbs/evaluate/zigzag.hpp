// The verbs on ZigZag's own files: what was given becomes a problem of the library (run/zigzag), what it answers is
// written.
#pragma once

#include <string>
#include <vector>

#include "inputs/inputs.hpp"
#include "model/evaluation.hpp"
#include "output/output.hpp"
#include "report/zigzag.hpp"
#include "run/zigzag/evaluate.hpp"
#include "zigzag/forms/chain.hpp"

namespace tilewright::cli {

struct SearchPlan;

struct ZigzagAccountOptions {
    bool even = false;    ///< how a temporal_ordering is allocated
    std::string latency;  ///< "": zigzag of ZigZag's files; of others as the verb says

    /// Of other files: the time of the machine as built, or the plain model's.
    bool is_physical() const { return latency == "physical"; }
    bool is_plain() const { return latency == "plain"; }
    bool is_for_other_files() const { return is_physical() || is_plain(); }

    void declare(Options& options);
    ZigzagAccounting accounting() const;
};

/// Every layer that was asked for, with the mapping that the files give for it. Throws InputError.
report::ZigzagReport evaluate_zigzag_files(const std::string& verb, Inputs& inputs,
                                           const ZigzagAccountOptions& options);

/// Every layer that was asked for, with the best order of its loops. Throws InputError.
report::ZigzagReport map_zigzag_files(Inputs& inputs, const SearchPlan& plan, bool quiet);

/// A ZigZag layer and its mapping in the terms of the other accountings, with what ZigZag itself counts.
struct ZigzagComparison {
    zigzag::Chain chain;
    Evaluation zigzag;
};

/// Requires one layer. Throws InputError for a mapping that does not fit or that is no chain.
ZigzagComparison compare_zigzag(const std::string& verb, Inputs& inputs, const ZigzagAccountOptions& options);

/// The loop nests of the mappings, with one memory column per operand, when there is a workload and a mapping; else the
/// machine: its memories, what they hold and serve, and their ports.
std::string show_zigzag_files(const std::string& verb, Inputs& inputs);

/// mapping.yaml, report.json and report.txt into the -o directory, if one was given; the report in text or JSON on
/// standard output, the reasons of layers without a result on standard error.
void write_report(const report::ZigzagReport& report, const OutputOptions& options);

/// Every layer has a result.
bool is_complete(const report::ZigzagReport& report);

}  // namespace tilewright::cli
