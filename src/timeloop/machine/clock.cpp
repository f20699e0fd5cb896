#include "timeloop/machine/clock.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace tilewright::timeloop {
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
