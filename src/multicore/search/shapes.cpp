#include "multicore/search/shapes.hpp"

#include <algorithm>
#include <set>

namespace tilewright::multicore {
namespace {

// Parts of a box: extents alone, with how many cores have them.
std::map<Extents, std::int64_t> parts_of(const Box& points, const std::vector<package::Split>& split) {
    std::map<Extents, std::int64_t> parts;
    Extents whole;
    for (const Span& span : points) whole.push_back(span.size());
    parts[whole] = 1;
    for (const package::Split& one : split) {
        std::map<Extents, std::int64_t> next;
        for (const auto& [extents, count] : parts) {
            const std::int64_t large = extents[one.dimension] % one.parts;
            Extents part = extents;
            part[one.dimension] = extents[one.dimension] / one.parts;
            if (one.parts > large) next[part] += count * (one.parts - large);
            ++part[one.dimension];
            if (large > 0) next[part] += count * large;
        }
        parts = std::move(next);
    }
    return parts;
}

template <typename Use>
void each_part(const Box& points, const std::vector<package::Split>& split, std::size_t next, const Use& use) {
    if (next == split.size()) {
        use(points);
        return;
    }
    Box part = points;
    for (std::int64_t j = 0; j < split[next].parts; ++j) {
        part[split[next].dimension] = part_of(points[split[next].dimension], j, split[next].parts);
        each_part(part, split, next + 1, use);
    }
}

class ShapeFloor {
   public:
    ShapeFloor(const Evaluator& evaluator, const RunFrame& frame, int einsum)
        : evaluator_(evaluator),
          problem_(evaluator.problem()),
          frame_(frame),
          einsum_(einsum),
          dram_(dram_prices(evaluator, einsum)) {
        find_prices();
        for (const Box& box : frame.made->of(einsum)) {
            if (is_empty(box)) continue;
            ++steps_.try_emplace(extents_of(box), box, 0).first->second.second;
            words_ += words_of(box);
            if (largest_.empty() || words_of(box) > words_of(largest_)) largest_ = box;
            all_ = all_.empty() ? box : hull(all_, box);
        }
    }

    std::vector<int> sorts() const {
        std::vector<int> sorts;
        for (const Box& box : frame_.made->of(einsum_))
            sorts.push_back(
                is_empty(box) ? -1 : static_cast<int>(std::distance(steps_.begin(), steps_.find(extents_of(box)))));
        return sorts;
    }

    bool fits(const Shape& shape) const {
        for (const auto& [key, step] : steps_) {
            const Box points = problem_.points_behind(einsum_, step.first);
            for (const package::Split& split : shape.split)
                if (points[split.dimension].size() < split.parts) return false;
        }
        return true;
    }

    void find(FlooredShape& of, const Distances& distances) const {
        const Shape& shape = of.shape;
        Floor& floor = of.floor;
        for (const auto& [key, step] : steps_) of.steps.push_back(add_leaves(step.first, step.second, shape, floor));
        const auto results = static_cast<double>(problem_.worker(einsum_).results.size());
        floor.energy_pj += static_cast<double>(words_) * results * static_cast<double>(shape.members - 1) *
                           (2.0 * read_pj_ + write_pj_ + operation_pj_);
        double dram_words = 0.0;
        for (const int tensor : problem_.worker(einsum_).results)
            if (problem_.is_wanted(tensor, frame_.last)) dram_words += static_cast<double>(words_);
        floor.energy_pj += dram_words * (read_pj_ + dram_.write_pj);
        of.out.words = of.out.copies = dram_words;
        if (dram_words > 0.0) of.out.every = results * least_results(shape);
        add_arrivals(of, dram_words);
        floor.dram_cycles = dram_words / dram_.rate;
        of.ways_pj = of.ways_on(distances, evaluator_.sending().arrive_pj);
        floor.energy_pj += of.ways_pj;
    }

