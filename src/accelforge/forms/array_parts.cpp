#include "accelforge/forms/array_parts.hpp"

#include "cim/component.hpp"

namespace tilewright::accelforge {
namespace {

constexpr double kOfPicojoule = 1e-12;         // in a pJ
constexpr double kOfSquareMicrometre = 1e-12;  // in a um^2
constexpr double kOfNanowatt = 1e-9;           // in a nW
constexpr double kNanometresInMetre = 1e9;     // in a m
constexpr double kAnyRate = std::numeric_limits<double>::infinity();

std::optional<double> attribute(const Component& component, const char* name) {
    const auto found = component.attributes.find(name);
    return found == component.attributes.end() ? std::nullopt : std::optional(found->second);
}

ArrayPart part_of(double pj, double um2, double nw, std::string source, double per_second) {
    ArrayPart part{{}, std::move(source)};
    part.figures.actions["read"] = {pj * kOfPicojoule, per_second};
    part.figures.area_m2 = um2 * kOfSquareMicrometre;
    part.figures.leak_w = nw * kOfNanowatt;
    return part;
}

}  // namespace

std::optional<ArrayPart> array_part(const Component& component) {
    cim::ComponentAttributes attributes;
    attributes.number = [&](const char* name) { return attribute(component, name); };
    attributes.text = [&](const char* name) {
        const auto found = component.texts.find(name);
        return found == component.texts.end() ? std::nullopt : std::optional(found->second);
    };
    attributes.technology_nm = attribute(component, "tech_node").value_or(0.0) * kNanometresInMetre;
    attributes.cycle_seconds = attribute(component, "cycle_period").value_or(0.0);
    const std::optional<cim::ComponentCost> cost = cim::component_cost(component.component_class, attributes);
    if (!cost) return std::nullopt;
    ArrayPart part =
        part_of(cost->read_pj, cost->area_um2, cost->leak_w / kOfNanowatt, cost->source, cost->reads_per_second);
    if (component.component_class == "MemoryCell")
        part.figures.actions["write"] = {cost->write_pj * kOfPicojoule, kAnyRate};
    return part;
}

}  // namespace tilewright::accelforge
