#include "accelforge/forms/as_ours.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>

#include "accelforge/files/machine.hpp"
#include "arch/estimation/estimate.hpp"
#include "cim/component.hpp"

namespace tilewright::accelforge {
namespace {

// Circuits of arrays computing in memory by the class that AccelForge's machines give: drivers and cells by the table
// of array circuits, converters by their survey, capacitors, NeuRRAM's neurons.

// Energies of a component's actions, leakage, area; before the component's own scales.
struct ArrayPart {
    ComponentFigures figures;
    std::string source;
};

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

// Empty: another class, or arguments outside the tables (a cell description without circuits, a converter below 4
// bits).
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

constexpr double kJoulesInPicojoule = 1e-12;               // in a pJ
constexpr double kSquareMetresInSquareMicrometre = 1e-12;  // in a um^2
constexpr double kNanometres = 1e9;                        // in a m
constexpr double kCycle = 1e-9;                            // seconds: leakage is per cycle

std::string upper(std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

bool holds(const std::string& name, std::initializer_list<const char*> parts) {
    return std::ranges::any_of(parts, [&](const char* part) { return name.find(part) != std::string::npos; });
}

/// A component alone, as a machine with numbers from the tables.
struct Alone {
    Architecture machine;
    bool is_compute = false;
    double row_bits = 1.0;  ///< of one access
};

std::int64_t attribute(const Component& component, const char* name, std::int64_t otherwise) {
    const auto found = component.attributes.find(name);
    return found == component.attributes.end() ? otherwise : static_cast<std::int64_t>(found->second);
}

// A row is as wide as the widest action, at least a word.
double row_bits_of(const Component& component, const EinsumSpec& einsum) {
    double bits = std::ranges::max(einsum.bits);
    for (const Action& action : component.actions) bits = std::max(bits, action.bits);
    constexpr double kWidest = 65536.0;
    return std::clamp(std::ceil(bits), 1.0, kWidest);
}

std::optional<Alone> alone(const Component& component, const EinsumSpec& einsum) {
    const std::string name = upper(component.component_class);
    Geometry geometry;
    geometry.kind = component.component_class;
    if (const auto found = component.attributes.find("tech_node"); found != component.attributes.end())
        geometry.technology = std::to_string(std::llround(found->second * kNanometres)) + "nm";
    Alone made;
    made.machine.name = component.name;
    made.machine.cycle_seconds = kCycle;
    made.row_bits = row_bits_of(component, einsum);
    Memory memory;
    memory.name = component.name;
    memory.word_bits = static_cast<std::int64_t>(made.row_bits);
    if (component.kind == ComponentKind::compute) {
        if (!holds(name, {"MAC", "MULTIPLIER"})) return std::nullopt;
        geometry.multiplier_bits = attribute(component, "multiplier_width", 0);
        geometry.adder_bits = attribute(component, "adder_width", 0);
        made.is_compute = true;
        memory.spreads_only = true;  // no estimate needed
        made.machine.compute.name = component.name;
        made.machine.compute.geometry = geometry;
    } else if (holds(name, {"DDR", "HBM", "DRAM"}) && !holds(name, {"EDRAM"})) {
        memory.is_dram = true;
        geometry.dram_type = component.component_class;
    } else if (holds(name, {"SRAM", "REG"}) && std::isfinite(component.size_bits)) {
        geometry.depth = static_cast<std::int64_t>(std::max(1.0, std::ceil(component.size_bits / made.row_bits)));
        geometry.banks = std::max<std::int64_t>(1, attribute(component, "n_banks", 1));
        geometry.width_bits = memory.word_bits;
        memory.capacity_words = geometry.depth;
    } else {
        return std::nullopt;
    }
    memory.geometry = geometry;
    made.machine.memories.push_back(std::move(memory));
    return made;
}

class Estimates {
   public:
    Estimates(const EinsumSpec& einsum, Figures given, Notes& notes)
        : einsum_(einsum), figures_(std::move(given)), notes_(notes) {}

    void add(const Component& component) {
        const auto energy_is_missing = [](const std::string& what) { return what.ends_with(" energy"); };
        const bool leak = std::ranges::find(component.missing, "leak_power") != component.missing.end();
        const bool energy = std::ranges::any_of(component.missing, energy_is_missing);
        if (!leak && !energy && component.component_class != "MemoryCell") return;
        if (std::optional<ArrayPart> part = array_part(component)) return add_array_part(component, *std::move(part));
        std::optional<Alone> one = alone(component, einsum_);
        if (!one) return;
        for (const std::string& sentence : estimate(one->machine)) notes_.add(sentence);
        const Memory& memory = one->machine.memories.front();
        const Compute& compute = one->machine.compute;
        const Sourced& source = one->is_compute ? compute.energy_pj : memory.energy.read_pj;
        notes_.add(
            "energies that AccelForge would ask its component library for are of our tables (" + source.source + ")",
            component.name, "");
        ComponentFigures& into = figures_[component.name];
        for (const Action& action : component.actions)
            if (std::ranges::find(component.missing, action.name + " energy") != component.missing.end())
                into.actions[action.name].energy_j = energy_of(*one, action);
        if (!leak) return;
        into.leak_w = (one->is_compute ? compute.leak_pj_per_cycle : memory.energy.leak_pj_per_cycle).value *
                      kJoulesInPicojoule / kCycle;
        if (!into.area_m2)
            into.area_m2 =
                (one->is_compute ? compute.area_um2 : memory.area_um2).value * kSquareMetresInSquareMicrometre;
    }

    Figures take() { return std::move(figures_); }

   private:
    // A given figure stays; figures_ holds numbers of the library's for the rest.
    void add_array_part(const Component& component, ArrayPart part) {
        notes_.add("circuits of arrays are priced by our tables (" + part.source + ")", component.name, "");
        ComponentFigures& into = figures_[component.name];
        into.actions.merge(part.figures.actions);
        if (!into.leak_w) into.leak_w = part.figures.leak_w;
        if (!into.area_m2) into.area_m2 = part.figures.area_m2;
    }
    static double energy_of(const Alone& one, const Action& action) {
        if (one.is_compute) return one.machine.compute.energy_pj.value * kJoulesInPicojoule;
        const MemoryEnergy& energy = one.machine.memories.front().energy;
        const double row = action.name == "read" ? energy.read_pj.value : energy.fill_pj.value;
        return row * kJoulesInPicojoule * action.bits / one.row_bits;
    }

    const EinsumSpec& einsum_;
    Figures figures_;
    Notes& notes_;
};

}  // namespace

Figures with_estimates(const yaml::Node& root, const EinsumSpec& einsum, const Figures& given, Notes& notes) {
    Estimates estimates(einsum, given, notes);
    for (const Component& component : read_machine(root, einsum, given).components) estimates.add(component);
    return estimates.take();
}

}  // namespace tilewright::accelforge
