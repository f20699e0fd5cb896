// The search for the best machine, with proof, against mapping every machine of small random spaces:
//
//     property_codesign --spaces 2000 --seed 7 [--first 500] [--operations 32] [--boxes 8] [--mapped words|zeros|fused]
//
// The best machine has to cost what the least of all costs, and a space without a valid machine has to be said to have
// none. The floors of random boxes may not exceed what any valid machine in the box costs. On one thread and on three
// the answers are the same. The first space where that does not hold is printed; the exit status is then 1.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/checked.hpp"
#include "harness.hpp"
#include "native/problem.hpp"
#include "random_space.hpp"
#include "run/codesign/machine_subject.hpp"

namespace {

using namespace tilewright;
using codesign::Box;
using property::RandomSpace;

constexpr double kRounding = 1e-9;
constexpr double kNothing = 1e-20;  // what costs nothing, in bounds of products

struct Tally {
    std::uint64_t spaces = 0;
    std::uint64_t machines = 0;
    std::uint64_t valid = 0;
    std::uint64_t unmapped = 0;  ///< machines that the search did not map
    std::uint64_t floors = 0;    ///< of boxes that have valid machines
    std::uint64_t close = 0;     ///< within 5 % of the best machine of their box
    std::uint64_t proven = 0;    ///< of the others, machines with mappings that are not proven may be better
    std::uint64_t unsound = 0;
};

/// A space, and every machine of it mapped.
struct Judged {
    RandomSpace space;
    explore::Specification specification;
    std::size_t metric = 0;
    std::vector<double> values;  ///< by point; infinite when it is not valid
    std::size_t distinct = 0;    ///< machines that differ in what mappings see
    AnswerCache cache;
    StopSource stop;

    Judged(std::uint64_t seed, std::int64_t operations, property::Mapped mapped) : space(seed, operations, mapped) {}
};

std::size_t metric_of(const MapOptions& options) {
    const std::vector<explore::Metric> metrics = mapping_metrics();
    return explore::metric_named(metrics, objective_text(options.objective), {});
}

// A limit between the smallest and the largest machine, in half of the spaces.
void limit_area(Judged& judged, Random& random) {
    if (random.chance(0.5)) return;
    double least = kInfinite;
    double most = 0.0;
    for (explore::Point point = 0; point < judged.space.space().size(); ++point) {
        const double area = total_area_um2(judged.space.design(point).architecture) * 1e-6;
        least = std::min(least, area);
        most = std::max(most, area);
    }
    const double bound = least + (most - least) * static_cast<double>(random.between(-1, 10)) / 10.0;
    judged.specification.limits = {
        {"area_mm2",
         random.chance(0.5) ? explore::Condition::Relation::less : explore::Condition::Relation::at_most,
         bound,
         {}}};
    if (!random.chance(0.3)) return;
    const double power = static_cast<double>(random.between(1, 400));
    judged.specification.limits.push_back({"power_mw", explore::Condition::Relation::less, power, {}});
}

// All of a machine and its layers that mappings depend on: everything but areas.
std::string seen_by_mappings(const Design& design) {
    std::vector<LayerProblem> layers;
    for (const ShapeProblem& shape : design.problem.shapes) layers.push_back(shape.layer);
    if (design.fused) layers.push_back({design.fused->cascade.einsums.front().einsum, design.architecture, {}});
    std::string seen;
    for (LayerProblem& layer : layers) {
        for (Memory& memory : layer.architecture.memories) memory.area_um2 = {};
        layer.architecture.compute.area_um2 = {};
        seen += native::to_text(layer);
    }
    return seen;
}

bool is_allowed(const Judged& judged, const Design& design, const explore::Row& row) {
    const std::size_t power = explore::metric_named(judged.specification.metrics, "power_mw", {});
    return std::ranges::all_of(judged.specification.limits, [&](const explore::Condition& limit) {
        return limit.holds(limit.name == "area_mm2" ? total_area_um2(design.architecture) * 1e-6 : row.values[power]);
    });
}

// Machines that differ in areas alone are mapped once.
void map_all(Judged& judged) {
    explore::Specification unlimited = judged.specification;
    unlimited.limits.clear();
    std::map<std::string, explore::Row> known;
    for (explore::Point point = 0; point < judged.space.space().size(); ++point) {
        const Design design = judged.space.design(point);
        const auto [row, is_new] = known.try_emplace(seen_by_mappings(design));
        if (is_new) row->second = mapped_row(design, unlimited, judged.cache, judged.stop);
        const bool valid = row->second.status == explore::Status::valid && is_allowed(judged, design, row->second);
        judged.values.push_back(valid ? row->second.values[judged.metric] : kInfinite);
    }
    judged.distinct = known.size();
}

double least_in(const Judged& judged, const Box& box) {
    double least = kInfinite;
    for (explore::Point point = 0; point < judged.space.space().size(); ++point)
        if (contains(box, judged.space.space(), point)) least = std::min(least, judged.values[point]);
    return least;
}

bool differ(double a, double b) { return std::abs(a - b) > kRounding * std::max(std::abs(a), std::abs(b)) + kNothing; }

int fail(std::uint64_t number, const char* what, double found, double expected) {
    std::printf("space %llu: %s: %.17g, not %.17g\n", static_cast<unsigned long long>(number), what, found, expected);
    return 1;
}

int check_answer(std::uint64_t number, const Judged& judged, const codesign::Answer& answer) {
    const double least = least_in(judged, codesign::whole(judged.space.space()));
    if (!answer.proven && answer.unproven == 0) return fail(number, "the answer is not proven", 0.0, 1.0);
    if (!answer.best) return least == kInfinite ? 0 : fail(number, "no machine is valid", kInfinite, least);
    const double claimed = judged.values[answer.best->point];
    if (differ(answer.best->value, claimed)) return fail(number, "the machine costs", answer.best->value, claimed);
    if (differ(answer.best->value, least)) return fail(number, "the best machine costs", answer.best->value, least);
    return answer.bound > least * (1.0 + kRounding) + kNothing ? fail(number, "the bound is", answer.bound, least) : 0;
}

Box random_box(Random& random, const explore::Space& space) {
    Box box = codesign::whole(space);
    for (codesign::Range& range : box.ranges) {
        range.low = static_cast<std::uint32_t>(random.below(range.high));
        range.high = range.low + 1 + static_cast<std::uint32_t>(random.below(range.high - range.low));
    }
    return box;
}

int check_floor(std::uint64_t number, const Judged& judged, const Box& box, MachineSubject& subject, Tally& tally) {
    const double least = least_in(judged, box);
    const std::optional<double> quick = subject.quick_floor(box);
    const std::optional<double> close = subject.floor(box, kInfinite);
    if (quick.value_or(kInfinite) > least * (1.0 + kRounding) + kNothing)
        return fail(number, "the quick floor is", quick.value_or(kInfinite), least);
    if (close.value_or(kInfinite) > least * (1.0 + kRounding) + kNothing)
        return fail(number, "the floor is", close.value_or(kInfinite), least);
    if (least == kInfinite) return 0;
    ++tally.floors;
    if (*close > 0.95 * least) ++tally.close;
    return 0;
}

/// What is asked of every case.
struct Asked {
    std::int64_t boxes = 8;
    property::Mapped mapped = property::Mapped::plain;
};

int check(const property::Harness& harness, const Asked& asked, std::uint64_t number, Tally& tally) {
    Judged judged(harness.seed_of(number), harness.cases().operations, asked.mapped);
    if (!judged.space.is_sound()) {
        ++tally.unsound;
        return 0;
    }
    Random random(harness.seed_of(number) + 1);
    judged.specification.space = judged.space.space();
    judged.specification.metrics = mapping_metrics();
    judged.metric = metric_of(judged.space.options());
    limit_area(judged, random);
    const MachineQuestion question{judged.specification, judged.space.roles(), judged.metric};
    std::optional<codesign::Answer> first;
    try {
        MachineSubject subject(judged.space, question, judged.cache, judged.stop);
        first = codesign::search(subject, judged.specification.space, {.threads = 1}, judged.stop);
        map_all(judged);
        for (std::int64_t i = 0; i < asked.boxes; ++i)
            if (check_floor(number, judged, random_box(random, judged.specification.space), subject, tally) != 0)
                return 1;
    } catch (const InputError&) {
        ++tally.unsound;  // clusters or power gates whose number varies are refused
        return 0;
    }
    MachineSubject again(judged.space, question, judged.cache, judged.stop);
    const codesign::Answer other = codesign::search(again, judged.specification.space, {.threads = 3}, judged.stop);
    if (other.best != first->best || other.counts != first->counts)
        return fail(number, "on three threads boxes are", static_cast<double>(other.counts.boxes),
                    static_cast<double>(first->counts.boxes));
    ++tally.spaces;
    if (first->proven) ++tally.proven;
    tally.machines += judged.values.size();
    for (const double value : judged.values) tally.valid += value < kInfinite ? 1 : 0;
    tally.unmapped += judged.values.size() - static_cast<std::uint64_t>(first->counts.mapped);
    return check_answer(number, judged, *first);
}

}  // namespace

