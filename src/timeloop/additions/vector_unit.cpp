#include "timeloop/additions/vector_unit.hpp"

#include <array>

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
                                            did_you_mean(node.text(), names) + "; there are " + list_words(names));
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

}  // namespace tilewright::timeloop
