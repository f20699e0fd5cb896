#include "multicore/search/space.hpp"

#include <numeric>

#include "base/numbers/factors.hpp"

namespace tilewright::multicore {
namespace {

constexpr std::size_t kMostSplits = 2;

void add_splits(const Problem& problem, int einsum, std::int64_t left, std::vector<package::Split>& now,
                std::vector<std::vector<package::Split>>& all) {
    if (left == 1) {
        all.push_back(now);
        return;
    }
    if (now.size() == kMostSplits) return;
    const int dimensions = static_cast<int>(problem.worker(einsum).axis_of.size());
    for (int d = 0; d < dimensions; ++d) {
        if (!now.empty() && now.front().dimension == d) continue;
        for (const std::int64_t parts : divisors(left)) {
            if (parts == 1 || parts > problem.extent(einsum, d)) continue;
            if (now.size() + 1 == kMostSplits && parts != left) continue;
            now.push_back({d, parts});
            add_splits(problem, einsum, left / parts, now, all);
            now.pop_back();
        }
    }
}

}  // namespace

std::vector<Step> steps_of(const Problem& problem, int last) {
    const Box whole = problem.whole_result(last);
    std::vector<Step> steps{{0, whole.front().to}};
    for (std::size_t axis = 0; axis < whole.size(); ++axis)
        for (const std::int64_t size : divisors(whole[axis].to))
            if (size < whole[axis].to) steps.push_back({static_cast<int>(axis), size});
    return steps;
}

std::vector<Shape> shapes_of(const Problem& problem, int einsum, std::int64_t cores) {
    std::vector<std::vector<package::Split>> splits;
    std::vector<package::Split> now;
    add_splits(problem, einsum, cores, now, splits);
    const Worker& worker = problem.worker(einsum);
    std::vector<Shape> shapes;
    for (const std::vector<package::Split>& split : splits) {
        Shape shape{split, {}, 1};
        for (const package::Split& one : split)
            if (worker.axis_of[one.dimension] < 0) shape.members *= one.parts;
        shapes.push_back(shape);
        if (shape.members == 1) continue;
        for (const package::Sums::Way way : {package::Sums::Way::scatter, package::Sums::Way::ring}) {
            if (way == package::Sums::Way::ring && shape.members == 2) continue;
            for (std::size_t axis = 0; axis < worker.axes.size(); ++axis) {
                shape.sums = {way, static_cast<int>(axis)};
                shapes.push_back(shape);
            }
        }
    }
    return shapes;
}

std::vector<std::uint32_t> streams_of(const Problem& problem, int einsum, int first) {
    std::vector<std::uint32_t> sets{0};
    for (const Reading& reading : problem.worker(einsum).reads) {
        const int maker = problem.maker(reading.tensor);
        if (maker >= first && maker < einsum) continue;
        const std::size_t count = sets.size();
        for (std::size_t i = 0; i < count; ++i) sets.push_back(sets[i] | 1U << reading.operand);
    }
    return sets;
}

std::vector<int> cores_of(const Team& team) {
    std::vector<int> cores(team.size);
    std::iota(cores.begin(), cores.end(), team.from);
    return cores;
}

bool may_run(const Problem& problem, int einsum, const Team& team) {
    for (int core = team.from; core < team.from + team.size; ++core)
        if (!problem.may_run(einsum, problem.package().cores[core].kind)) return false;
    return true;
}

}  // namespace tilewright::multicore
