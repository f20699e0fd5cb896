// Size: an integer expression in a directive: 4, Sz(R), 8+Sz(S)-1, P_cluster_size.
//
// Kept symbolic: one dataflow applies to layers of many shapes. Values; thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "maestro/dataflow/axis.hpp"

namespace tilewright::dataflow {

/// Values of the directives' free sizes ("P_cluster_size"), by name.
using Parameters = std::map<std::string, std::int64_t>;
/// Sizes of a layer's dimensions; 0: absent.
using Extents = AxisTable<std::int64_t>;

enum class Arithmetic : std::uint8_t { add, subtract, multiply, divide };  ///< division drops the remainder

/// An element in postfix form: a number, Sz(axis), a free parameter, or an operation on the previous two.
using SizeTerm = std::variant<std::int64_t, Axis, std::string, Arithmetic>;

struct Size {
    std::vector<SizeTerm> postfix{std::int64_t{1}};

    bool operator==(const Size&) const = default;

    static Size number(std::int64_t value) { return {{value}}; }
    static Size of(Axis axis) { return {{axis}}; }
    static Size parameter(std::string name) { return {{std::move(name)}}; }
    static Size combine(Size left, const Size& right, Arithmetic operation);
};

/// A value, or the reason for none.
struct SizeValue {
    std::int64_t value = 0;
    std::string problem;  ///< "the layer has no dimension G", "P_tile is left open", "9 / 0", "does not fit in 64 bits"
};

SizeValue value_of(const Size& size, const Extents& extents, const Parameters& parameters);

/// Free parameters in order of appearance, without repetition.
std::vector<std::string> parameters_of(const Size& size);

/// True for a number, Sz(axis) or a parameter alone.
bool is_plain(const Size& size);

/// "8+Sz(S)-1", with the fewest parentheses; readable back.
std::string to_text(const Size& size);

}  // namespace tilewright::dataflow
