// The machines that no other beats in two or three metrics, with proof, against mapping every machine of small random
// spaces, once for every metric:
//
//     property_machine_front --spaces 2000 --seed 7 [--first 500] [--operations 32]
//
// No valid machine may be better than one of the front in one metric and no worse in the others, and every valid
// machine has to be no better than one of the front; of a search that was stopped, that or a point of the envelope. On
// one thread and on three the answers are the same. The first space where that does not hold is printed; the exit
// status is then 1.
#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/numbers/checked.hpp"
#include "harness.hpp"
#include "random_space.hpp"
#include "run/codesign/machine_front.hpp"

namespace {

using namespace tilewright;
using codesign::FrontAnswer;
using codesign::Values;
using property::RandomSpace;

constexpr double kRounding = 2e-9;

struct Tally {
    std::uint64_t spaces = 0;
    std::uint64_t proven = 0;
    std::uint64_t three = 0;  ///< metrics
    std::uint64_t machines = 0;
    std::uint64_t front = 0;
    std::uint64_t beaten = 0;     ///< valid machines that are not in their front
    std::uint64_t unmapped = 0;   ///< machines that the search did not map
    std::uint64_t envelopes = 0;  ///< of searches that were stopped
    std::uint64_t unsound = 0;
};

/// A space, and every machine of it mapped for every metric.
struct Judged {
    RandomSpace space;
    explore::Specification specification;
    std::vector<std::size_t> metrics;
    std::vector<Values> values;  ///< by point; infinite when it is not valid
    AnswerCache cache;
    StopSource stop;

