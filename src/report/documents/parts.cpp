#include "report/documents/parts.hpp"

namespace tilewright::documents {

std::string first_name(const yaml::Node& layer) {
    const std::vector<std::string> names = read_as<std::vector<std::string>>(layer.at("names"));
    if (names.empty()) layer.at("names").fail(ErrorCode::bad_value, "expected the name of a layer");
    return names.front();
}

void check_names(const yaml::Node& root) {
    for (const yaml::Node& layer : root.at("layers").items()) first_name(layer);
}

}  // namespace tilewright::documents
