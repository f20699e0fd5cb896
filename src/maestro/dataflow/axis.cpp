#include "maestro/dataflow/axis.hpp"

namespace tilewright::dataflow {
namespace {

constexpr std::array<std::string_view, kAxes> kNames{"N", "G", "K", "C", "R", "S", "Y", "X", "Y'", "X'", "M"};

}  // namespace

std::string_view name_of(Axis axis) { return kNames[static_cast<std::size_t>(axis)]; }

std::optional<Axis> axis_named(std::string_view name) {
    for (const Axis axis : all_axes())
        if (name_of(axis) == name) return axis;
    return std::nullopt;
}

std::vector<std::string> axis_names() { return {kNames.begin(), kNames.end()}; }

}  // namespace tilewright::dataflow
