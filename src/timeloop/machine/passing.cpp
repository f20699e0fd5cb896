#include "timeloop/machine/passing.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "timeloop/components/component_classes.hpp"
#include "timeloop/machine/component_attributes.hpp"
#include "timeloop/machine/part_costs.hpp"

namespace tilewright::timeloop {
namespace {

const yaml::Node* inside(const yaml::Node& node, std::initializer_list<const char*> keys) {
    const yaml::Node* at = &node;
    for (const char* key : keys) at = at != nullptr && at->is_map() ? at->find(key) : nullptr;
    return at;
}

std::vector<yaml::Node> listed(const yaml::Node* list) {
    return list != nullptr && list->is_sequence() ? list->items() : std::vector<yaml::Node>{};
}

bool names(const std::vector<std::string>& tensors, const std::string& tensor) {
    return is_in(tensors, tensor) || is_in(tensors, "*");
}

std::vector<std::string> kept_by(const yaml::Node& constraints) {
    std::vector<std::string> tensors;
    for (const char* key : {"keep", "keep_only"})
        for (const yaml::Node& tensor : listed(inside(constraints, {"dataspace", key})))
            tensors.push_back(tensor.text());
    return tensors;
}

/// Levels of a machine by index, with what its files say of them.
class Levels {
   public:
    explicit Levels(const MachineFile& machine) : machine_(machine) {}

    int count() const { return static_cast<int>(machine_.memories.size()); }
    int index(const std::string& level) const {
        const auto found = std::ranges::find(machine_.memories, level, &Component::name);
        return static_cast<int>(found - machine_.memories.begin());
    }
    bool spreads(int level) const { return mesh(level) != mesh(level + 1); }
    bool shares(int level, const std::string& tensor) const {
        return std::ranges::none_of(machine_.unshared, [&](const UnsharedFanout& one) {
            return one.level == machine_.memories[level].name && names(one.tensors, tensor);
        });
    }
    bool keeps(int level, const std::string& tensor) const {
        if (machine_.memories[level].spreads_only) return false;
        return std::ranges::any_of(machine_.constraints, [&](const PlacedConstraints& placed) {
            return placed.memory == machine_.memories[level].name && names(kept_by(placed.node), tensor);
        });
    }
    // Whatever passes a level without a class of its own is free.
    bool is_free(int level) const {
        const Component& one = machine_.memories[level];
        return one.subclass.empty() && one.component_class.find("dummy") != std::string::npos;
    }

