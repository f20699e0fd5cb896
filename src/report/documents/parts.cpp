#include "report/documents/parts.hpp"

namespace tilewright::documents {

double amount(const yaml::Node& node) {
    const double value = node.real();
    if (!(value >= 0.0 && value <= kLargest)) node.fail(ErrorCode::bad_value, "expected a number from 0 to 1e60");
    return value;
}

std::optional<double> optional_amount(const yaml::Node& map, const char* key) {
    const yaml::Node* node = map.find(key);
    if (is_absent(node)) return {};
    return amount(*node);
}

std::string optional_text(const yaml::Node& map, const char* key) {
    const yaml::Node* node = map.find(key);
    return is_absent(node) ? "" : node->text();
}

std::vector<std::string> texts(const yaml::Node& list) {
    std::vector<std::string> all;
    for (const yaml::Node& item : list.items()) all.push_back(item.text());
    return all;
}

std::string first_name(const yaml::Node& layer) {
    const std::vector<std::string> names = texts(layer.at("names"));
    if (names.empty()) layer.at("names").fail(ErrorCode::bad_value, "expected the name of a layer");
    return names.front();
}

void check_names(const yaml::Node& root) {
    for (const yaml::Node& layer : root.at("layers").items()) first_name(layer);
}

std::int64_t whole(const yaml::Node& node) {
    const std::int64_t value = node.integer();
    if (value < 0) node.fail(ErrorCode::bad_value, "expected a number that is not negative");
    return value;
}

}  // namespace tilewright::documents
