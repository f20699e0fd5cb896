#include "multicore/made.hpp"

namespace tilewright::multicore {
namespace {

bool do_meet(const Box& a, const Box& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (std::max(a[i].from, b[i].from) >= std::min(a[i].to, b[i].to)) return false;
    return true;
}

// Adds a less b as disjoint boxes.
void add_difference(Box a, const Box& b, std::vector<Box>& rest) {
    if (!do_meet(a, b)) {
        rest.push_back(std::move(a));
        return;
    }
    const Box both = common(a, b);
    for (std::size_t i = 0; i < a.size(); ++i) {
        Box piece = a;
        piece[i] = {a[i].from, both[i].from};
        if (piece[i].size() > 0) rest.push_back(piece);
        piece[i] = {both[i].to, a[i].to};
        if (piece[i].size() > 0) rest.push_back(piece);
        a[i] = both[i];
    }
}

// The box around what is needed and was not made before.
Box lack_of(const Box& need, const std::vector<Box>& before) {
    std::vector<Box> rest;
    if (!is_empty(need)) rest.push_back(need);
    for (const Box& one : before) {
        std::vector<Box> next;
        for (Box& piece : rest) add_difference(std::move(piece), one, next);
        rest = std::move(next);
        if (rest.empty()) break;
    }
    Box around(need.size());
    for (const Box& piece : rest) around = hull(around, piece);
    return around;
}

// Keeps the boxes disjoint; steps that follow one another along one axis are one box.
void add_merged(std::vector<Box>& boxes, const Box& box) {
    if (!boxes.empty()) {
        Box& last = boxes.back();
        int other = -1;
        int others = 0;
        for (std::size_t i = 0; i < box.size(); ++i)
            if (!(last[i] == box[i])) {
                other = static_cast<int>(i);
                ++others;
            }
        if (others == 1 && (last[other].to == box[other].from || box[other].to == last[other].from)) {
            last = hull(last, box);
            return;
        }
    }
    boxes.push_back(box);
}

Box need_of(const Problem& problem, const Made& made, int einsum, int step) {
    Box need(problem.worker(einsum).axes.size());
    for (int reader = einsum + 1; reader <= made.last; ++reader) {
        if (!problem.depends(reader, einsum) || is_empty(made.of(reader)[step])) continue;
        const Box points = problem.points_behind(reader, made.of(reader)[step]);
        for (const Reading& reading : problem.worker(reader).reads)
            if (problem.maker(reading.tensor) == einsum) need = hull(need, problem.touched(reader, reading, points));
    }
    return need;
}

}  // namespace

Made made_by(const Problem& problem, int first, int last, const Step& step) {
    const Box whole = problem.whole_result(last);
    Made made;
    made.last = last;
    made.steps = static_cast<int>((whole[step.axis].to + step.size - 1) / step.size);
    made.boxes.resize(last + 1);
    for (int e = last; e >= first; --e) {
        std::vector<Box> before;
        for (int i = 0; i < made.steps; ++i) {
            Box lack = whole;
            if (e == last)
                lack[step.axis] = {i * step.size, std::min((i + 1) * step.size, whole[step.axis].to)};
            else
                lack = lack_of(need_of(problem, made, e, i), before);
            if (!is_empty(lack)) {
                for (const Box& one : before)
                    if (do_meet(lack, one)) {
                        made.refused = e;
                        return made;
                    }
                add_merged(before, lack);
            }
            made.boxes[e].push_back(std::move(lack));
        }
    }
    return made;
}

}  // namespace tilewright::multicore