   private:
    Mesh mesh(int level) const {
        return (level < count() ? machine_.memories[level] : machine_.compute).mesh.value_or(Mesh{});
    }
    const MachineFile& machine_;
};

// The innermost level that the words of a passing component reach with equal counts.
int innermost(const Levels& levels, int level, const std::string& tensor) {
    int reached = level;
    for (int i = level; i + 1 < levels.count(); ++i) {
        if (levels.spreads(i) && levels.shares(i, tensor)) break;
        if (levels.keeps(i + 1, tensor)) break;
        if (levels.spreads(i)) reached = i + 1;
    }
    return reached;
}

// Whether something outside fan-out `level` would count words once that its neighbours do not share.
bool is_bound(const MachineFile& machine, const Levels& levels, int level, const std::string& tensor) {
    for (int i = level; i >= 0; --i) {
        for (const PassingComponent& one : machine.passing) {
            if (one.tensor != tensor) continue;
            if (levels.index(one.level) == i) return true;
            if (one.adds && levels.index(one.level) > level && one.component.mesh == machine.memories[i].mesh)
                return false;
        }
        if (levels.keeps(i, tensor)) return !levels.is_free(i);
    }
    return false;
}

}  // namespace

bool holds_nothing(const yaml::Node& component) {
    const yaml::Node* constraints = component.find("constraints");
    if (constraints == nullptr) return false;
    if (!listed(inside(*constraints, {"dataspace", "no_coalesce"})).empty()) return true;
    const yaml::Node* loops = inside(*constraints, {"temporal", "factors_only"});
    const bool still = loops != nullptr && loops->is_sequence() && loops->items().empty();
    return still && !listed(inside(*constraints, {"temporal", "no_reuse"})).empty();
}

bool is_latch(const yaml::Node& component) {
    const yaml::Node* constraints = component.find("constraints");
    if (constraints == nullptr || holds_nothing(component)) return false;
    const std::vector<std::string> kept = kept_by(*constraints);
    return kept.size() == 1 && kept[0] == "Outputs" && !listed(inside(*constraints, {"temporal", "no_reuse"})).empty();
}

void hold_outside(MachineFile& machine) {
    const Levels levels(machine);
    std::vector<std::string> tensors;
    for (const PassingComponent& one : machine.passing) {
        bool is_kept = one.tensor.empty() || is_in(tensors, one.tensor);
        for (int i = 0; i < levels.count(); ++i) is_kept = is_kept || levels.keeps(i, one.tensor);
        if (!is_kept) tensors.push_back(one.tensor);
    }
    if (tensors.empty()) return;
    const yaml::Node& place = machine.passing.front().component.node;
    std::vector<yaml::Node> list;
    for (const std::string& tensor : tensors) list.push_back(yaml::Node::scalar(tensor, place));
    const auto in = [&](const char* key, yaml::Node value) {
        return yaml::Node::map({{key, place, std::move(value)}}, place);
    };
    Component memory;
    memory.name = kOutside;
    memory.component_class = "dummy_storage";
    memory.node = place;
    memory.mesh = Mesh{1, 1};
    memory.instances = 1;
    memory.latch = true;
    memory.attributes =
        Attributes(std::make_shared<Scope>(Scope{in("datawidth", yaml::Node::scalar("1", place)), machine.variables}),
                   machine.evaluator);
    machine.constraints.push_back({kOutside, "", false,
                                   in("dataspace", in("keep_only", yaml::Node::sequence(std::move(list), place))),
                                   machine.variables});
    machine.memories.insert(machine.memories.begin(), std::move(memory));
}

void add_passing(Component component, const yaml::Node& node, MachineFile& machine) {
    const yaml::Node& constraints = node.at("constraints");
    PassingComponent passing{std::move(component), machine.memories.back().name, "", false};
    const yaml::Node* through = inside(constraints, {"dataspace", "no_coalesce"});
    std::vector<std::string> passes;
    for (const yaml::Node& tensor : listed(through)) passes.push_back(tensor.text());
    passing.adds = passes.empty();
    std::vector<std::string> tensors = kept_by(constraints);
    for (const std::string& tensor : tensors)
        if (!passing.adds && !names(passes, tensor))
            through->fail(ErrorCode::unsupported, "'" + passing.component.name + "' holds '" + tensor +
                                                      "', and others pass it: one component does one of both");
    if (is_in(tensors, "*"))
        constraints.fail(
            ErrorCode::unsupported,
            "'" + passing.component.name + "' holds nothing, so it names the tensors that pass it ('keep_only')");
    std::ranges::sort(tensors);
    tensors.erase(std::ranges::unique(tensors).begin(), tensors.end());
    if (tensors.empty()) tensors.emplace_back();
    for (const std::string& tensor : tensors) {
        passing.tensor = tensor;
        machine.passing.push_back(passing);
    }
}

void note_unshared(const yaml::Node& node, const std::string& level, MachineFile& machine) {
    const yaml::Node* constraints = node.find("constraints");
    const yaml::Node* list = constraints == nullptr ? nullptr : inside(*constraints, {"spatial", "no_reuse"});
    if (list == nullptr) return;
    std::vector<std::string> tensors;
    for (const yaml::Node& tensor : listed(list)) tensors.push_back(tensor.text());
    if (!tensors.empty()) machine.unshared.push_back({level, std::move(tensors), *list});
}

void place_by_sharing(MachineFile& machine) {
    const Levels levels(machine);
    for (PassingComponent& one : machine.passing)
        if (!one.tensor.empty())
            one.level = machine.memories[innermost(levels, levels.index(one.level), one.tensor)].name;
    for (UnsharedFanout& one : machine.unshared) {
        std::vector<std::string> tensors = one.tensors;
        if (is_in(tensors, "*")) tensors = {"Inputs", "Weights", "Outputs"};
        for (const std::string& tensor : tensors)
            if (is_bound(machine, levels, levels.index(one.level), tensor)) one.bound.push_back(tensor);
    }
}

void apply_passing(const MachineFile& machine, const Clock& clock, Architecture& architecture) {
    if (machine.passing.empty()) return;
    for (Memory& memory : architecture.memories)  // drivers stand for the wires
        if (!memory.link.user_defined && !memory.link.energy_per_hop_pj) memory.link.energy_per_hop_pj = 0.0;
    for (const PassingComponent& one : machine.passing) {
        Memory part = memory_of(one.component, machine, clock);
        apply_parts(one.component, machine, clock.cycle_seconds * 1e9, part);
        const Attributes& attributes = one.component.attributes;
        // Copies leak and have area; a word passes one of them.
        const double copies = attributes.real_from({"n_instances"}, 0.0).value_or(1.0);
        const double share = attributes.real_from({"energy_scale"}, 0.0).value_or(1.0) / (copies > 0.0 ? copies : 1.0);
        if (!one.tensor.empty()) {
            Passage passage{one.component.name, one.tensor, part.energy.read_pj,
                            1.0 / static_cast<double>(part.block_words)};
            passage.energy_pj.value *= share;
            if (passage.energy_pj.source.empty()) passage.energy_pj.source = "no table has its parts";
            architecture.memories[find_memory(architecture, one.level)].link.passages.push_back(std::move(passage));
        }
        const bool is_first = std::ranges::find(machine.passing, one.component.name,
                                                [](const PassingComponent& other) { return other.component.name; }) -
                                  machine.passing.begin() ==
                              &one - machine.passing.data();
        if (!is_first) continue;
        const auto level = std::ranges::find_if(architecture.memories, [&](const Memory& memory) {
            return memory.spreads_only && memory.mesh == part.mesh;
        });
        const auto add = [](Sourced& sum, const Sourced& more) {
            sum.value += more.value;
            sum.source += (sum.source.empty() ? "" : " + ") + more.source;
        };
        add(level->energy.leak_pj_per_cycle, part.energy.leak_pj_per_cycle);
        add(level->area_um2, part.area_um2);
    }
}

namespace {

struct NamedFactor {
    std::string_view name;
    double factor;
};
constexpr std::array kSeconds{NamedFactor{"ps", 1e-12}, NamedFactor{"ns", 1e-9}, NamedFactor{"us", 1e-6},
                              NamedFactor{"ms", 1e-3}, NamedFactor{"s", 1.0}};
constexpr std::array kHertz{NamedFactor{"GHz", 1e9}, NamedFactor{"MHz", 1e6}, NamedFactor{"kHz", 1e3},
                            NamedFactor{"KHz", 1e3}, NamedFactor{"Hz", 1.0}};

/// An attribute for the clock.
struct ClockKey {
    const char* name;
    bool is_period;
    double most_seconds;  ///< largest unitless number read as seconds; above it nanoseconds, or a slip
};
constexpr std::array kKeys{ClockKey{"cycle_seconds", true, 1e300}, ClockKey{"cycle_time", true, 1e-3},
                           ClockKey{"frequency", false, 0.0}, ClockKey{"clock_frequency", false, 0.0}};

// "1.5 GHz" -> 1.5e9 by the given units; empty otherwise.
std::optional<double> with_unit(std::string_view text, const std::array<NamedFactor, 5>& units) {
    double number = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    for (const NamedFactor& unit : units)
        if (rest == unit.name) return number * unit.factor;
    return std::nullopt;
}

// Placeholders in Timeloop's files.
bool is_blank(const yaml::Node& node) {
    return node.is_scalar() && (node.text() == "must_specify" || node.text() == "SET ME" || node.text() == "-1");
}

std::string plain(const Value& value) { return value.is_text() ? std::get<std::string>(value.data) : to_text(value); }

std::optional<Value> value_of(const Attributes& attributes, const ClockKey& key) {
    const yaml::Node* node = attributes.find({key.name});
    if (node == nullptr || is_blank(*node)) return std::nullopt;
    const bool has_unit = node->is_scalar() && (with_unit(node->text(), kSeconds) || with_unit(node->text(), kHertz));
    if (has_unit) return Value{node->text()};
    return attributes.value({key.name});
}

// Seconds per cycle by this attribute; empty if absent.
std::optional<double> cycle_seconds_of(const Attributes& attributes, const ClockKey& key) {
    const std::optional<Value> value = value_of(attributes, key);
    if (!value) return std::nullopt;
    std::optional<double> amount = with_unit(plain(*value), key.is_period ? kSeconds : kHertz);
    if (!amount && value->is_number() && value->real() < key.most_seconds) amount = value->real();
    const std::string name = "'" + std::string(key.name) + "'";
    const yaml::Node& place = *attributes.find({key.name});
    if (!amount)
        place.fail(ErrorCode::bad_value, name + " needs a number and its unit, such as " +
                                             (key.is_period ? "1 ns" : "1 GHz") + ", found '" + plain(*value) + "'");
    if (!(*amount > 0.0) || !std::isfinite(*amount)) place.fail(ErrorCode::bad_value, name + " has to be more than 0");
    return key.is_period ? *amount : 1.0 / *amount;
}

/// Collects the components' clocks, which must agree.
class Clocks {
   public:
    void take(const Component& component) {
        for (const ClockKey& key : kKeys) {
            const std::optional<double> seconds = cycle_seconds_of(component.attributes, key);
            if (!seconds) continue;
            if (first_ && std::abs(*seconds - *first_) > 1e-9 * *first_) {
                component.attributes.find({key.name})
                    ->fail(ErrorCode::bad_value, "'" + std::string(key.name) + "' of '" + component.name +
                                                     "' gives another clock than " + said_by_ +
                                                     "; a machine has one clock");
            }
            if (first_) continue;
            first_ = seconds;
            said_by_ = "'" + std::string(key.name) + "' of '" + component.name + "'";
        }
    }
    std::optional<double> seconds() const { return first_; }

