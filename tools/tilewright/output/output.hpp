// Where results go: standard output and the -o directory.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "options/options.hpp"
#include "report/report.hpp"
#include "report/views/figures.hpp"
#include "run/check/file_names.hpp"

namespace tilewright::cli {

struct OutputOptions {
    std::string directory;
    bool json = false;
    bool quiet = false;
    std::string csv;   ///< a file, "-" (standard output, in place of the text) or ""
    std::string html;  ///< a file or ""

    void declare(Options& options);
};

/// A file below a directory and its bytes.
using NamedBytes = std::pair<std::string, std::string>;

/// Makes the directory (and its parents) if need be; throws InputError(io) when it cannot or when it is not writable.
void make_directory(const std::filesystem::path& directory);

/// Writes all files or none, and removes `others`; whatever else is in the directory is left alone. Absolute names are
/// files elsewhere; if there are no others, the directory may be "".
void write_files(const std::filesystem::path& directory, const std::vector<NamedBytes>& files,
                 const std::vector<std::string>& others = {});

/// Makes what a page shows; throws InputError where it cannot.
using MakesDocument = std::function<views::Document()>;

/// report.html of a document that this run made, and of pictures beside those in it, for `files`. Nothing, and a note
/// on standard error, where the document says what no page can show (energies beyond 1e30 pJ, say): a page is no reason
/// to lose the rest.
std::vector<NamedBytes> page_file(const MakesDocument& document, std::vector<views::Figure> more = {});

/// The page of a run: report.html where there is an -o directory, and the file of --html where that was asked for.
std::vector<NamedBytes> page_files(const MakesDocument& document, const OutputOptions& options,
                                   std::vector<views::Figure> more = {});

/// The option --html itself.
void declare_html(Options& options, std::string& target);

/// The files of a run belong together: likewise, and the results that an earlier run left in the directory (a mapping,
/// a report, a certificate, mappings of fronts) and that are not among `files` are removed.
void write_results(const std::filesystem::path& directory, const std::vector<NamedBytes>& files);

/// What the dataflows of a run are called in the -o directory, where the others are as run/check/file_names.hpp has
/// them.
inline constexpr const char* kDataflowFile = "dataflows.m";

/// A report in every form that a user may ask for.
struct ReportForms {
    std::string json;
    std::string text;             ///< "" where there is no -o directory
    std::string csv;              ///< "" where it was not asked for
    std::string summary;          ///< of the text, for standard output
    MakesDocument document = {};  ///< what the page shows, where that need not be read from `json`
};

/// What was asked for on standard output: the CSV, the JSON, the summary, or nothing.
void print_asked(const ReportForms& forms, const OutputOptions& options);

/// report.txt and report.json into the -o directory, if one was given, as write_results(); the text or the JSON on
/// standard output.
void write_text_and_json(const std::string& text, const std::string& json, const OutputOptions& options,
                         std::vector<NamedBytes> more = {});

/// simulation.json, simulation.txt and report.html into the -o directory, if one was given, with `more` beside them,
/// as write_files(); what was asked for on standard output.
void write_simulated(const ReportForms& forms, const OutputOptions& options, std::vector<NamedBytes> more);

/// report.json, report.txt and report.html into the -o directory, if one was given, with `more` beside them, as
/// write_results(); what was asked for on standard output.
void write_forms(const ReportForms& forms, const OutputOptions& options, std::vector<NamedBytes> more);

/// mapping.yaml (when there is a mapping), the mappings of Pareto fronts in front/, report.json, report.txt and
/// report.html into the -o directory, if one was given, with `more` beside them, as write_results(); the report in text
/// or JSON on standard output.
void write_report(const report::Report& report, const OutputOptions& options, const std::vector<NamedBytes>& more = {});

/// Makes the -o directory, and refuses what cannot be written in it or where --csv says: before the work, not after it.
void prepare(const OutputOptions& options);

/// One tidy row per layer, memory, tensor and action: into a file, or to standard output in place of the text.
void declare_csv(Options& options, std::string& target);
inline constexpr const char* kStandardOutput = "-";
/// Of --csv and --json: standard output takes one document.
void csv_or_json(Options& options);
/// As a file for write_results(): `target` is relative to the working directory. Nothing for "" and "-".
std::vector<NamedBytes> csv_file(const std::string& target, const std::string& csv);

/// Writes text to standard output.
void print(const std::string& text);
/// Writes a line to standard error.
void print_error(const std::string& text);

/// To standard error: why a layer has no evaluation.
void print_failures(const report::LayerResult& layer);

/// The version and what else every report says about the run.
report::Provenance provenance(const std::string& command, const std::vector<report::Input>& inputs);

}  // namespace tilewright::cli
