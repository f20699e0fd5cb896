// "tilewright-fusion": the best fused mapping of a cascade.
//
// "tilewright-llm": serving a language model.
//
// "tilewright-package": a plan of a cascade on a package of cores.
#include "report/documents/documents.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "report/documents/parts.hpp"
#include "report/fields.hpp"
#include "report/fused/search.hpp"
#include "report/llm/serving.hpp"
#include "report/package/package_views.hpp"
#include "report/views/zeros.hpp"
#include "yaml/json.hpp"

namespace tilewright::documents {
namespace {

struct Reader {
    const char* schema;  ///< without its version
    views::Document (*read)(const yaml::Node& root, const std::string& file);
};

views::Document read_report(const yaml::Node& root, const std::string& file) {
    return document_of(read_as<document::Report>(root), file);
}

constexpr std::array kReaders{
    Reader{"tilewright-report", read_report},         Reader{"tilewright-zigzag", read_zigzag},
    Reader{"tilewright-comparison", read_comparison}, Reader{"tilewright-mappers", read_mappers},
    Reader{"tilewright-schedule", read_schedule},     Reader{"tilewright-schedule-report", read_schedule_report},
    Reader{"tilewright-simulation", read_simulation}, Reader{"tilewright-schedule-replay", read_schedule_replay},
    Reader{"tilewright-figures", read_figures},       Reader{"tilewright-dataflow", read_dataflow},
    Reader{"tilewright-llm", read_serving},           Reader{"tilewright-fusion", read_fusion},
    Reader{"tilewright-codesign", read_best_machine}, Reader{"tilewright-codesign-front", read_machine_front},
    Reader{"tilewright-package", read_package},
};

// Units of a report's machine, from the entries before its layers; nothing for other documents.
std::optional<double> units_of_report(const std::vector<yaml::Node::Entry>& before) {
    std::optional<double> units;
    bool is_report = false;
    for (const yaml::Node::Entry& entry : before) {
        if (entry.key == "schema")
            is_report = entry.value.is_scalar() && entry.value.text().starts_with("tilewright-report/");
        if (!is_report || entry.key != "architecture") continue;
        units = static_cast<double>(read_as<document::ShownMachine>(entry.value).compute.of.instances);
    }
    return units;
}

// Nothing for other documents, or no JSON.
std::optional<views::Document> read_report_by_layers(const std::string& text, const std::string& file) {
    std::vector<views::Layer> layers;
    std::vector<views::LayerZeros> zeros;
    std::vector<document::FrontPoint> front;  // of the layer under way
    std::optional<double> units;
    const auto take = [&](const std::vector<yaml::Node::Entry>& before, const yaml::Node& layer) {
        if (!units) units = units_of_report(before);
        if (!units) return false;
        auto read = read_as<document::Layer>(layer);
        views::add_zeros_of(read, zeros);
        layers.push_back(layer_of(std::move(read), *units));
        layers.back().front = std::exchange(front, {});
        return true;
    };
    const auto take_front = [&](const yaml::Node& point) { front.push_back(read_as<document::FrontPoint>(point)); };
    const yaml::Items items{"layers", take, "front", take_front};
    const std::optional<yaml::Node> root = yaml::try_json(text, file, &items);
    if (!root) return std::nullopt;
    views::Document document = read_document(*root, file);
    if (layers.empty()) return document;
    document.runs.front().layers = std::move(layers);
    views::add_zeros(zeros, document.runs.front().title, document);
    return document;
}

std::int64_t number_of(const report::FusionGroup& group) { return static_cast<std::int64_t>(group.einsums.size()); }

// Spans must lie within the einsums, and their sum within a network: each einsum gets a place in the picture.
void check_spans(const report::FusionReport& report, const yaml::Node& groups) {
    constexpr std::int64_t kMostEinsums = 1'000'000;
    constexpr std::int64_t kMostPlaces = 10'000'000;
    std::int64_t places = 0;
    for (const report::FusionGroup& group : report.groups) {
        if (group.einsums.empty() || group.first > kMostEinsums)
            groups.fail(ErrorCode::bad_value, "expected groups of einsums that a network could have");
        const auto end = group.first + number_of(group);
        for (const report::FusionLine& line : group.lines) {
            if (line.first < group.first || line.last < line.first || line.last >= end)
                groups.fail(ErrorCode::bad_value, "'" + line.name + "' spans einsums that its group does not have");
            places += line.last - line.first + 1;
        }
        if (places > kMostPlaces) groups.fail(ErrorCode::bad_value, "more stores than can be drawn");
    }
}

// Each router gets a place in the picture, and each slot one for every core of a stage.
void check_mesh(const report::PackageReport& report, const yaml::Node& root) {
    constexpr std::int64_t kMostRouters = 10'000;
    const report::PackageMesh& mesh = report.mesh;
    const auto is_size = [](std::int64_t size) { return size >= 1 && size <= kMostRouters; };
    if (!is_size(mesh.columns) || !is_size(mesh.rows) || mesh.columns * mesh.rows > kMostRouters ||
        !is_size(mesh.chiplet_columns) || !is_size(mesh.chiplet_rows))
        root.at("mesh").fail(ErrorCode::bad_value, "expected at most 10,000 routers");
    const std::vector<yaml::Node>& links = root.at("links").items();
    for (std::size_t l = 0; l < report.links.size(); ++l) {
        const report::PackageLink& link = report.links[l];
        if (std::max(link.x, link.to_x) >= mesh.columns || std::max(link.y, link.to_y) >= mesh.rows)
            links[l].fail(ErrorCode::bad_value, "a link beyond the mesh");
    }
}

}  // namespace

views::Document read_document(const std::string& text, const std::string& file) {
    if (std::optional<views::Document> report = read_report_by_layers(text, file)) return *std::move(report);
    const std::optional<yaml::Node> root = yaml::try_json(text, file);
    return read_document(root ? *root : yaml::parse_text(text, file), file);
}

views::Document read_document(const yaml::Node& root, const std::string& file) {
    if (!root.is_map()) root.fail(ErrorCode::wrong_type, "expected a document of Tilewright, a map with 'schema'");
    const yaml::Node& schema = root.at("schema");
    const std::string name = schema.text().substr(0, schema.text().find('/'));
    std::vector<std::string> known;
    for (const Reader& reader : kReaders) {
        if (reader.schema == name) return reader.read(root, file);
        known.emplace_back(reader.schema);
    }
    schema.fail(ErrorCode::unsupported, "nothing to draw in a document of schema '" + schema.text() +
                                            "'; expected one of " + list_words(known) + did_you_mean(name, known));
}

views::Document read_document(const std::filesystem::path& path, std::uintmax_t most_bytes) {
    if (!std::filesystem::is_directory(path)) return read_document(read_file(path, most_bytes), path.string());
    std::vector<std::filesystem::path> files;
    for (const char* name : {"report.json", "simulation.json", "schedule.json"})
        if (std::filesystem::exists(path / name)) files.push_back(path / name);
    if (files.empty()) files.push_back(path / "report.json");  // its absence is the error
    views::Document all = read_document(files.front(), most_bytes);
    for (std::size_t i = 1; i < files.size(); ++i) {
        views::Document more = read_document(files[i], most_bytes);
        std::move(more.runs.begin(), more.runs.end(), std::back_inserter(all.runs));
        std::move(more.figures.begin(), more.figures.end(), std::back_inserter(all.figures));
        std::move(more.headlines.begin(), more.headlines.end(), std::back_inserter(all.headlines));
        std::move(more.simulations.begin(), more.simulations.end(), std::back_inserter(all.simulations));
    }
    return all;
}

views::Document read_fusion(const yaml::Node& root, const std::string& file) {
    const auto report = read_as<report::FusionReport>(root);
    check_spans(report, root.at("groups"));
    views::Document document;
    document.file = file;
    document.figures = report::fusion_figures(report);
    document.headlines = {report::fusion_headline(report)};
    return document;
}

views::Document read_package(const yaml::Node& root, const std::string& file) {
    const auto report = read_as<report::PackageReport>(root);
    check_mesh(report, root);
    views::Document document;
    document.file = file;
    document.figures = report::package_figures(report);
    document.headlines = {report::package_headline(report)};
    return document;
}

views::Document read_serving(const yaml::Node& root, const std::string& file) {
    auto serving = read_as<document::Serving>(root);
    report::ServingReport report;
    report.machine = serving.architecture;
    report.model = serving.network;
    report.latency = serving.latency;
    for (document::ServedPoint& point : serving.points) report.points.push_back(std::move(point.of));
    report.served = std::move(serving.served);
    report.notes = std::move(serving.notes);
    views::Document document;
    document.file = file;
    document.figures = report::serving_figures(report);
    document.headlines = {report::serving_headline(report)};
    return document;
}

std::string first_name(const yaml::Node& layer) {
    const std::vector<std::string> names = read_as<std::vector<std::string>>(layer.at("names"));
    if (names.empty()) layer.at("names").fail(ErrorCode::bad_value, "expected the name of a layer");
    return names.front();
}

void check_names(const yaml::Node& root) {
    for (const yaml::Node& layer : root.at("layers").items()) first_name(layer);
}

}  // namespace tilewright::documents
