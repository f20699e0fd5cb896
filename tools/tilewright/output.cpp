#include "output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "frontend/timeloop/mapping.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

namespace tilewright::cli {
namespace {

// A YAML scalar in double quotes.
std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\x{:02x}", static_cast<int>(c));
        else
            out += c;
    }
    return out + "\"";
}

std::string indented(const std::string& text, const std::string& margin) {
    std::string out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        out += (end > begin ? margin : "") + text.substr(begin, end - begin) + "\n";
        begin = end + 1;
    }
    return out;
}

// "conv1" -> "conv1", "layer/conv 1" -> "layer_conv_1"
std::string file_name(const std::string& name) {
    std::string out = name;
    for (char& c : out)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-' && c != '_') c = '_';
    return out.starts_with('.') ? "_" + out : out;
}

// front/LAYER/NUMBER.yaml for each mapping on the front of each layer.
void add_fronts(const report::Report& report, std::vector<NamedBytes>& files) {
    std::set<std::string> taken;
    for (const report::LayerResult& layer : report.layers) {
        if (layer.front.empty()) continue;
        std::string folder = file_name(layer.names.front());
        while (!taken.insert(folder).second) folder += "_";
        const Einsum& own = layer.unpadded ? *layer.unpadded : layer.einsum;
        for (std::size_t i = 0; i < layer.front.size(); ++i)
            files.emplace_back(fmt::format("front/{}/{}.yaml", folder, i + 1),
                               timeloop::write_mapping(layer.front[i].mapping, layer.front[i].padded.value_or(own),
                                                       report.architecture));
    }
}

bool has_mapping(const report::Report& report) {
    for (const report::LayerResult& layer : report.layers)
        if (layer.mapping) return true;
    return false;
}

}  // namespace

void OutputOptions::declare(Options& options) {
    options.value("output", 'o', "DIR", "write mapping.yaml, report.json and report.txt there", &directory).completes =
        "directory";
    options.flag("json", 'j', "print one JSON document instead of text", &json);
    options.flag("quiet", 'q', "print nothing but errors (and JSON)", &quiet);
}

void make_directory(const std::filesystem::path& directory) {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (!error && !std::filesystem::is_directory(directory)) error = std::make_error_code(std::errc::not_a_directory);
    if (!error && ::access(directory.c_str(), W_OK) != 0) error = {errno, std::generic_category()};
    if (error) throw InputError(ErrorCode::io, {directory.string()}, "cannot write there: " + error.message());
}

void write_files(const std::filesystem::path& directory, const std::vector<NamedBytes>& files) {
    make_directory(directory);
    for (const auto& [name, bytes] : files) {
        const std::filesystem::path path = directory / name;
        if (path.parent_path() != directory) make_directory(path.parent_path());
        write_file(path, bytes);
    }
}

std::string mappings_yaml(const report::Report& report) {
    if (report.layers.size() == 1) {
        const report::LayerResult& layer = report.layers.front();
        return layer.mapping ? timeloop::write_mapping(*layer.mapping, layer.einsum, report.architecture) : "";
    }
    std::string text =
        "# One mapping per layer shape; `tilewright evaluate` reads it beside the same network and machine.\nlayers:\n";
    for (const report::LayerResult& layer : report.layers) {
        if (!layer.mapping) continue;
        text += "  - names:\n";
        for (const std::string& name : layer.names) text += "      - " + quoted(name) + "\n";
        text += indented(timeloop::write_mapping(*layer.mapping, layer.einsum, report.architecture), "    ");
    }
    return text;
}

void write_report(const report::Report& report, const OutputOptions& options, const std::vector<NamedBytes>& more) {
    const std::string json = report::report_json(report);
    if (!options.directory.empty()) {
        std::vector<NamedBytes> files;
        if (has_mapping(report)) files.emplace_back("mapping.yaml", mappings_yaml(report));
        add_fronts(report, files);
        files.emplace_back("report.json", json);
        files.emplace_back("report.txt", report::report_text(report));
        files.insert(files.end(), more.begin(), more.end());
        write_files(options.directory, files);
    }
    if (options.json)
        print(json);
    else if (!options.quiet)
        print(report::summary_text(report));
}

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_error(const std::string& text) { fmt::print(stderr, "{}\n", text); }

void print_failures(const report::LayerResult& layer) {
    std::string text = "error: layer '" + layer.names.front() +
                       "': " + (layer.mapping ? "the mapping is not legal" : "there is no mapping");
    for (const std::string& failure : layer.failures) text += "\n    " + failure;
    print_error(text);
}

report::Provenance provenance(const std::string& command, const std::vector<report::Input>& inputs) {
    report::Provenance provenance;
    provenance.tool_version = TILEWRIGHT_VERSION;
    provenance.command = command;
    provenance.inputs = inputs;
    return provenance;
}

}  // namespace tilewright::cli
