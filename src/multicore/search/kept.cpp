#include "multicore/search/kept.hpp"

#include <algorithm>
#include <bit>

#include "multicore/cells.hpp"

namespace tilewright::multicore {
namespace {

// The operand by which the einsum reads the tensor; null: none, or several.
const Reading* only_reading(const Problem& problem, int einsum, int tensor) {
    const Reading* only = nullptr;
    for (const Reading& reading : problem.worker(einsum).reads) {
        if (reading.tensor != tensor) continue;
        if (only != nullptr || problem.cascade().einsums[einsum].accesses[reading.operand].anywhere) return nullptr;
        only = &reading;
    }
    return only;
}

// Of the tensor in each step of a stage that makes or reads it.
std::vector<Box> boxes_by_step(const Problem& problem, const Way& way, int stage, int tensor) {
    const int einsum = way.frame.first + stage;
    const Reading* reading = only_reading(problem, einsum, tensor);
    std::vector<Box> boxes;
    for (const Box& made : way.frame.made->of(einsum)) {
        if (is_empty(made))
            boxes.emplace_back();
        else
            boxes.push_back(reading != nullptr ? problem.touched(einsum, *reading, problem.points_behind(einsum, made))
                                               : made);
    }
    return boxes;
}

bool is_none(const Box& box) { return box.empty() || is_empty(box); }

bool are_disjoint(const std::vector<Box>& boxes) {
    for (std::size_t i = 0; i < boxes.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (!is_none(boxes[i]) && !is_none(boxes[j]) && !is_empty(common(boxes[i], boxes[j]))) return false;
    return true;
}

// Parts of a step's box by core of the team, the first split slowest (rule 4).
Box points_of(Box points, const package::Stage& stage, int core) {
    auto span = static_cast<std::int64_t>(stage.team.size());
    for (const package::Split& split : stage.split) {
        span /= split.parts;
        points[split.dimension] = part_of(points[split.dimension], core / span % split.parts, split.parts);
    }
    return points;
}

bool is_read_along(const Access& access, int dimension) {
    return std::ranges::any_of(access.coordinates, [&](const Coordinate& at) {
        return std::ranges::any_of(at.terms, [&](const Term& term) { return term.dimension == dimension; });
    });
}

// By stage from the first on: needs on the longest way from it, or to the last one; -1: none.
std::vector<int> needs_from_first(const Problem& problem, const Way& way, const KeptSpan& span) {
    const int base = way.frame.first + span.first;
    std::vector<int> needs(span.last - span.first + 1, -1);
    needs.front() = 0;
    for (int e = 1; e < static_cast<int>(needs.size()); ++e)
        for (int p = 0; p < e; ++p)
            if (needs[p] >= 0 && problem.depends(base + e, base + p)) needs[e] = std::max(needs[e], needs[p] + 1);
    return needs;
}

std::vector<int> needs_to_last(const Problem& problem, const Way& way, const KeptSpan& span) {
    const int base = way.frame.first + span.first;
    std::vector<int> needs(span.last - span.first + 1, -1);
    needs.back() = 0;
    for (int e = static_cast<int>(needs.size()) - 2; e >= 0; --e)
        for (int n = e + 1; n < static_cast<int>(needs.size()); ++n)
            if (needs[n] >= 0 && problem.depends(base + n, base + e)) needs[e] = std::max(needs[e], needs[n] + 1);
    return needs;
}

// By step of the last stage: steps of the first one with words of it.
std::vector<std::vector<int>> meetings(const std::vector<Box>& first, const std::vector<Box>& last) {
    std::vector<std::vector<int>> all;
    for (const Box& to : last) {
        std::vector<int>& met = all.emplace_back();
        for (std::size_t from = 0; from < first.size() && !is_none(to); ++from)
            if (!is_none(first[from]) && !is_empty(common(first[from], to))) met.push_back(static_cast<int>(from));
    }
    return all;
}

bool is_span(const Problem& problem, const Way& way, const KeptSpan& span) {
    const int first = way.frame.first + span.first;
    const int last = way.frame.first + span.last;
    if (needs_from_first(problem, way, span).back() < 0 || only_reading(problem, last, span.tensor) == nullptr)
        return false;
    if (!span.is_made && only_reading(problem, first, span.tensor) == nullptr) return false;
    return are_disjoint(boxes_by_step(problem, way, span.last, span.tensor)) &&
           (span.is_made || are_disjoint(boxes_by_step(problem, way, span.first, span.tensor)));
}

}  // namespace

std::vector<KeptSpan> kept_spans(const Problem& problem, const Way& way) {
    std::vector<KeptSpan> spans;
    if (way.size == 0) return spans;
    std::vector<KeptSpan> all;
    for (std::size_t t = 0; t < problem.cascade().tensors.size(); ++t) {
        const int tensor = static_cast<int>(t);
        std::vector<int> stages;
        for (const int reader : problem.readers(tensor))
            if (way.frame.is_inside(reader)) stages.push_back(reader - way.frame.first);
        if (stages.empty()) continue;
        const bool is_made = way.frame.is_inside(problem.maker(tensor));
        const int maker = problem.maker(tensor) - way.frame.first;
        if (is_made && stages.back() > maker + 1) all.push_back({tensor, maker, stages.back(), true});
        if (!is_made && stages.size() == 2) all.push_back({tensor, stages.front(), stages.back(), false});
    }
    std::ranges::stable_sort(all, {}, &KeptSpan::last);
    for (const KeptSpan& one : all)
        if ((spans.empty() || spans.back().last <= one.first) && is_span(problem, way, one)) spans.push_back(one);
    return spans;
}

// What is streamed comes in the slot of its step, else in the one before: that of the last stage is later, where it is
// two slots behind, or its step is.
bool comes_apart(const Problem& problem, const Way& way, int tensor, int first, int last) {
    const KeptSpan span{tensor, first, last, false};
    if (!is_span(problem, way, span)) return false;
    const int behind = needs_from_first(problem, way, span).back();
    const auto meets = meetings(boxes_by_step(problem, way, first, tensor), boxes_by_step(problem, way, last, tensor));
    for (int to = 0; to < static_cast<int>(meets.size()); ++to)
        for (const int from : meets[to])
            if (from >= to - 1 + behind) return false;
    return true;
}

Kept::Kept(const Evaluator& evaluator, const Way& way, const KeptSpan& span)
    : evaluator_(evaluator),
      way_(way),
      span_(span),
      steps_(way.frame.made->steps),
      cores_(evaluator.problem().package().core_count()) {
    const Problem& problem = evaluator.problem();
    to_ = needs_from_first(problem, way, span);
    until_ = needs_to_last(problem, way, span);
    const std::vector<Box> froms = boxes_by_step(problem, way, span.first, span.tensor);
    meets_ = meetings(froms, boxes_by_step(problem, way, span.last, span.tensor));
    if (!span.is_made) return;
    Pattern& made = firsts_.emplace_back();
    for (const Box& box : froms) made.boxes.push_back({box});
}

int Kept::pattern(int stage, const package::Stage& of, std::vector<Pattern>& all) const {
    if (span_.is_made && stage == span_.first) return 0;
    const Problem& problem = evaluator_.problem();
    const int einsum = way_.frame.first + stage;
    const Reading& reading = *only_reading(problem, einsum, span_.tensor);
    const Access& access = problem.cascade().einsums[einsum].accesses[reading.operand];
    Pattern one;
    one.is_streamed = (of.streamed >> reading.operand & 1U) != 0;
    one.key.push_back(one.is_streamed ? 1 : 0);
    auto span = static_cast<std::int64_t>(of.team.size());
    for (const package::Split& split : of.split) {
        span /= split.parts;
        if (split.parts > 1 && is_read_along(access, split.dimension))
            one.key.insert(one.key.end(), {split.dimension, split.parts, span});
    }
    const auto known = std::ranges::find(all, one.key, &Pattern::key);
    if (known != all.end()) return static_cast<int>(known - all.begin());
    for (const Box& made : way_.frame.made->of(einsum)) {
        std::vector<Box>& boxes = one.boxes.emplace_back();
        if (is_empty(made)) continue;
        const Box points = problem.points_behind(einsum, made);
        for (int core = 0; core < static_cast<int>(of.team.size()); ++core)
            boxes.push_back(problem.touched(einsum, reading, points_of(points, of, core)));
    }
    all.push_back(std::move(one));
    return static_cast<int>(all.size()) - 1;
}

// Of words of one step of each.
void Kept::add_cells(const Pattern& first, const Pattern& last, int from, int to, std::vector<Cell>& all) const {
    Cells cells(evaluator_.problem().cascade().tensors[span_.tensor].shape, 1);
    const std::vector<Box>& before = first.boxes[from];
    const std::vector<Box>& after = last.boxes[to];
    for (const Box& box : before) cells.add(box);
    for (const Box& box : after) cells.add(box);
    cells.visit([&](std::int64_t words, std::span<const std::int64_t>, std::span<const std::uint64_t> covering) {
        Cell cell{from, to, 0, 0, words};
        for (std::size_t i = 0; i < before.size(); ++i) cell.at_first |= (covering[i / 64] >> (i % 64) & 1U) << i;
        for (std::size_t i = 0; i < after.size(); ++i) {
            const std::size_t place = before.size() + i;
            cell.at_last |= (covering[place / 64] >> (place % 64) & 1U) << i;
        }
        if (cell.at_first != 0 && cell.at_last != 0) all.push_back(cell);
    });
}

const std::vector<Kept::Cell>& Kept::cells(int first, int last) {
    if (known_ == std::pair(first, last)) return cells_;
    known_ = {first, last};
    cells_.clear();
    for (int to = 0; to < steps_; ++to)
        for (const int from : meets_[to]) add_cells(firsts_[first], lasts_[last], from, to, cells_);
    return cells_;
}

// A word from the DRAM from which that is least.
double Kept::once_pj(package::NodeSet to) const {
    const package::Package& package = evaluator_.problem().package();
    const package::Network& network = evaluator_.network();
    const int home = package.home_of(evaluator_.problem().cascade().tensors[span_.tensor].name);
    double least_pj = kNever;
    for (int d = 0; d < package.dram_count(); ++d)
        if (home < 0 || home == d)
            least_pj = std::min(least_pj, package.drams[d].read_pj + network.tree(network.dram_node(d), to).energy_pj);
    for (; to != 0; to &= to - 1) least_pj += package.kind_of(std::countr_zero(to)).write_pj;
    return least_pj;
}

double Kept::energy_pj(int first, int last) {
    if (span_.is_made) return 0.0;
    const auto [known, is_new] = energies_.try_emplace({first, last}, 0.0);
    if (!is_new) return known->second;
    const int first_kept = firsts_[first].is_streamed ? 0 : 1;
    const int last_kept = lasts_[last].is_streamed ? 0 : 1;
    double sum_pj = 0.0;
    for (const Cell& cell : cells(first, last)) {
        double word_pj = once_pj(cell.at_first);
        const package::NodeSet again = first_kept + last_kept == 2 ? cell.at_last & ~cell.at_first : cell.at_last;
        const bool is_later = cell.from - first_kept < cell.to - last_kept + to_.back();  // else maybe in one slot
        if (again != 0 && is_later) word_pj += once_pj(again);
        sum_pj += word_pj * static_cast<double>(cell.words);
    }
    known->second = sum_pj * (1.0 - kRounding);
    return known->second;
}

std::vector<std::vector<std::int32_t>> Kept::room(int first, int last) {
    const int stages = span_.last - span_.first + 1;
    std::vector<std::vector<std::int32_t>> all(stages, std::vector<std::int32_t>(steps_ * cores_, 0));
    const auto hold = [&](int stage, int begin, int end, package::NodeSet cores, std::int64_t words) {
        for (int step = std::max(0, begin); step <= std::min(end, steps_ - 1); ++step)
            for (package::NodeSet rest = cores; rest != 0; rest &= rest - 1)
                all[stage][step * cores_ + std::countr_zero(rest)] += static_cast<std::int32_t>(words);
    };
    const Problem& problem = evaluator_.problem();
    const bool is_first_streamed = firsts_[first].is_streamed;
    const bool is_last_streamed = lasts_[last].is_streamed;
    for (const Cell& cell : cells(first, last)) {
        const bool is_made = span_.is_made;
        const package::NodeSet before = is_first_streamed || is_made ? 0 : cell.at_first;
        const package::NodeSet after = is_last_streamed ? 0 : cell.at_last;
        const package::NodeSet both = is_made ? after : before & after;
        for (int e = 0; e < stages; ++e) {
            if (to_[e] < 0 || until_[e] < 0) continue;
            const bool reads = problem.reads(way_.frame.first + span_.first + e, span_.tensor);
            const int begin = cell.from - (is_made ? 0 : 1) - to_[e];
            const int end = cell.to + until_[e];
            if (is_made && e + 1 == stages)
                hold(e, begin, cell.from - 2, both, cell.words);  // the others are in its own account
            else if (!is_made || (!reads && e > 0))
                hold(e, begin, end, both, cell.words);
        }
        hold(0, cell.from - 1, cell.from, before & ~both, cell.words);
        hold(stages - 1, cell.to - 1, cell.to, after & ~both, cell.words);
    }
    return all;
}

}  // namespace tilewright::multicore
