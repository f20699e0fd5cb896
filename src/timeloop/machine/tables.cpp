#include "timeloop/machine/tables.hpp"

#include <algorithm>

namespace tilewright::timeloop {
namespace {

// Accelergy writes a table and its summary side by side; users return the readable one.
const std::vector<yaml::Node>& tables_of(const yaml::Node& root, const std::string& section) {
    static const std::vector<yaml::Node> kNone;
    const yaml::Node* found = root.find(section);
    if (found != nullptr && !found->is_null()) return found->at("tables").items();
    found = root.find(section + "_summary");
    return found == nullptr || found->is_null() ? kNone : found->at("table_summary").items();
}

// Timeloop reads these numbers into 32-bit floats.
double as_float(double value) { return static_cast<double>(static_cast<float>(value)); }

double not_negative(const yaml::Node& node) {
    const double value = node.real();
    if (value < 0.0)
        node.fail(ErrorCode::bad_value, "expected a number that is not negative, found '" + node.text() + "'");
    return value;
}

std::string source_of(const char* table, const yaml::Node& node) {
    const Location where = node.where();
    return std::string(table) + " " + where.file + ":" + std::to_string(where.line);
}

// The first of `names` in the table; of several entries with different arguments the largest.
std::optional<Sourced> action(const yaml::Node& table, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        std::optional<Sourced> found;
        for (const yaml::Node& entry : table.at("actions").items()) {
            if (entry.at("name").text() != name) continue;
            const yaml::Node& energy = entry.at(entry.has("max_energy") ? "max_energy" : "energy");
            const double value = not_negative(energy);
            if (!found || value > found->value) found = Sourced{value, source_of("ERT", energy)};
        }
        if (found) return found;
    }
    return std::nullopt;
}

// An unused table would silently become an estimate.
void refuse_unused(const yaml::Node& table, const char* actions) {
    const std::vector<yaml::Node>& listed = table.at("actions").items();
    if (listed.empty()) return;
    std::vector<std::string> names;
    for (const yaml::Node& entry : listed)
        if (std::find(names.begin(), names.end(), entry.at("name").text()) == names.end())
            names.push_back(entry.at("name").text());
    table.at("name").fail(ErrorCode::unsupported, "this table of the ERT has " + list_words(names) + ", but none of " +
                                                      actions + ": nothing in it can be used");
}

void apply_energy(const yaml::Node& table, Memory& memory) {
    MemoryEnergy& energy = memory.energy;
    const auto read = action(table, read_actions());
    const auto fill = action(table, fill_actions());
    const auto update = action(table, update_actions());
    if (read) energy.read_pj = *read;
    if (fill) energy.fill_pj = *fill;
    if (update) energy.update_pj = *update;
    if (!read && !fill && !update && !memory.spreads_only) refuse_unused(table, "read, write, fill, update and access");
    energy.leak_pj_per_cycle =
        action(table, {"leak"}).value_or(Sourced{0.0, source_of("ERT", table) + " (lists no leak)"});
}

void apply_energy(const yaml::Node& table, Compute& compute) {
    if (const auto energy = action(table, compute_actions()))
        compute.energy_pj = *energy;
    else
        refuse_unused(table, "compute, mac_random, mult_random, mac, mult and access");
    compute.leak_pj_per_cycle =
        action(table, {"leak"}).value_or(Sourced{0.0, source_of("ERT", table) + " (lists no leak)"});
}

// One energy per bit and millimetre for all networks not defined by the file.
void apply_wire_energy(const yaml::Node& root, Architecture& architecture) {
    for (const char* name : {"wire", "Wire"}) {
        const yaml::Node* table = find_table(root, "ERT", name);
        const std::optional<Sourced> energy = table == nullptr ? std::nullopt : action(*table, {"transfer_random"});
        if (!energy || energy->value == 0.0) continue;
        for (Memory& memory : architecture.memories)
            if (!memory.link.user_defined) memory.link.wire_energy_pj_per_bit_mm = as_float(energy->value);
    }
}

void refuse_unknown_tables(const MachineFile& machine, const char* section) {
    std::vector<std::string> names = machine.others;
    names.insert(names.end(), {"wire", "Wire"});
    for (const Component& memory : machine.memories) names.push_back(memory.name);
    for (const Component& network : machine.networks) names.push_back(network.name);
    names.push_back(machine.compute.name);
    for (const yaml::Node& table : tables_of(machine.root, section)) {
        const yaml::Node& path = table.at("name");
        const std::string name = component_name(path.text());
        if (std::find(names.begin(), names.end(), name) == names.end())
            path.fail(ErrorCode::unknown_name, std::string("the ") + section + " has a table for '" + name +
                                                   "', which the architecture does not have" +
                                                   did_you_mean(name, names));
    }
}

std::string duplicate_table(const std::string& section, const std::string& name) {
    return "the " + section + " has two tables for '" + name + "'";
}

}  // namespace

std::string component_name(const std::string& path) {
    std::string_view name = path;
    if (name.ends_with(']'))
        if (const std::size_t open = name.rfind('['); open != std::string_view::npos) name = name.substr(0, open);
    if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos) name.remove_prefix(dot + 1);
    return std::string(name);
}

const std::vector<std::string>& read_actions() {
    static const std::vector<std::string> kNames{"random_read", "read", "access"};
    return kNames;
}

const std::vector<std::string>& fill_actions() {
    static const std::vector<std::string> kNames{"random_fill", "random_write", "fill", "write", "access"};
    return kNames;
}

const std::vector<std::string>& update_actions() {
    static const std::vector<std::string> kNames{"random_update", "random_write", "update", "write", "access"};
    return kNames;
}

const std::vector<std::string>& compute_actions() {
    static const std::vector<std::string> kNames{"mac_random", "mult_random", "mac", "mult", "compute", "access"};
    return kNames;
}

const yaml::Node* find_table(const yaml::Node& root, const std::string& section, const std::string& name) {
    const yaml::Node* found = nullptr;
    for (const yaml::Node& table : tables_of(root, section)) {
        const yaml::Node& path = table.at("name");
        if (component_name(path.text()) != name) continue;
        if (found != nullptr) path.fail(ErrorCode::duplicate_key, duplicate_table(section, name));
        found = &table;
    }
    return found;
}

void apply_tables(const MachineFile& machine, Architecture& architecture) {
    refuse_unknown_tables(machine, "ERT");
    refuse_unknown_tables(machine, "ART");
    for (int i = 0; i < architecture.memory_count(); ++i) {
        Memory& memory = architecture.memories[i];
        const bool given = machine.memories[i].attributes.has({"vector_access_energy"});
        if (const yaml::Node* table = find_table(machine.root, "ERT", memory.name); table != nullptr && !given)
            apply_energy(*table, memory);
        if (const yaml::Node* table = find_table(machine.root, "ART", memory.name))
            memory.area_um2 = {as_float(not_negative(table->at("area"))), source_of("ART", table->at("area"))};
    }
    Compute& compute = architecture.compute;
    if (const yaml::Node* table = find_table(machine.root, "ERT", compute.name)) apply_energy(*table, compute);
    if (const yaml::Node* table = find_table(machine.root, "ART", compute.name))
        compute.area_um2 = {as_float(not_negative(table->at("area"))), source_of("ART", table->at("area"))};
    apply_wire_energy(machine.root, architecture);
}

}  // namespace tilewright::timeloop
