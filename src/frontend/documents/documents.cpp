#include "frontend/documents/documents.hpp"

#include <array>
#include <iterator>

#include "frontend/documents/parts.hpp"

namespace tilewright::documents {
namespace {

struct Reader {
    const char* schema;  ///< without its version
    views::Document (*read)(const yaml::Node& root, const std::string& file);
};

constexpr std::array kReaders{
    Reader{"tilewright-report", read_report},         Reader{"tilewright-zigzag", read_zigzag},
    Reader{"tilewright-comparison", read_comparison}, Reader{"tilewright-mappers", read_mappers},
    Reader{"tilewright-schedule", read_schedule},     Reader{"tilewright-schedule-report", read_schedule_report},
    Reader{"tilewright-simulation", read_simulation},
};

}  // namespace

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

views::Document read_document(const std::filesystem::path& path) {
    if (!std::filesystem::is_directory(path)) return read_document(yaml::parse_file(path), path.string());
    std::vector<std::filesystem::path> files;
    for (const char* name : {"report.json", "simulation.json", "schedule.json"})
        if (std::filesystem::exists(path / name)) files.push_back(path / name);
    if (files.empty()) files.push_back(path / "report.json");  // whose absence is the error
    views::Document all = read_document(files.front());
    for (std::size_t i = 1; i < files.size(); ++i) {
        views::Document more = read_document(files[i]);
        std::move(more.runs.begin(), more.runs.end(), std::back_inserter(all.runs));
        std::move(more.figures.begin(), more.figures.end(), std::back_inserter(all.figures));
    }
    return all;
}

}  // namespace tilewright::documents
