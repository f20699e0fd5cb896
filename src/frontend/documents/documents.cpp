#include "frontend/documents/documents.hpp"

#include <array>

#include "frontend/documents/parts.hpp"

namespace tilewright::documents {
namespace {

struct Reader {
    const char* schema;  ///< without its version
    views::Document (*read)(const yaml::Node& root, const std::string& file);
};

constexpr std::array kReaders{
    Reader{"tilewright-report", read_report},
    Reader{"tilewright-zigzag", read_zigzag},
    Reader{"tilewright-comparison", read_comparison},
    Reader{"tilewright-mappers", read_mappers},
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
    const bool folder = std::filesystem::is_directory(path);
    const std::filesystem::path file = folder ? path / "report.json" : path;
    return read_document(yaml::parse_file(file), file.string());
}

}  // namespace tilewright::documents
