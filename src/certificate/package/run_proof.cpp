#include "certificate/package/run_proof.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include "base/numbers/checked.hpp"
#include "certificate/package/reading.hpp"

namespace tilewright::certificate::package_proof {
namespace {

// The space of plans (docs/packages-of-cores.md, The search) as the judge lists it.

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

// Whole, or along an axis of the last result by a divisor.
std::vector<Step> steps_of(const Reading& reading, int last) {
    const Region whole = reading.whole_result(last);
    std::vector<Step> steps{{0, whole.front().high}};
    for (std::size_t axis = 0; axis < whole.size(); ++axis)
        for (std::int64_t size = whole[axis].high / 2; size >= 1; --size)
            if (whole[axis].high % size == 0) steps.push_back({static_cast<int>(axis), size});
    return steps;
}

// Splits over so many cores, and where sums come together; without teams and streams.
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

// Sets of operands that do not come from einsums `first` and behind, by bit.
std::vector<std::uint32_t> streams_of(const Reading& reading, int einsum, int first) {
    std::uint32_t outside = 0;
    for (const Operand& operand : reading.operands(einsum))
        if (!reading.is_inside(operand.tensor, first, einsum - 1)) outside |= 1U << operand.operand;
    std::vector<std::uint32_t> sets{0};
    for (std::uint32_t set = outside; set != 0; set = (set - 1) & outside) sets.push_back(set);
    return sets;
}

// Cores from .. from + size - 1.
std::vector<int> team_of(int from, int size) {
    std::vector<int> team(size);
    std::iota(team.begin(), team.end(), from);
    return team;
}

bool runs_on_all(const Reading& reading, int einsum, const std::vector<int>& team) {
    return std::ranges::all_of(team,
                               [&](int core) { return reading.runs_on(einsum, reading.package().cores[core].kind); });
}

}  // namespace

RunProof::RunProof(const Reading& reading, const Wires& wires, Leaves& leaves, bool is_energy,
                   std::int64_t most_accounts, std::function<bool()> stop)
    : reading_(reading),
      wires_(wires),
      leaves_(leaves),
      accountant_(reading, wires, leaves),
      floors_(reading, wires, leaves),
      is_energy_(is_energy),
      most_accounts_(most_accounts),
      stop_(std::move(stop)) {
    const int cores = reading.package().core_count();
    double hop_pj = kInfinite;
    double read_pj = kInfinite;
    for (int from = 0; from < cores; ++from)
        for (int to = 0; to < cores; ++to)
            if (from != to) hop_pj = std::min(hop_pj, wires.to_node(from, to).energy_pj);
    for (int core = 0; core < cores; ++core) read_pj = std::min(read_pj, reading.package().kind_of(core).read_pj);
    if (cores > 1) hop_pj_ = hop_pj + read_pj;
}

double RunProof::floor(int first, int last) const {
    const RunFloor floor = floors_.of(first, last);
    return is_energy_ ? floor.energy_pj : floor.cycles;
}

double RunProof::least(int first, int last, double wanted) {
    const double by_counts = floor(first, last);
    has_given_up_ = false;
    if (by_counts >= wanted) return by_counts;
    left_to_list_ = left_to_follow_ = most_accounts_;
    double least = kInfinite;
    try {
        for (const Step& step : steps_of(reading_, last))
            least = std::min(least, of_step(first, last, step, std::min(wanted, least)));
    } catch (const GivenUp&) {
        has_given_up_ = true;
        return by_counts;
    }
    return std::max(least, by_counts);
}

double RunProof::of_step(int first, int last, const Step& step, double wanted) {
    constexpr std::int64_t kMostSteps = 4096;
    if (reading_.whole_result(last)[step.axis].high / step.size > kMostSteps) throw GivenUp{};
    run_ = {first, last, step.axis, step.size, std::vector<package::Stage>(last - first + 1)};
    find_needed();
    const Makings makings = makings_of(reading_, first, last, step);
    if (makings.empty()) return kInfinite;
    const int cores = reading_.package().core_count();
    double least = kInfinite;
    if (stages() <= cores) least = of_way({makings, 0}, wanted);
    for (int size = 1; size <= cores && stages() > 1; ++size)
        least = std::min(least, of_way({makings, size}, std::min(wanted, least)));
    return least;
}

// Makers of what a later stage reads, and its other readers. A tensor from outside that later stages read, too, takes
// room at its readers only when all are counted: what else stands there then depends on their makers.
void RunProof::find_needed() {
    needed_.assign(stages(), 0);
    const auto need = [this](int einsum, int stage) {
        for (int s = einsum - run_.first; s >= 0 && s < stage; ++s)
            needed_[s] |= std::uint64_t{1} << (einsum - run_.first);
    };
    for (int stage = 0; stage < stages(); ++stage)
        for (const Operand& operand : reading_.operands(run_.first + stage)) {
            const bool is_inside = reading_.is_inside(operand.tensor, run_.first, run_.last);
            if (is_inside) need(reading_.maker(operand.tensor), stage);
            for (const int reader : reading_.readers(operand.tensor)) {
                if (reader < run_.first || reader >= run_.first + stage) continue;
                need(reader, stage);
                for (const Operand& other : reading_.operands(reader))
                    if (!is_inside && reading_.is_inside(other.tensor, run_.first, run_.last))
                        need(reading_.maker(other.tensor), stage);
            }
        }
}

double RunProof::of_way(Way way, double wanted) {
    find_beside(way);
    list_options(way, wanted);
    find_rest(way);
    const double floor = with_rest(way, {}, 0, way.rest[0][0]);
    if (floor >= wanted) return floor;
    cut_ = wanted;
    cheapest_.clear();
    try {
        follow(way, 0, 0, 0.0);
    } catch (const GivenUp&) {
        has_given_up_ = true;
        return floor;
    }
    return cut_;
}

void RunProof::list_options(Way& way, double wanted) {
    const int cores = reading_.package().core_count();
    way.options.resize(stages());
    for (int stage = 0; stage < stages(); ++stage) {
        const int last_start = way.size > 0 ? 0 : cores - 1;
        way.options[stage].resize(last_start + 1);
        for (int from = 0; from <= last_start; ++from) {
            way.options[stage][from].resize(cores - from);
            for (int size = 1; size <= cores - from; ++size) {
                if (way.size > 0 && size != way.size) continue;
                if (way.size == 0 && (from < stage || from + size > cores - (stages() - 1 - stage))) continue;
                std::vector<Option> all = options_of(way, stage, team_of(from, size));
                std::erase_if(all, [&](const Option& option) { return option.alone >= wanted; });
                std::ranges::stable_sort(all, {}, &Option::alone);
                way.options[stage][from][size - 1] = std::move(all);
            }
        }
    }
}

std::vector<RunProof::Option> RunProof::options_of(const Way& way, int stage, const std::vector<int>& team) {
    const int einsum = run_.first + stage;
    if (!runs_on_all(reading_, einsum, team)) return {};
    std::vector<Option> all;
    for (const package::Stage& shape : shapes_of(reading_, einsum, static_cast<int>(team.size())))
        for (const std::uint32_t streamed : streams_of(reading_, einsum, run_.first)) {
            Option option{shape, 0.0};
            option.stage.team = team;
            option.stage.streamed = streamed;
            run_.stages[stage] = option.stage;
            spend(left_to_list_, way);
            const Spent alone = accountant_.of(run_, way.makings, {std::uint64_t{1} << stage, way.size == 0, true});
            if (!alone.refused.empty()) continue;
            option.alone = is_energy_ ? alone.energy_pj : static_cast<double>(alone.cycles);
            option.busy = alone.busy;
            option.dram_words = alone.dram_words;
            all.push_back(std::move(option));
        }
    return all;
}

double RunProof::words_between(int reader, int tensor, const Way& way) const {
    Region all;
    double most = 0.0;
    std::int64_t made_in_all = 0;
    for (const Region& made : way.makings[reader - run_.first]) {
        if (is_nothing(made)) continue;
        all = all.empty() ? made : around(all, made);
        made_in_all += size_of(made);
        for (const Operand& operand : reading_.operands(reader))
            if (operand.tensor == tensor)
                most = std::max(most, static_cast<double>(
                                          reading_.least_touched(reader, operand, reading_.iterations(reader, made))));
    }
    if (made_in_all == 0 || size_of(all) != made_in_all) return most;
    for (const Operand& operand : reading_.operands(reader))
        if (operand.tensor == tensor)
            most = std::max(
                most, static_cast<double>(reading_.least_touched(reader, operand, reading_.iterations(reader, all))));
    return most;
}

// Of what one stage alone does not count: words made inside are read and sent once, to their first reader; those from
// outside with several readers come once, and are written by each reader where teams are disjoint.
void RunProof::find_beside(Way& way) const {
    way.beside.assign(stages(), 0.0);
    if (!is_energy_) return;
    std::set<int> seen;
    double write_pj = kInfinite;
    for (const package::Core& core : reading_.package().cores)
        write_pj = std::min(write_pj, reading_.package().kinds[core.kind].write_pj);
    for (int e = run_.first; e <= run_.last; ++e)
        for (const Operand& operand : reading_.operands(e)) {
            if (!seen.insert(operand.tensor).second) continue;
            if (reading_.is_inside(operand.tensor, run_.first, run_.last)) {
                if (way.size == 0) way.beside[e - run_.first] += words_between(e, operand.tensor, way) * hop_pj_;
                continue;
            }
            std::vector<double> words;
            int last_reader = e;
            for (const int reader : reading_.readers(operand.tensor)) {
                if (reader < run_.first || reader > run_.last) continue;
                words.push_back(words_between(reader, operand.tensor, way));
                last_reader = reader;
            }
            if (words.size() < 2) continue;
            const auto most = std::ranges::max_element(words);
            double& beside = way.beside[last_reader - run_.first];
            beside += *most * floors_.into_core_pj(operand.tensor);
            for (auto other = words.begin(); way.size == 0 && other != words.end(); ++other)
                if (other != most) beside += *other * write_pj;
        }
}

void RunProof::find_rest(Way& way) const {
    const int cores = reading_.package().core_count();
    way.rest.assign(stages() + 1, std::vector<double>(cores + 1, kInfinite));
    way.rest[stages()].assign(cores + 1, 0.0);
    way.busy.assign(stages() + 1, 0.0);
    way.dram_words.assign(stages() + 1, 0.0);
    for (int stage = stages() - 1; stage >= 0; --stage) {
        double busy = kInfinite;
        double dram_words = kInfinite;
        for (const auto& sizes : way.options[stage])
            for (const std::vector<Option>& options : sizes)
                for (const Option& option : options) {
                    busy = std::min(busy, option.busy);
                    dram_words = std::min(dram_words, option.dram_words);
                }
        way.busy[stage] = way.busy[stage + 1] + busy;
        way.dram_words[stage] = way.dram_words[stage + 1] + dram_words;
    }
    for (int stage = stages() - 1; stage >= 0; --stage)
        for (int from = way.size > 0 ? 0 : cores - 1; from >= 0; --from) {
            double& least = way.rest[stage][from];
            if (way.size == 0) least = way.rest[stage][from + 1];
            const auto& sizes = way.options[stage][from];
            for (std::size_t size = 1; size <= sizes.size(); ++size) {
                if (sizes[size - 1].empty()) continue;
                const double after = way.rest[stage + 1][way.size > 0 ? 0 : from + size];
                least = std::min(least, together(sizes[size - 1].front().alone + way.beside[stage], after));
            }
        }
}

// Evaluations of many steps take longer.
void RunProof::spend(std::int64_t& left, const Way& way) const {
    constexpr std::int64_t kStepsOfOne = 32;
    left -= 1 + static_cast<std::int64_t>(way.makings.back().size()) / kStepsOfOne;
    if (left < 0 || (stop_ && stop_())) throw GivenUp{};
}

// Of a beginning and what is to come: all core cycles on all cores, all words at the rates of all DRAMs.
double RunProof::with_rest(const Way& way, const Spent& spent, int next, double after) const {
    const double least = together(value_of(spent), after);
    if (is_energy_) return least;
    const int cores = way.size > 0 ? way.size : reading_.package().core_count();
    return std::max({least, (spent.busy + way.busy[next]) / cores,
                     (spent.dram_words + way.dram_words[next]) / floors_.words_per_cycle()});
}

// Asks for claims about leaves until what they say is enough.
Spent RunProof::counted(const Way& way, std::uint64_t stages, double enough) {
    while (true) {
        spend(left_to_follow_, way);
        Spent spent = accountant_.of(run_, way.makings, {stages, way.size == 0, true});
        if (!spent.refused.empty() || spent.is_known || value_of(spent) >= enough) return spent;
        bool has_more = false;
        each_leaf(reading_, run_, way.makings, stages, [&](int einsum, int core, const Extents& extents) {
            const int kind = reading_.package().cores[core].kind;
            if (!leaves_.least(einsum, kind, extents).is_known)
                has_more = leaves_.ask(einsum, kind, extents) || has_more;
        });
        if (!has_more) return spent;
    }
}

void RunProof::follow(const Way& way, int stage, int core, double before) {
    const int last_start = static_cast<int>(way.options[stage].size()) - 1;
    for (int from = core; from <= last_start; ++from)
        for (std::size_t size = 1; size <= way.options[stage][from].size(); ++size) {
            const int free = way.size > 0 ? 0 : from + static_cast<int>(size);
            const double after = way.rest[stage + 1][free];
            for (const Option& option : way.options[stage][from][size - 1]) {
                if (together(together(before, option.alone + way.beside[stage]), after) >= cut_) break;
                run_.stages[stage] = option.stage;
                const Spent spent = counted(way, (std::uint64_t{2} << stage) - 1, is_energy_ ? cut_ - after : cut_);
                if (!spent.refused.empty()) continue;
                const double value = value_of(spent);
                if (with_rest(way, spent, stage + 1, after) >= cut_) continue;
                if (stage + 1 == stages())
                    cut_ = value;
                else if (!is_dominated(way, stage, free, value))
                    follow(way, stage + 1, free, value);
            }
        }
}

bool RunProof::is_dominated(const Way& way, int stage, int core, double value) {
    if (!is_energy_ || way.size > 0 || floors_.leakage_pj() > 0.0) return false;
    const auto [found, is_new] = cheapest_.try_emplace(key_of(stage, core), value);
    if (is_new) return false;
    if (value >= found->second) return true;
    found->second = value;
    return false;
}

// Teams, splits, sums, streams and slots of the stages that later ones depend on.
RunProof::Key RunProof::key_of(int stage, int core) const {
    Key key{stage, core};
    std::vector<int> begins(stage + 1, 0);
    std::vector<int> lags(stage + 1, 1);
    for (int s = 0; s <= stage; ++s) {
        const package::Stage& one = run_.stages[s];
        for (const package::Split& split : one.split)
            if (split.parts > 1 && reading_.is_summed(run_.first + s, split.dimension)) lags[s] = 2;
        for (const Operand& operand : reading_.operands(run_.first + s)) {
            const int maker = reading_.maker(operand.tensor) - run_.first;
            if (maker >= 0 && maker < s) begins[s] = std::max(begins[s], begins[maker] + lags[maker]);
        }
        if ((needed_[stage] >> s & 1U) == 0) continue;
        key.insert(key.end(), {s, begins[s], one.team.front(), static_cast<std::int64_t>(one.team.size()), one.streamed,
                               static_cast<std::int64_t>(one.sums.way), one.sums.axis});
        for (const package::Split& split : one.split) key.insert(key.end(), {split.dimension, split.parts});
    }
    return key;
}

}  // namespace tilewright::certificate::package_proof
