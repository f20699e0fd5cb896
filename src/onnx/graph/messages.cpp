#include "onnx/graph/messages.hpp"

namespace tilewright::onnx {

std::string printable(std::string_view name) {
    constexpr std::size_t kLongest = 100;
    std::string text;
    for (const char c : name.substr(0, kLongest)) text += c >= ' ' && c <= '~' ? c : '?';
    return name.size() > kLongest ? text + "..." : text;
}

std::string in_quotes(std::string_view name) { return "'" + printable(name) + "'"; }

std::string describe(const pb::NodeProto& node) {
    const bool by_output = node.name().empty() && node.output_size() > 0;
    return "node " + in_quotes(by_output ? node.output(0) : node.name()) + " (" + printable(node.op_type()) + ")";
}

std::string shape_text(const std::vector<std::int64_t>& extents) {
    std::string text = "[";
    for (std::size_t i = 0; i < extents.size(); ++i) {
        if (i > 0) text += ", ";
        text += extents[i] < 0 ? "?" : std::to_string(extents[i]);
    }
    return text + "]";
}

void fail(const std::string& file, ErrorCode code, const std::string& message) {
    throw InputError(code, {file}, message);
}

void fail(const std::string& file, const pb::NodeProto& node, ErrorCode code, const std::string& message) {
    fail(file, code, describe(node) + ": " + message);
}

}  // namespace tilewright::onnx
