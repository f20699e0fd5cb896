// Where results go: standard output and the -o directory.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "options.hpp"
#include "report/report.hpp"

namespace tilewright::cli {

struct OutputOptions {
    std::string directory;
    bool json = false;
    bool quiet = false;

    void declare(Options& options);
};

/// A file below a directory and its bytes.
using NamedBytes = std::pair<std::string, std::string>;

/// Makes the directory (and its parents) if need be; throws InputError(io) when it cannot or when it is not writable.
void make_directory(const std::filesystem::path& directory);

/// Writes each file whole or not at all; files of other names in the directory are not touched.
void write_files(const std::filesystem::path& directory, const std::vector<NamedBytes>& files);

/// The mappings of a report as a file: Timeloop's own form for one layer, a list with one entry per layer shape for a
/// network.
std::string mappings_yaml(const report::Report& report);

/// mapping.yaml (when there is a mapping), the mappings of Pareto fronts in front/, report.json and report.txt into the
/// -o directory, if one was given, with `more` beside them; the report in text or JSON on standard output.
void write_report(const report::Report& report, const OutputOptions& options, const std::vector<NamedBytes>& more = {});

/// Writes text to standard output.
void print(const std::string& text);
/// Writes a line to standard error.
void print_error(const std::string& text);

/// To standard error: why a layer has no evaluation.
void print_failures(const report::LayerResult& layer);

/// The version and what else every report says about the run.
report::Provenance provenance(const std::string& command, const std::vector<report::Input>& inputs);

}  // namespace tilewright::cli