   private:
    // That each core makes in all steps, where sums are not split: then one has them all.
    double least_results(const Shape& shape) const {
        if (shape.members > 1) return 0.0;
        double words = 0.0;
        for (const auto& [key, step] : steps_) {
            Box least = problem_.points_behind(einsum_, step.first);
            for (const package::Split& split : shape.split)
                least[split.dimension].to = least[split.dimension].from + least[split.dimension].size() / split.parts;
            words += static_cast<double>(words_of(problem_.result_of(einsum_, least)) * step.second);
        }
        return words;
    }

    void find_prices() {
        for (std::size_t k = 0; k < problem_.package().kinds.size(); ++k) {
            const package::CoreKind& kind = problem_.package().kinds[k];
            read_pj_ = std::min(read_pj_, kind.read_pj);
            if (!problem_.may_run(einsum_, static_cast<int>(k))) continue;
            kinds_.push_back(static_cast<int>(k));
            write_pj_ = std::min(write_pj_, kind.write_pj);
            operation_pj_ = std::min(operation_pj_, kind.operation_pj);
        }
    }

    static Extents extents_of(const Box& box) {
        Extents extents;
        for (const Span& span : box) extents.push_back(span.size());
        return extents;
    }

    StepFloor add_leaves(const Box& made, std::int64_t times, const Shape& shape, Floor& floor) const {
        StepFloor step;
        for (const auto& [extents, count] : parts_of(problem_.points_behind(einsum_, made), shape.split)) {
            LeafCost least = evaluator_.leaves().floor(einsum_, kinds_.front(), extents);
            for (std::size_t k = 1; k < kinds_.size(); ++k) {
                const LeafCost other = evaluator_.leaves().floor(einsum_, kinds_[k], extents);
                least.energy_pj = std::min(least.energy_pj, other.energy_pj);
                least.cycles = std::min(least.cycles, other.cycles);
            }
            floor.energy_pj += least.energy_pj * static_cast<double>(count * times);
            step.busy += static_cast<double>(least.cycles * count);
            step.slowest = std::max(step.slowest, static_cast<double>(least.cycles));
        }
        floor.busy += step.busy * static_cast<double>(times);
        floor.cycles += step.slowest * static_cast<double>(times);
        return step;
    }

    // Words of operands: once from DRAM, and to each core that needs them in the largest step; of what the run makes,
    // on the same cores to all but one.
    void add_arrivals(FlooredShape& of, double& dram_words) const {
        if (largest_.empty()) return;
        const Box points = problem_.points_behind(einsum_, largest_);
        const LeastSending& sending = evaluator_.sending();
        std::set<int> seen;
        for (const Reading& reading : problem_.worker(einsum_).reads) {
            if (!seen.insert(reading.tensor).second) continue;
            const bool inside = frame_.is_inside(problem_.maker(reading.tensor));
            if (inside ? !frame_.disjoint && !is_first(reading.tensor) : !is_private(reading.tensor)) continue;
            Spread spread{0.0, kNever, 0.0};
            each_part(points, of.shape.split, 0, [&](const Box& part) {
                const auto words = static_cast<double>(words_of(problem_.touched(einsum_, reading, part)));
                spread.copies += words;
                spread.words = std::max(spread.words, words);
                spread.every = std::min(spread.every, words);
            });
            const Access& access = problem_.cascade().einsums[einsum_].accesses[reading.operand];
            const bool has_all = access.anywhere || is_gapless(access, points);
            const auto around = static_cast<double>(words_of(problem_.touched(einsum_, reading, points)));
            if (has_all) spread.words = around;
            if (inside) {
                const double copies =
                    frame_.disjoint ? std::max(spread.words, spread.copies) : std::max(0.0, spread.copies - around);
                of.floor.energy_pj += copies * (write_pj_ + sending.arrive_pj);
                continue;
            }
            of.floor.energy_pj += std::max(spread.words, spread.copies) * write_pj_;
            const double words = std::max(spread.words, touched_in_all(reading, access, points));
            dram_words += words;
            of.floor.energy_pj += words * dram_.read_pj;
            of.in.push_back(spread);
            of.in.push_back({words - spread.words, 0.0, words - spread.words});  // of other steps
        }
    }

    // No stage of the run before reads it.
    bool is_first(int tensor) const {
        return std::ranges::none_of(problem_.readers(tensor),
                                    [&](int reader) { return reader >= frame_.first && reader < einsum_; });
    }