   private:
    std::optional<double> first_;
    std::string said_by_;
};

// The clock of the whole machine, in seconds or with a unit: 5e-9, 5 ns, 200MHz.
std::optional<double> global_seconds(const Attributes& attributes) {
    const yaml::Node* node = attributes.find({"global_cycle_seconds"});
    if (node != nullptr && node->is_scalar()) {
        if (const auto seconds = with_unit(node->text(), kSeconds)) return seconds;
        if (const auto hertz = with_unit(node->text(), kHertz)) return 1.0 / *hertz;
    }
    return attributes.real({"global_cycle_seconds", "GLOBAL_CYCLE_SECONDS"});
}

}  // namespace

Clock clock_of(const MachineFile& machine) {
    const Attributes variables(std::make_shared<Scope>(Scope{machine.variables->attributes, nullptr}),
                               machine.evaluator);
    std::optional<double> given = global_seconds(machine.compute.attributes);
    if (!given) given = global_seconds(variables);
    if (given && (!(*given > 0.0) || !std::isfinite(*given)))
        machine.compute.node.fail(ErrorCode::bad_value, "'global_cycle_seconds' has to be more than 0");
    Clocks clocks;
    clocks.take(machine.compute);
    for (const Component& memory : machine.memories) clocks.take(memory);
    if (!given) given = clocks.seconds();
    return given ? Clock{*given, false} : Clock{};
}

}  // namespace tilewright::timeloop
