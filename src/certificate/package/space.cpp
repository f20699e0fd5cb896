#include "certificate/package/space.hpp"

#include <algorithm>
#include <numeric>

namespace tilewright::certificate::package_proof {
namespace {

using package::Split;
using package::Stage;
using package::Sums;

std::vector<std::vector<Split>> splits_of(const Reading& reading, int einsum, int cores) {
    if (cores == 1) return {{}};
    std::vector<std::vector<Split>> all;
    const std::vector<Dimension>& dimensions = reading.einsum(einsum).einsum.dimensions;
    const auto count = static_cast<int>(dimensions.size());
    for (int a = 0; a < count; ++a) {
        if (cores <= dimensions[a].extent) all.push_back({{a, cores}});
        for (int b = 0; b < count; ++b)
            for (int parts = 2; parts < cores && a != b; ++parts)
                if (cores % parts == 0 && parts <= dimensions[a].extent && cores / parts <= dimensions[b].extent)
                    all.push_back({{a, parts}, {b, cores / parts}});
    }
    return all;
}

}  // namespace

std::vector<Step> steps_of(const Reading& reading, int last) {
    const Region whole = reading.whole_result(last);
    std::vector<Step> steps{{0, whole.front().high}};
    for (std::size_t axis = 0; axis < whole.size(); ++axis)
        for (std::int64_t size = whole[axis].high / 2; size >= 1; --size)
            if (whole[axis].high % size == 0) steps.push_back({static_cast<int>(axis), size});
    return steps;
}

std::vector<Stage> shapes_of(const Reading& reading, int einsum, int cores) {
    std::vector<Stage> shapes;
    for (const std::vector<Split>& split : splits_of(reading, einsum, cores)) {
        std::int64_t members = 1;
        for (const Split& one : split)
            if (reading.is_summed(einsum, one.dimension)) members *= one.parts;
        Stage shape;
        shape.split = split;
        shapes.push_back(shape);
        const auto axes = static_cast<int>(reading.axes(einsum).size());
        for (int axis = 0; axis < axes && members > 1; ++axis) {
            shape.sums = {Sums::Way::scatter, axis};
            shapes.push_back(shape);
            shape.sums = {Sums::Way::ring, axis};
            if (members > 2) shapes.push_back(shape);
        }
    }
    return shapes;
}

std::vector<std::uint32_t> streams_of(const Reading& reading, int einsum, int first) {
    std::uint32_t outside = 0;
    for (const Operand& operand : reading.operands(einsum))
        if (!reading.is_inside(operand.tensor, first, einsum - 1)) outside |= 1U << operand.operand;
    std::vector<std::uint32_t> sets{0};
    for (std::uint32_t set = outside; set != 0; set = (set - 1) & outside) sets.push_back(set);
    return sets;
}

std::vector<int> team_of(int from, int size) {
    std::vector<int> team(size);
    std::iota(team.begin(), team.end(), from);
    return team;
}

bool runs_on_all(const Reading& reading, int einsum, const std::vector<int>& team) {
    return std::ranges::all_of(team,
                               [&](int core) { return reading.runs_on(einsum, reading.package().cores[core].kind); });
}

}  // namespace tilewright::certificate::package_proof