int main(int argc, char** argv) {
    property::Harness harness("property_codesign", "Checks the best machines of small random spaces",
                              {.kind = "spaces", .count = 2000, .operations = 32});
    Asked asked;
    std::string mapped = "plain";
    Tally tally;
    harness.line.option("--boxes", &asked.boxes);
    harness.line.option("--mapped", &mapped);  // plain, words, zeros or fused
    harness.least("spaces", "spaces that were compared", &tally.spaces);
    harness.least("proven", "of these, answers that were proven", &tally.proven);
    harness.least("machines", "valid machines that were mapped for it", &tally.valid);
    harness.least("unmapped", "machines that the search did not map", &tally.unmapped);
    harness.least("floors", "floors that were compared", &tally.floors);
    harness.least("close", "floors within 5 % of the best machine of their box", &tally.close);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    if (mapped == "words") asked.mapped = property::Mapped::words;
    if (mapped == "zeros") asked.mapped = property::Mapped::zeros;
    if (mapped == "fused") asked.mapped = property::Mapped::fused;
    return harness.run(
        [&](std::uint64_t number) { return check(harness, asked, number, tally); },
        [&] {
            std::printf(
                "%llu spaces (%llu proven) of %llu machines (%llu valid), %llu not mapped by the search; %llu floors, "
                "%llu within 5 %%; %llu spaces are none\n",
                static_cast<unsigned long long>(tally.spaces), static_cast<unsigned long long>(tally.proven),
                static_cast<unsigned long long>(tally.machines), static_cast<unsigned long long>(tally.valid),
                static_cast<unsigned long long>(tally.unmapped), static_cast<unsigned long long>(tally.floors),
                static_cast<unsigned long long>(tally.close), static_cast<unsigned long long>(tally.unsound));
        });
}
