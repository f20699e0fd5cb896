#include "timeloop/additions/additions.hpp"

#include <array>
#include <cmath>

namespace tilewright::timeloop {
namespace {

VectorRate read_rate(const yaml::Node& node) {
    node.expect_keys({"energy", "per_cycle"});
    const VectorRate rate{node.at("energy").real(), node.at("per_cycle").real()};
    if (rate.energy_pj < 0) node.at("energy").fail(ErrorCode::bad_value, "an energy is not negative");
    if (rate.per_cycle <= 0) node.at("per_cycle").fail(ErrorCode::bad_value, "expected more than 0 operations a cycle");
    return rate;
}

std::string read_memory(const yaml::Node& node, const Architecture& architecture) {
    std::vector<std::string> names;
    for (const Memory& memory : architecture.memories)
        if (!memory.spreads_only) names.push_back(memory.name);
    for (const std::string& name : names)
        if (name == node.text()) return name;
    node.fail(ErrorCode::unknown_level, "the vector unit works on '" + node.text() + "', which is not a memory" +
                                            did_you_mean(node.text(), names) + " (there are " + list_words(names) +
                                            ")");
}

}  // namespace

std::optional<VectorUnit> read_vector_unit(const yaml::Node& root, const Architecture& architecture) {
    const yaml::Node* section = root.find("vector_unit");
    if (section == nullptr || section->is_null()) return std::nullopt;
    section->expect_keys({"memory", "area", "add", "multiply", "divide", "exponential", "multiply_add"});
    VectorUnit unit;
    unit.memory = read_memory(section->at("memory"), architecture);
    if (const yaml::Node* area = section->find("area")) unit.area_um2 = area->real();
    constexpr std::array<std::pair<const char*, OperationClass>, 4> kClasses{
        {{"add", OperationClass::add},
         {"multiply", OperationClass::multiply},
         {"divide", OperationClass::divide},
         {"exponential", OperationClass::exponential}}};
    for (const auto& [name, operation] : kClasses)
        unit.rates.at(static_cast<std::size_t>(operation)) = read_rate(section->at(name));
    const VectorRate& add = unit.rate(OperationClass::add);
    const VectorRate& multiply = unit.rate(OperationClass::multiply);
    const yaml::Node* both = section->find("multiply_add");
    unit.rates.at(static_cast<std::size_t>(OperationClass::multiply_add)) =
        both != nullptr
            ? read_rate(*both)
            : VectorRate{add.energy_pj + multiply.energy_pj, 1.0 / (1.0 / add.per_cycle + 1.0 / multiply.per_cycle)};
    return unit;
}

namespace {

double above_zero(const yaml::Node& node) {
    const double value = node.real();
    if (!std::isfinite(value) || value <= 0.0) node.fail(ErrorCode::bad_value, "expected a number above 0");
    return value;
}

double finite_or_zero(const yaml::Node& node) {
    const double value = node.real();
    if (!std::isfinite(value) || value < 0.0) node.fail(ErrorCode::bad_value, "expected a number of at least 0");
    return value;
}

Links read_links(const yaml::Node& node) {
    node.expect_keys({"bytes_per_us", "latency_us", "energy_pj_per_byte"});
    Links links{above_zero(node.at("bytes_per_us")), finite_or_zero(node.at("latency_us"))};
    if (const yaml::Node* energy = node.find("energy_pj_per_byte")) links.energy_pj_per_byte = finite_or_zero(*energy);
    return links;
}

}  // namespace

Device read_device(const yaml::Node& root) {
    Device device;
    const yaml::Node* section = root.find("device");
    if (section == nullptr || section->is_null()) return device;
    section->expect_keys({"memory_bytes", "power_watts", "links"});
    if (const yaml::Node* bytes = section->find("memory_bytes")) device.memory_bytes = above_zero(*bytes);
    if (const yaml::Node* power = section->find("power_watts")) device.power_watts = above_zero(*power);
    if (const yaml::Node* links = section->find("links")) device.links = read_links(*links);
    return device;
}

}  // namespace tilewright::timeloop
