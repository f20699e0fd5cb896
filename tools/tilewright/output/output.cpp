#include "output/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/printable.hpp"
#include "base/version.hpp"
#include "inputs/file_names.hpp"
#include "report/csv.hpp"
#include "report/documents/documents.hpp"
#include "report/json.hpp"
#include "report/page/page.hpp"
#include "report/text.hpp"
#include "run/mapping/mapping_file.hpp"
#include "terminal/terminal.hpp"
#include "timeloop/mapping/mapping.hpp"
#include "verbs/fit_tables.hpp"

namespace tilewright::cli {
namespace {

// front/LAYER/NUMBER.yaml for each mapping on the front of each layer.
void add_fronts(const report::Report& report, std::vector<NamedBytes>& files) {
    FileNames names;
    for (const report::LayerResult& layer : report.layers) {
        if (layer.front.empty()) continue;
        const std::string folder = names.of(layer.names.front());
        const Einsum& own = layer.unpadded ? *layer.unpadded : layer.einsum;
        for (std::size_t i = 0; i < layer.front.size(); ++i)
            files.emplace_back(fmt::format("front/{}/{}.yaml", folder, i + 1),
                               shape_mapping_file(layer.names, layer.front[i].mapping,
                                                  layer.front[i].padded.value_or(own), own, report.architecture));
    }
}

bool is_number(const std::string& text) {
    return !text.empty() && text.front() != '0' &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

// What add_fronts() may have added for any network.
void add_old_fronts(const std::filesystem::path& directory, std::set<std::string>& names) {
    std::error_code none;
    for (const auto& layer : std::filesystem::directory_iterator(directory / "front", none)) {
        std::error_code no_folder;
        for (const auto& file : std::filesystem::directory_iterator(layer.path(), no_folder))
            if (file.path().extension() == ".yaml" && is_number(file.path().stem().string()))
                names.insert(std::filesystem::relative(file.path(), directory).string());
    }
}

constexpr const char* kPageFile = "report.html";

// Beside the fronts.
constexpr std::array kResultFiles{kMappingFile,     "report.json", "report.txt",    kPageFile,
                                  kCertificateFile, kDataflowFile, "mapping.fused", "unfused.fused",
                                  "buffers.svg",    "buffers.csv", "plan.txt"};

bool has_mapping(const report::Report& report) {
    for (const report::LayerResult& layer : report.layers)
        if (layer.mapping) return true;
    return false;
}

}  // namespace

void OutputOptions::declare(Options& options) {
    options.group("Output");
    options.value("output", 'o', "DIR", "write mapping.yaml, report.json, report.txt and report.html there", &directory)
        .completes = "directory";
    options.flag("json", 'j', "print one JSON document instead of text", &json);
    options.flag("quiet", 'q', "print nothing but errors (and JSON)", &quiet);
    declare_csv(options, csv);
    declare_html(options, html);
}

void declare_html(Options& options, std::string& target) {
    options.value("html", 0, "FILE", "write the page for a browser there (-o DIR writes it, too)", &target).completes =
        "file";
}

void declare_csv(Options& options, std::string& target) {
    options
        .value("csv", 0, "FILE",
               "write a row per layer, memory, tensor and action; '-': print them in place of the text", &target)
        .completes = "file";
    csv_or_json(options);
}

void csv_or_json(Options& options) {
    options.not_with({"csv=-"}, {"json"}, "--json and --csv - both want standard output");
}

std::vector<NamedBytes> csv_file(const std::string& target, const std::string& csv) {
    if (target.empty() || target == kStandardOutput) return {};
    return {{std::filesystem::absolute(target).string(), printable(csv)}};
}

void make_directory(const std::filesystem::path& directory) {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (!error && !std::filesystem::is_directory(directory)) error = std::make_error_code(std::errc::not_a_directory);
    if (!error && ::access(directory.c_str(), W_OK) != 0) error = {errno, std::generic_category()};
    if (error) throw InputError(ErrorCode::io, {directory.string()}, "cannot write there: " + error.message());
}

void write_files(const std::filesystem::path& directory, const std::vector<NamedBytes>& files,
                 const std::vector<std::string>& others) {
    std::vector<FileBytes> whole;
    for (const auto& [name, bytes] : files) {
        const std::filesystem::path path = directory / name;
        if (path != std::filesystem::path(name)) make_directory(path.parent_path());
        // Names in it may be another's: what is shown as it lies is as on a terminal.
        whole.emplace_back(path, path.extension() == ".txt" ? printable(bytes) : bytes);
    }
    std::vector<std::filesystem::path> gone;
    for (const std::string& name : others) gone.push_back(directory / name);
    tilewright::write_files(whole, gone);
    std::error_code not_empty;
    for (const std::string& name : others)
        for (auto folder = std::filesystem::path(name).parent_path();
             !folder.empty() && std::filesystem::remove(directory / folder, not_empty);)
            folder = folder.parent_path();
}

namespace {

// As far as it is there.
std::vector<std::string> left_by_earlier_runs(const std::filesystem::path& directory,
                                              const std::vector<NamedBytes>& files) {
    std::set<std::string> names(std::begin(kResultFiles), std::end(kResultFiles));
    add_old_fronts(directory, names);
    for (const auto& [name, bytes] : files) names.erase(name);
    std::vector<std::string> left;
    std::error_code ignored;
    for (const std::string& name : names)
        if (std::filesystem::is_regular_file(directory / name, ignored)) left.push_back(name);
    return left;
}

}  // namespace

std::vector<NamedBytes> page_file(const MakesDocument& make, std::vector<views::Figure> more) {
    try {
        views::Document document = make();
        std::move(more.begin(), more.end(), std::back_inserter(document.figures));
        return {{kPageFile, page::html({document}, page::assets())}};
    } catch (const InputError& error) {
        print_error(std::string("note: no report.html: ") + error.what());
        return {};
    }
}

std::vector<NamedBytes> page_files(const MakesDocument& document, const OutputOptions& options,
                                   std::vector<views::Figure> more) {
    if (options.directory.empty() && options.html.empty()) return {};
    std::vector<NamedBytes> files = page_file(document, std::move(more));
    if (files.empty() || options.html.empty()) return files;
    if (options.directory.empty()) return {{options.html, files.front().second}};
    files.emplace_back(std::filesystem::absolute(options.html).string(), files.front().second);
    return files;
}

namespace {

std::vector<NamedBytes> page_of(const ReportForms& forms, const OutputOptions& options) {
    const auto read = [&] { return documents::read_document(forms.json, "report.json"); };
    return page_files(forms.document ? forms.document : read, options);
}

}  // namespace

void write_results(const std::filesystem::path& directory, const std::vector<NamedBytes>& files) {
    write_files(directory, files,
                directory.empty() ? std::vector<std::string>() : left_by_earlier_runs(directory, files));
}

void prepare(const OutputOptions& options) {
    if (!options.csv.empty() && options.csv != kStandardOutput) check_target(options.csv);
    if (!options.html.empty()) check_target(options.html);
    if (options.directory.empty()) return;
    make_directory(options.directory);
    for (const char* name : kResultFiles) check_target(std::filesystem::path(options.directory) / name);
}

void print_asked(const ReportForms& forms, const OutputOptions& options) {
    if (options.csv == kStandardOutput)
        print(forms.csv);
    else if (options.json)
        print(forms.json);
    else if (!options.quiet)
        print(forms.summary);
}

void write_text_and_json(const std::string& text, const std::string& json, const OutputOptions& options,
                         std::vector<NamedBytes> more) {
    std::vector<NamedBytes> files = std::move(more);
    if (!options.directory.empty()) {
        files.emplace_back("report.txt", text);
        files.emplace_back("report.json", json);
    }
    write_results(options.directory, files);
    print_asked({json, text, "", text}, options);
}

void write_simulated(const ReportForms& forms, const OutputOptions& options, std::vector<NamedBytes> more) {
    std::vector<NamedBytes> files = std::move(more);
    if (!options.directory.empty()) {
        files.emplace_back("simulation.json", forms.json);
        files.emplace_back("simulation.txt", forms.text);
    }
    for (NamedBytes& page : page_of(forms, options)) files.push_back(std::move(page));
    for (NamedBytes& file : csv_file(options.csv, forms.csv)) files.push_back(std::move(file));
    write_files(options.directory, files);
    print_asked(forms, options);
}

void write_forms(const ReportForms& forms, const OutputOptions& options, std::vector<NamedBytes> more) {
    std::vector<NamedBytes> files = std::move(more);
    if (!options.directory.empty()) {
        files.emplace_back("report.json", forms.json);
        files.emplace_back("report.txt", forms.text);
    }
    for (NamedBytes& page : page_of(forms, options)) files.push_back(std::move(page));
    for (NamedBytes& file : csv_file(options.csv, forms.csv)) files.push_back(std::move(file));
    write_results(options.directory, files);
    print_asked(forms, options);
}

void write_report(const report::Report& report, const OutputOptions& options, const std::vector<NamedBytes>& more) {
    std::vector<NamedBytes> files;
    if (!options.directory.empty()) {
        if (has_mapping(report)) files.emplace_back(kMappingFile, mapping_file(report));
        add_fronts(report, files);
    }
    files.insert(files.end(), more.begin(), more.end());
    write_forms({report::report_json(report), options.directory.empty() ? "" : report::report_text(report),
                 options.csv.empty() ? "" : report::costs_csv(report), report::summary_text(report),
                 [&] { return documents::document_of(report, "report.json"); }},
                options, std::move(files));
}

void print(const std::string& text) {
    const std::optional<std::size_t> columns = terminal_columns(STDOUT_FILENO);
    const std::string safe = emphasized(printable(columns ? with_tables_fitted(text, *columns) : text));
    std::fwrite(safe.data(), 1, safe.size(), stdout);
}

// What was printed before stands before it, where both lead to one place.
void print_error(const std::string& text) {
    std::fflush(stdout);
    std::fputs((coloured(printable(text)) + "\n").c_str(), stderr);
}

void print_failures(const report::LayerResult& layer) { print_error("error: " + report::failure_text(layer)); }

report::Provenance provenance(const std::string& command, const std::vector<report::Input>& inputs) {
    report::Provenance provenance;
    provenance.tool_version = build_version();
    provenance.command = command;
    provenance.inputs = inputs;
    return provenance;
}

}  // namespace tilewright::cli
