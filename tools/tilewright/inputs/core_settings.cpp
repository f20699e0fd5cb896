#include "inputs/core_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "explore/space.hpp"
#include "timeloop/components/units.hpp"

namespace tilewright::cli {
namespace {

using timeloop::Unit;
using yaml::Node;

/// A key of `multi_npu`, and the unit that its number may have behind it.
struct Key {
    const char* path;
    Unit unit = Unit::count;
};

constexpr std::array kKeys{Key{"name"},
                           Key{"cores"},
                           Key{"scratchpad_bytes", Unit::bytes},
                           Key{"dma.channels"},
                           Key{"dma.bytes_per_cycle", Unit::bytes_per_cycle},
                           Key{"element_bytes.input", Unit::bytes},
                           Key{"element_bytes.weight", Unit::bytes},
                           Key{"element_bytes.output", Unit::bytes},
                           Key{"element_bytes.partial_sum", Unit::bytes},
                           Key{"core.array.in_channels"},
                           Key{"core.array.out_channels"},
                           Key{"core.fill_cycles"},
                           Key{"core.latency"},
                           Key{"core.architecture"}};

const Key& key_of(const explore::Knob& knob) {
    std::vector<std::string> names;
    for (const Key& key : kKeys) {
        if (knob.name == key.path) return key;
        names.emplace_back(key.path);
    }
    throw InputError(
        ErrorCode::unknown_key, knob.where,
        "unknown attribute '" + knob.name + "'" + did_you_mean(knob.name, names) + "; there are " + list_words(names));
}

// "512KiB" is 524288 where bytes are meant; words and plain numbers stay as they are.
std::string without_unit(const explore::Knob& knob, const Key& key) {
    const std::string& text = knob.values.front();
    const std::optional<timeloop::Amount> amount = timeloop::amount_in(text);
    if (!amount || key.unit == Unit::count) return text;
    if (amount->unit == Unit::count) return text;
    if (amount->unit != key.unit || amount->number != std::floor(amount->number))
        throw InputError(
            ErrorCode::bad_value, knob.where,
            fmt::format("'{}' takes {}, found '{}'", knob.name,
                        key.unit == Unit::bytes ? "whole bytes, as in 512KiB" : "whole bytes, as in 64B/cycle", text));
    return fmt::format("{:.0f}", amount->number);
}

// A scalar whose place is the setting's.
Node scalar_of(const std::string& text, const Location& where) {
    const Node node = yaml::parse({text, where.file, {{where.file, where.line}}, {}});
    if (!node.is_scalar())
        throw InputError(ErrorCode::bad_value, where, "expected a number or a word, found '" + text + "'");
    return node;
}

// {dma: {channels: value}} of "dma.channels".
Node nested(const std::string& path, const Node& value) {
    const std::size_t dot = path.rfind('.');
    const Node map = Node::map({{path.substr(dot == std::string::npos ? 0 : dot + 1), value, value}}, value);
    return dot == std::string::npos ? map : nested(path.substr(0, dot), map);
}

}  // namespace

Node with_core_settings(const Node& root, const std::vector<std::string>& settings) {
    Node changed = root;
    for (const std::string& text : settings) {
        const explore::Knob knob = explore::parse_knob(text, {"--set " + text});
        if (knob.values.size() != 1)
            throw InputError(ErrorCode::usage, knob.where, "expected one value, found several");
        const Key& key = key_of(knob);
        const Node value = scalar_of(without_unit(knob, key), knob.where);
        changed = Node::merged(changed, nested(std::string("multi_npu.") + key.path, value));
    }
    return changed;
}

}  // namespace tilewright::cli
