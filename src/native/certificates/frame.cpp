#include "native/certificates/frame.hpp"

#include <algorithm>

namespace tilewright::native {

Json frame_of(const char* schema, const std::string& tool_version, int model_version) {
    Json json;
    json["schema"] = schema;
    json["tool"] = {{"name", "tilewright"}, {"version", tool_version}};
    json["model"] = model_version;
    return json;
}

void read_frame(const yaml::Node& root, const char* schema, std::string& tool_version, int& model_version) {
    const yaml::Node& own = root.at("schema");
    if (own.text() != schema)
        own.fail(ErrorCode::unsupported, "expected '" + std::string(schema) + "', found '" + own.text() + "'");
    const yaml::Node& tool = root.at("tool");
    tool.expect_keys({"name", "version"});
    expect_text(tool.at("name"), "tilewright");
    tool_version = tool.at("version").text();
    model_version = model_version_of(root);
}

void expect_text(const yaml::Node& node, const std::string& text) {
    if (node.text() != text) node.fail(ErrorCode::bad_value, "expected '" + text + "', found '" + node.text() + "'");
}

Json lines_of(const std::string& text) {
    Json lines = Json::array();
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

std::string text_of_lines(const yaml::Node& list) {
    std::string text;
    for (const yaml::Node& line : list_of(list)) text += line.text() + "\n";
    return text;
}

void fail_at_line(const yaml::Node& list, const InputError& error) {
    const auto line = static_cast<std::size_t>(std::max<std::int64_t>(1, error.where().line)) - 1;
    const yaml::Node& at = line < list.items().size() ? list.items()[line] : list;
    at.fail(error.code(), error.message());
}

}  // namespace tilewright::native