    // By all steps together, where they leave no gaps.
    double touched_in_all(const Reading& reading, const Access& access, const Box& points) const {
        if (steps_.size() == 1 && steps_.begin()->second.second == 1) return 0.0;
        const Box whole = problem_.points_behind(einsum_, all_);
        if (words_of(all_) != words_ || access.anywhere || !is_gapless(access, whole) || !is_gapless(access, points))
            return 0.0;
        return static_cast<double>(words_of(problem_.touched(einsum_, reading, whole)));
    }

    bool is_private(int tensor) const {
        return std::ranges::all_of(problem_.readers(tensor), [&](int reader) {
            return reader == einsum_ || reader < frame_.first || reader > frame_.last;
        });
    }

    const Evaluator& evaluator_;
    const Problem& problem_;
    const RunFrame& frame_;
    int einsum_;
    DramPrices dram_;
    std::vector<int> kinds_;
    std::map<Extents, std::pair<Box, std::int64_t>> steps_;
    Box largest_;
    Box all_;  // around what is made in all steps
    std::int64_t words_ = 0;
    double read_pj_ = kNever;
    double write_pj_ = kNever;
    double operation_pj_ = kNever;
};

}  // namespace

Distances distances_of(const Evaluator& evaluator, const Team& team) {
    const package::Network& network = evaluator.network();
    Distances all;
    for (const int core : cores_of(team)) {
        double in_pj = kNever;
        double out_pj = kNever;
        for (int d = 0; d < evaluator.problem().package().dram_count(); ++d) {
            const int node = network.dram_node(d);
            in_pj = std::min(in_pj, network.tree(node, package::NodeSet{1} << core).energy_pj);
            out_pj = std::min(out_pj, network.tree(core, package::NodeSet{1} << node).energy_pj);
        }
        all.in_pj.push_back(in_pj);
        all.out_pj.push_back(out_pj);
    }
    std::ranges::sort(all.in_pj);
    std::ranges::sort(all.out_pj);
    return all;
}

// A word that goes to one core alone has its whole way; one that goes to several the longest, or a link for each.
double Spread::least_pj(const std::vector<double>& distances_pj, double reach_pj) const {
    const double near = distances_pj.front();
    double beyond = every * (distances_pj.back() - near);
    if (copies <= words) {
        beyond = 0.0;
        for (const double distance : distances_pj) beyond += every * (distance - near);
    }
    return words * near + std::max(beyond, (copies - words) * reach_pj);
}

double FlooredShape::ways_on(const Distances& distances, double reach_pj) const {
    double pj = out.least_pj(distances.out_pj, reach_pj);
    for (const Spread& spread : in) pj += spread.least_pj(distances.in_pj, reach_pj);
    return pj;
}

double FlooredShape::energy_on(const Distances& distances, double reach_pj) const {
    return floor.energy_pj + (ways_on(distances, reach_pj) - ways_pj) * (1.0 - kRounding);
}

DramPrices dram_prices(const Evaluator& evaluator, int einsum) {
    const Problem& problem = evaluator.problem();
    const package::Network& network = evaluator.network();
    DramPrices prices;
    for (int d = 0; d < problem.package().dram_count(); ++d) {
        const package::Dram& dram = problem.package().drams[d];
        prices.read_pj = std::min(prices.read_pj, dram.read_pj);
        prices.write_pj = std::min(prices.write_pj, dram.write_pj);
        prices.rate += dram.words_per_cycle;
        for (int core = 0; core < problem.package().core_count(); ++core) {
            if (einsum >= 0 && !problem.may_run(einsum, problem.package().cores[core].kind)) continue;
            const int node = network.dram_node(d);
            prices.way_out_pj = std::min(prices.way_out_pj, network.tree(core, package::NodeSet{1} << node).energy_pj);
            prices.way_in_pj = std::min(prices.way_in_pj, network.tree(node, package::NodeSet{1} << core).energy_pj);
        }
    }
    return prices;
}

bool is_gapless(const Access& access, const Box& points) {
    std::set<int> seen;
    for (const Coordinate& at : access.coordinates) {
        for (const Term& term : at.terms)
            if (points[term.dimension].size() > 1 && !seen.insert(term.dimension).second) return false;
        std::vector<std::pair<std::int64_t, std::int64_t>> terms;
        for (const Term& term : at.terms) terms.emplace_back(std::abs(term.coefficient), points[term.dimension].size());
        std::ranges::sort(terms);
        std::int64_t reach = 1;
        for (const auto& [coefficient, extent] : terms) {
            if (extent > 1 && coefficient > reach) return false;
            reach += coefficient * (extent - 1);
        }
    }
    return true;
}

Floor Floor::never() { return {kNever, kNever, kNever, kNever}; }

void Floor::lower(const Floor& other) {
    energy_pj = std::min(energy_pj, other.energy_pj);
    cycles = std::min(cycles, other.cycles);
    busy = std::min(busy, other.busy);
    dram_cycles = std::min(dram_cycles, other.dram_cycles);
}

Shapes::Shapes(const Evaluator& evaluator, const RunFrame& frame, int einsum) {
    const int cores = evaluator.problem().package().core_count();
    by_size_.resize(cores + 1);
    least_.assign(cores + 1, Floor::never());
    const ShapeFloor floors(evaluator, frame, einsum);
    sorts_ = floors.sorts();
    least_steps_.resize(cores + 1);
    for (int size = 1; size <= cores; ++size) {
        Distances nearest = distances_of(evaluator, {0, size});
        for (int from = 1; from + size <= cores; ++from) {
            const Distances other = distances_of(evaluator, {from, size});
            for (int i = 0; i < size; ++i) {
                nearest.in_pj[i] = std::min(nearest.in_pj[i], other.in_pj[i]);
                nearest.out_pj[i] = std::min(nearest.out_pj[i], other.out_pj[i]);
            }
        }
        std::vector<FlooredShape>& all = by_size_[size];
        for (Shape& shape : shapes_of(evaluator.problem(), einsum, size)) {
            // Ways of sums differ in links alone.
            if (shape.sums.axis >= 0) {
                if (!all.empty() && all.back().shape.split == shape.split) {
                    FlooredShape same = all.back();
                    same.shape = std::move(shape);
                    all.push_back(std::move(same));
                }
                continue;
            }
            if (!floors.fits(shape)) continue;
            FlooredShape one{std::move(shape), {}};
            floors.find(one, nearest);
            least_[size].lower(one.floor);
            std::vector<StepFloor>& steps = least_steps_[size];
            steps.resize(one.steps.size(), {kNever, kNever});
            for (std::size_t s = 0; s < steps.size(); ++s) {
                steps[s].slowest = std::min(steps[s].slowest, one.steps[s].slowest);
                steps[s].busy = std::min(steps[s].busy, one.steps[s].busy);
            }
            all.push_back(std::move(one));
        }
    }
}

std::shared_ptr<const Shapes> KnownShapes::of(const RunFrame& frame, int einsum) {
    const Problem& problem = evaluator_.problem();
    std::uint64_t inside = 0;
    std::uint64_t shared = 0;
    const std::vector<Reading>& reads = problem.worker(einsum).reads;
    for (std::size_t r = 0; r < reads.size(); ++r) {
        if (frame.is_inside(problem.maker(reads[r].tensor))) inside |= std::uint64_t{1} << r;
        for (const int reader : problem.readers(reads[r].tensor))
            if (reader != einsum && frame.is_inside(reader)) shared |= std::uint64_t{1} << r;
    }
    bool is_wanted = false;
    for (const int tensor : problem.worker(einsum).results)
        is_wanted = is_wanted || problem.is_wanted(tensor, frame.last);
    std::vector<std::int64_t> boxes;
    for (const Box& box : frame.made->of(einsum))
        for (const Span& span : box) {
            boxes.push_back(span.from);
            boxes.push_back(span.to);
        }
    std::shared_ptr<const Shapes>& known =
        known_[{einsum, frame.disjoint && inside != 0, is_wanted, inside, shared, std::move(boxes)}];
    if (!known) known = std::make_shared<Shapes>(evaluator_, frame, einsum);
    return known;
}

}  // namespace tilewright::multicore