    Judged(std::uint64_t seed, std::int64_t operations) : space(seed, operations) {
        specification.space = space.space();
        specification.metrics = mapping_metrics();
    }
    FrontQuestion question() const { return {specification, space.roles(), metrics}; }
};

// Two or three, in any order; at least one of them is not the area.
void choose_metrics(Judged& judged, Random& random) {
    std::vector<std::string> names{"energy", "latency", "edp", "area"};
    const std::size_t count = random.chance(0.4) ? 3 : 2;
    while (judged.metrics.size() < count) {
        const auto at = static_cast<std::size_t>(random.below(names.size()));
        judged.metrics.push_back(explore::metric_named(judged.specification.metrics, names[at], {}));
        names.erase(names.begin() + static_cast<std::ptrdiff_t>(at));
    }
}

/// What a machine comes to by the definition: of each metric the value of the mappings made for it.
double value_of(Judged& judged, explore::Point point, std::size_t metric) {
    Design design = judged.space.design(point);
    const std::string& name = judged.specification.metrics[metric].name;
    if (name == "energy_pj") design.options.objective = {.kind = ObjectiveKind::energy};
    if (name == "latency_cycles") design.options.objective = {.kind = ObjectiveKind::latency};
    if (name == "edp_pj_cycles") design.options.objective = {.kind = ObjectiveKind::edp};
    explore::Specification unlimited = judged.specification;
    unlimited.limits.clear();
    const explore::Row row = mapped_row(design, unlimited, judged.cache, judged.stop);
    return row.status == explore::Status::valid ? row.values[metric] : kInfinite;
}

void map_all(Judged& judged) {
    for (explore::Point point = 0; point < judged.space.space().size(); ++point) {
        Values values;
        for (const std::size_t metric : judged.metrics) values.push_back(value_of(judged, point, metric));
        judged.values.push_back(std::move(values));
    }
}

// A limit between the least and the largest value of one of the metrics, in half of the spaces. It is about that
// metric's own value.
void limit(Judged& judged, Random& random) {
    if (random.chance(0.5)) return;
    const auto m = static_cast<std::size_t>(random.below(judged.metrics.size()));
    std::vector<double> all;
    for (const Values& values : judged.values)
        if (values[m] < kInfinite) all.push_back(values[m]);
    if (all.empty()) return;
    std::ranges::sort(all);
    const double bound = all[static_cast<std::size_t>(random.below(all.size()))] * 1.0001;
    judged.specification.limits = {
        {judged.specification.metrics[judged.metrics[m]].name, explore::Condition::Relation::less, bound, {}}};
    for (Values& values : judged.values)
        if (!(values[m] < bound)) values[m] = kInfinite;
}

bool is_valid(const Values& values) {
    return std::ranges::all_of(values, [](double value) { return value < kInfinite; });
}

/// Whether `a` is no worse than `b` in any metric, with that much room.
bool no_worse(const Values& a, const Values& b, double room) {
    for (std::size_t m = 0; m < a.size(); ++m)
        if (a[m] > b[m] * (1.0 + room)) return false;
    return true;
}

int fail(std::uint64_t number, const char* what, std::int64_t point) {
    std::printf("space %llu: %s: machine %lld\n", static_cast<unsigned long long>(number), what,
                static_cast<long long>(point));
    return 1;
}

int check_front(std::uint64_t number, const Judged& judged, const FrontAnswer& answer, Tally& tally) {
    for (const codesign::FrontMachine& machine : answer.front) {
        const Values& own = judged.values[machine.point];
        if (!no_worse(own, machine.values, kRounding) || !no_worse(machine.values, own, kRounding))
            return fail(number, "its values are others", machine.point);
        for (explore::Point other = 0; other < judged.space.space().size() && answer.proven; ++other)
            if (no_worse(judged.values[other], machine.values, 0.0) &&
                !no_worse(machine.values, judged.values[other], kRounding))
                return fail(number, "it is beaten and in the front", machine.point);
    }
    for (explore::Point point = 0; point < judged.space.space().size(); ++point) {
        const Values& values = judged.values[point];
        if (!is_valid(values)) continue;
        const auto covers = [&](const auto& one) { return no_worse(one, values, kRounding); };
        const bool found = std::ranges::any_of(answer.front, covers, &codesign::FrontMachine::values);
        if (found) ++tally.beaten;
        if (!found && std::ranges::none_of(answer.envelope, covers, &codesign::Remaining::floors))
            return fail(number, "nothing is as good", point);
    }
    tally.beaten -= std::min<std::uint64_t>(tally.beaten, answer.front.size());
    return 0;
}

FrontAnswer front_of(Judged& judged, const codesign::Settings& settings) {
    MachineFront machines(judged.space, judged.question(), judged.cache, judged.stop);
    return codesign::search_front(machines.subjects(), judged.specification.space, settings, judged.stop);
}

int check_answers(std::uint64_t number, Judged& judged, Tally& tally) {
    const FrontAnswer first = front_of(judged, {.threads = 1});
    if (!first.proven && first.unproven == 0) return fail(number, "the front is not proven", 0);
    if (check_front(number, judged, first, tally) != 0) return 1;
    const FrontAnswer other = front_of(judged, {.threads = 3});
    if (other.front != first.front || other.counts != first.counts || other.envelope != first.envelope)
        return fail(number, "on three threads the front is another", 0);
    // Of a search that is given no room, so that most is left.
    const FrontAnswer part = front_of(judged, {.threads = 1, .most_boxes = 1});
    if (!part.proven) ++tally.envelopes;
    Tally unused;
    if (check_front(number, judged, part, unused) != 0) return 1;
    tally.unmapped += judged.values.size() - static_cast<std::uint64_t>(first.counts.mapped);
    tally.front += first.front.size();
    if (first.proven) ++tally.proven;
    return 0;
}

int check(const property::Harness& harness, std::uint64_t number, Tally& tally) {
    Judged judged(harness.seed_of(number), harness.cases().operations);
    if (!judged.space.is_sound()) {
        ++tally.unsound;
        return 0;
    }
    Random random(harness.seed_of(number) + 1);
    choose_metrics(judged, random);
    try {
        map_all(judged);
        limit(judged, random);
        if (check_answers(number, judged, tally) != 0) return 1;
    } catch (const InputError&) {
        ++tally.unsound;  // clusters or power gates whose number varies are refused
        return 0;
    }
    ++tally.spaces;
    if (judged.metrics.size() == 3) ++tally.three;
    tally.machines += judged.values.size();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    property::Harness harness("property_machine_front", "Checks the fronts of small random spaces of machines",
                              {.kind = "spaces", .count = 2000, .operations = 32});
    Tally tally;
    harness.least("spaces", "spaces that were compared", &tally.spaces);
    harness.least("three", "of these, fronts of three metrics", &tally.three);
    harness.least("proven", "fronts that were proven", &tally.proven);
    harness.least("machines", "machines that were mapped for it", &tally.machines);
    harness.least("front", "machines of all fronts", &tally.front);
    harness.least("beaten", "valid machines that are not in their front", &tally.beaten);
    harness.least("unmapped", "machines that the search did not map", &tally.unmapped);
    harness.least("envelopes", "envelopes of searches without room that were compared", &tally.envelopes);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    return harness.run([&](std::uint64_t number) { return check(harness, number, tally); },
                       [&] {
                           const auto text = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
                           std::printf(
                               "%llu spaces (%llu of three metrics, %llu proven) of %llu machines, %llu not mapped by "
                               "the search; %llu "
                               "machines in fronts, %llu valid ones beaten; %llu envelopes; %llu spaces are none\n",
                               text(tally.spaces), text(tally.three), text(tally.proven), text(tally.machines),
                               text(tally.unmapped), text(tally.front), text(tally.beaten), text(tally.envelopes),
                               text(tally.unsound));
                       });
}
