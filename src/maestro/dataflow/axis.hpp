// Data dimensions of data-centric directives (MAESTRO, Fig. 4), and tables over them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

}  // namespace tilewright::dataflow
