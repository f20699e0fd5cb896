#include "run/codesign/knob_roles.hpp"

#include <algorithm>
#include <string_view>

namespace tilewright {
namespace {

using codesign::Role;

// Attributes of a memory that change its capacity, bandwidths, energies and area, and nothing else of the machine.
bool is_number_of_memory(std::string_view attribute) {
    static const std::vector<std::string_view> kNames{"depth",
                                                      "memory_depth",
                                                      "data_storage_depth",
                                                      "entries",
                                                      "sizeKB",
                                                      "size",
                                                      "n_banks",
                                                      "num_banks",
                                                      "nbanks",
                                                      "banks",
                                                      "n_ports",
                                                      "num_ports",
                                                      "nports",
                                                      "ports",
                                                      "read_bandwidth",
                                                      "write_bandwidth",
                                                      "shared_bandwidth",
                                                      "bandwidth",
                                                      "energy_scale",
                                                      "area_scale",
                                                      "vector_access_energy",
                                                      "cluster_area"};
    return std::ranges::find(kNames, attribute) != kNames.end();
}

bool is_number_of_units(std::string_view attribute) {
    static const std::vector<std::string_view> kNames{"energy",           "area",       "energy_scale", "area_scale",
                                                      "multiplier_width", "adder_width"};
    return std::ranges::find(kNames, attribute) != kNames.end();
}

bool is_count(std::string_view attribute) {
    return attribute == "meshX" || attribute == "meshY" || attribute == "instances";
}

constexpr Role kAnything{true, false, 0};

Role role_of(const std::string& name, const Architecture& architecture) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) return kAnything;
    const std::string component = name.substr(0, dot);
    const std::string attribute = name.substr(dot + 1);
    if (component == "variables" || component == "dim" || component == "jinja") return kAnything;
    if (is_count(attribute)) return {false, true, 0};
    const int memory = find_memory(architecture, component);
    if (memory >= 0 && is_number_of_memory(attribute)) return {false, false, 1U << memory};
    if (component == architecture.compute.name && is_number_of_units(attribute))
        return {false, false, 1U << architecture.memory_count()};
    return kAnything;
}

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

// An expression has that word.
bool names_variable(const std::string& text, const std::string& name) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        const bool begins = at == 0 || !is_of_word(text[at - 1]);
        if (begins && (end == text.size() || !is_of_word(text[end]))) return true;
    }
    return false;
}

void add_role(Role& role, const Role& other) {
    role.form = role.form || other.form;
    role.counts = role.counts || other.counts;
    role.parts |= other.parts;
}

}  // namespace

std::vector<Role> knob_roles(const DesignKnobs& knobs, const Architecture& architecture) {
    std::vector<Role> roles;
    for (const explore::Knob& knob : knobs.space.knobs()) {
        if (std::ranges::find(knobs.variables, knob.name) == knobs.variables.end()) {
            roles.push_back(role_of(knob.name, architecture));
            continue;
        }
        Role role;
        for (const DerivedSetting& derived : knobs.derived)
            if (names_variable(derived.expression, knob.name)) add_role(role, role_of(derived.name, architecture));
        roles.push_back(role);
    }
    return roles;
}

}  // namespace tilewright
