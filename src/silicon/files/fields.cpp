#include "silicon/files/fields.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

#include "base/error.hpp"

namespace tilewright::silicon {
namespace {

double bytes_per_us(const std::optional<double>& own, const Memory& memory, const Architecture& architecture,
                    const yaml::Node& place) {
    const std::optional<double>& words = own ? own : memory.shared_words_per_cycle;
    if (!words)
        place.fail(ErrorCode::bad_value, "the architecture gives '" + memory.name + "' no bandwidth, which this needs");
    return *words * static_cast<double>(memory.word_bits) / 8.0 / (architecture.cycle_seconds * 1e6);
}

}  // namespace

double not_negative(const yaml::Node& node) {
    const double value = node.real();
    if (!std::isfinite(value) || value < 0.0)
        node.fail(ErrorCode::bad_value, "expected a number of at least 0, found " + node.text());
    return value;
}

double above_zero(const yaml::Node& node) {
    const double value = node.real();
    if (!std::isfinite(value) || value <= 0.0)
        node.fail(ErrorCode::bad_value, "expected a number above 0, found " + node.text());
    return value;
}

double share_of_data_sheet(const yaml::Node& node, double most) {
    const double value = above_zero(node);
    if (value > most)
        node.fail(ErrorCode::bad_value,
                  fmt::format("a share of what the data sheet says is at most {}, found {}", most, node.text()));
    return value;
}

double number_or(const yaml::Node& map, std::string_view key, double otherwise) {
    const yaml::Node* node = map.find(key);
    return node == nullptr ? otherwise : not_negative(*node);
}

double rate_or(const yaml::Node& map, std::string_view key, double otherwise) {
    const yaml::Node* node = map.find(key);
    return node == nullptr ? otherwise : above_zero(*node);
}

std::int64_t count_or(const yaml::Node& map, std::string_view key, std::int64_t otherwise) {
    const yaml::Node* node = map.find(key);
    return node == nullptr ? otherwise : node->positive();
}

int level_named(const yaml::Node& name, const Architecture& architecture) {
    const int level = find_memory(architecture, name.text());
    if (level >= 0) return level;
    std::vector<std::string> names;
    for (const Memory& memory : architecture.memories) names.push_back(memory.name);
    name.fail(ErrorCode::unknown_level,
              "the architecture has no level '" + name.text() + "'" + did_you_mean(name.text(), names));
}

double written_bytes_per_us(const Memory& memory, const Architecture& architecture, const yaml::Node& place) {
    return bytes_per_us(memory.write_words_per_cycle, memory, architecture, place);
}

double read_bytes_per_us(const Memory& memory, const Architecture& architecture, const yaml::Node& place) {
    return bytes_per_us(memory.read_words_per_cycle, memory, architecture, place);
}

}  // namespace tilewright::silicon
