// Size: an integer expression in a directive: 4, Sz(R), 8+Sz(S)-1, P_cluster_size.
//
// Kept symbolic: one dataflow applies to layers of many shapes. Values; thread-safe.
// Data dimensions of data-centric directives (MAESTRO, Fig. 4), and tables over them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilewright::dataflow {

/// Y and X are input rows and columns, out_y and out_x (written Y' and X') output ones. A matrix product [M x K] * [K x
/// N] uses M, N and K with meanings of its own.
enum class Axis : std::uint8_t { N, G, K, C, R, S, Y, X, out_y, out_x, M };
inline constexpr int kAxes = 11;

/// "N", "Y'", ...
std::string_view name_of(Axis axis);
std::optional<Axis> axis_named(std::string_view name);
/// All names, for messages.
std::vector<std::string> axis_names();

/// One value per axis.
template <typename Value>
class AxisTable {
   public:
    constexpr AxisTable() = default;
    constexpr explicit AxisTable(Value initial) { values_.fill(initial); }

    constexpr Value& operator[](Axis axis) { return values_[static_cast<std::size_t>(axis)]; }
    constexpr const Value& operator[](Axis axis) const { return values_[static_cast<std::size_t>(axis)]; }
    bool operator==(const AxisTable&) const = default;

   private:
    std::array<Value, kAxes> values_{};
};

constexpr std::array<Axis, kAxes> all_axes() {
    std::array<Axis, kAxes> axes{};
    for (int i = 0; i < kAxes; ++i) axes[i] = static_cast<Axis>(i);
    return axes;
}

/// The filter axis sliding over an image axis (Y over R, X over S, input or output), if any.
constexpr std::optional<Axis> window_of(Axis axis) {
    if (axis == Axis::Y || axis == Axis::out_y) return Axis::R;
    if (axis == Axis::X || axis == Axis::out_x) return Axis::S;
    return std::nullopt;
}

/// The same. Requires window_of(axis).
constexpr Axis filter_along(Axis axis) { return axis == Axis::Y || axis == Axis::out_y ? Axis::R : Axis::S; }

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
