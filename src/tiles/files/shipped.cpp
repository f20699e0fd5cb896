#include "tiles/files/shipped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/error.hpp"
#include "base/files/embedded.hpp"

namespace tilewright {

std::span<const EmbeddedFile> embedded_tiles();  // generated

namespace tiles {
namespace {

constexpr std::string_view kRules = "data/tiles/rules/";

std::string rule_name(const EmbeddedFile& file) {
    return std::string(file.path.substr(kRules.size(), file.path.rfind('.') - kRules.size()));
}

std::vector<yaml::Node> machine_documents() {
    for (const EmbeddedFile& file : embedded_tiles())
        if (!file.path.starts_with(kRules))
            return yaml::parse_documents({std::string(file.text), std::string(file.path), {}, {}});
    return {};
}

}  // namespace

std::vector<std::string> shipped_rules() {
    std::vector<std::string> names;
    for (const EmbeddedFile& file : embedded_tiles())
        if (file.path.starts_with(kRules)) names.push_back(rule_name(file));
    std::ranges::sort(names);
    return names;
}

std::vector<std::string> shipped_machines() {
    std::vector<std::string> names;
    for (const yaml::Node& document : machine_documents()) names.push_back(document.at("machine").text());
    std::ranges::sort(names);
    return names;
}

yaml::Node shipped_rule_file(std::string_view name) {
    for (const EmbeddedFile& file : embedded_tiles())
        if (file.path.starts_with(kRules) && rule_name(file) == name)
            return yaml::parse_text(file.text, std::string(file.path));
    const std::vector<std::string> known = shipped_rules();
    throw InputError(
        ErrorCode::unknown_name, {},
        fmt::format("there are no rules '{}'{}; shipped are {}", name, did_you_mean(name, known), list_words(known)));
}

Machine shipped_machine(std::string_view name) {
    for (const yaml::Node& document : machine_documents())
        if (document.at("machine").text() == name) return read_machine_on_shipped(document);
    const std::vector<std::string> known = shipped_machines();
    throw InputError(ErrorCode::unknown_name, {},
                     fmt::format("there is no machine '{}' for tiles{}; shipped are {}", name,
                                 did_you_mean(name, known), list_words(known)));
}

Machine read_machine_on_shipped(const yaml::Node& document) {
    Machine machine = read_machine(document);
    if (machine.like.empty()) return machine;
    if (machine.like == machine.name)
        document.at("like").fail(ErrorCode::cyclic_inheritance, "the machine is like itself");
    return merged(shipped_machine(machine.like), machine);
}

namespace {

bool is_file_name(const std::string& name) {
    return name.find('/') != std::string::npos || name.ends_with(".yaml") || name.ends_with(".json");
}

}  // namespace

Rules rules_named(const std::string& name) {
    return read_rules(is_file_name(name) ? yaml::parse_file(name) : shipped_rule_file(name));
}

Machine machine_named(const std::string& name) {
    if (name.empty()) return {};
    return is_file_name(name) ? read_machine_on_shipped(yaml::parse_file(name)) : shipped_machine(name);
}

}  // namespace tiles
}  // namespace tilewright
