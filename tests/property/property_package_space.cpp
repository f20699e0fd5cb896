// The search for the best package of a space, with proof, against planning every package of small random spaces:
//
//     property_package_space --spaces 200 --seed 7 [--first 50] [--boxes 6]
//
// The best package has to cost what the least of all costs; without time for plans nothing may be claimed. The floors
// of random boxes may not exceed what any package in the box costs. On one thread and on three the answers are the
// same. The first space where that does not hold is printed.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file.hpp"
#include "harness.hpp"
#include "random_package.hpp"
#include "run/codesign/package_subject.hpp"

namespace {

using namespace tilewright;
using codesign::Box;

constexpr double kRounding = 1e-9;
constexpr double kNone = std::numeric_limits<double>::infinity();

struct Tally {
    std::uint64_t spaces = 0;
    std::uint64_t packages = 0;  ///< planned for the comparison
    std::uint64_t excluded = 0;  ///< by floors, never planned by the search
    std::uint64_t meshes = 0;    ///< spaces of several meshes
    std::uint64_t chiplets = 0;  ///< spaces of several sizes of chiplets
    std::uint64_t denied = 0;    ///< claims
    std::uint64_t floors = 0;    ///< of boxes that have packages with plans
    std::uint64_t close = 0;     ///< within 5 % of the best package of their box
};

/// A file of a package, and knobs that vary it.
struct Drawn {
    std::string text;
    std::vector<explore::Knob> knobs;
    Cascade cascade;
    Objective objective;

    bool varies(const std::string& name) const {
        return std::ranges::any_of(knobs, [&](const explore::Knob& knob) { return knob.name == "package." + name; });
    }
};

std::string link_text(const package::LinkRate& link) {
    return "{words_per_cycle: " + std::to_string(link.words_per_cycle) + ", energy: " + std::to_string(link.energy_pj) +
           ", latency: " + std::to_string(link.latency_cycles) + "}";
}

std::string kind_text(const package::CoreKind& kind) {
    std::string lanes;
    for (const auto& [dimension, count] : kind.lanes)
        lanes += (lanes.empty() ? "" : ", ") + dimension + ": " + std::to_string(count);
    return "{lanes: {" + lanes + "}, buffer_words: " + std::to_string(kind.buffer_words) +
           ", read: " + std::to_string(kind.read_pj) + ", write: " + std::to_string(kind.write_pj) +
           ", operation: " + std::to_string(kind.operation_pj) + ", leak: " + std::to_string(kind.leak_pj_per_cycle) +
           ", window: " + std::to_string(kind.window_words) + "}";
}

// Better and worse values in any order, and meshes and chiplets, which have none.
std::vector<explore::Knob> possible_knobs(const package::Package& package) {
    const package::CoreKind& kind = package.kinds.front();
    const auto words = [&](std::int64_t tenths) {
        return std::to_string(std::max<std::int64_t>(4, kind.buffer_words * tenths / 10));
    };
    std::vector<explore::Knob> knobs{{"package.mesh", {"2x1", "1x1", "3x1"}, {}},
                                     {"package.chiplet", {"1x1", "2x1", "4x4"}, {}},
                                     {"package.link.words_per_cycle", {"1", "4", "2"}, {}},
                                     {"package.link.energy", {"3", "1"}, {}},
                                     {"package.d2d.words_per_cycle", {"2", "1"}, {}},
                                     {"package.d2d.energy", {"3", "9"}, {}},
                                     {"package.d2d.latency", {"1", "6"}, {}},
                                     {"package.local.words_per_cycle", {"8", "1"}, {}},
                                     {"package.dram.0.words_per_cycle", {"1", "2", "8"}, {}},
                                     {"package.dram.0.read", {"20", "5"}, {}},
                                     {"package.partial_words", {"2", "1"}, {}},
                                     {"package.kinds.a.buffer_words", {words(10), words(14), words(20)}, {}},
                                     {"package.kinds.a.operation", {"2", "1"}, {}},
                                     {"package.kinds.a.leak", {"1", "0"}, {}}};
    for (const auto& [dimension, count] : kind.lanes)
        knobs.push_back({"package.kinds.a.lanes." + dimension, {"1", "3"}, {}});
    return knobs;
}

Drawn drawn_space(Random& random) {
    property::PackageProblem problem = property::random_package_problem(random);
    while (problem.cascade.einsum_count() > 2) problem = property::random_package_problem(random);
    const package::Package& package = problem.package;
    Drawn drawn;
    drawn.cascade = problem.cascade;
    drawn.text = "package:\n  mesh: [2, 1]\n  chiplet: [1, 1]\n  kinds:\n    a: " + kind_text(package.kinds.front()) +
                 "\n  cores: {kind: a, at: all}\n  link: " + link_text(package.link) +
                 "\n  d2d: " + link_text(package.d2d) + "\n  local: " + link_text(package.local) +
                 "\n  dram: [{at: [0, 0], words_per_cycle: 2, read: 10, write: 10}]\n";
    std::vector<explore::Knob> possible = possible_knobs(package);
    for (std::int64_t knobs = random.between(3, 4); knobs > 0; --knobs) {
        // Meshes and chiplets in most spaces.
        const std::size_t at = random.below(random.chance(0.4) ? 2 : possible.size());
        drawn.knobs.push_back(possible[at]);
        possible.erase(possible.begin() + static_cast<std::ptrdiff_t>(at));
    }
    const ObjectiveKind kinds[] = {ObjectiveKind::energy, ObjectiveKind::latency, ObjectiveKind::edp};
    drawn.objective.kind = kinds[random.below(3)];
    return drawn;
}

/// A space, and every package of it planned.
struct Judged {
    ExploredPackage subject;
    explore::Specification specification;
    std::size_t metric = 0;
    std::vector<PlannedPackage> planned;
    std::vector<double> values;  ///< by point; infinite without a plan
    StopSource stop;
};

double least_in(const Judged& judged, const Box& box) {
    double least = kNone;
    for (explore::Point point = 0; point < judged.specification.space.size(); ++point)
        if (contains(box, judged.specification.space, point)) least = std::min(least, judged.values[point]);
    return least;
}

int fail(std::uint64_t number, const Drawn& drawn, const std::string& what, double found, double expected) {
    std::printf("space %llu: %s: %.17g, not %.17g\n%s", static_cast<unsigned long long>(number), what.c_str(), found,
                expected, drawn.text.c_str());
    for (const explore::Knob& knob : drawn.knobs) {
        std::printf("--set %s=", knob.name.c_str());
        for (const std::string& value : knob.values) std::printf("%s,", value.c_str());
        std::printf("\n");
    }
    return 1;
}

bool exceeds(double value, double other) { return value > other * (1.0 + kRounding); }

int check_answer(std::uint64_t number, const Drawn& drawn, const Judged& judged, const codesign::Answer& answer) {
    const double least = least_in(judged, codesign::whole(judged.specification.space));
    for (const PlannedPackage& one : judged.planned)
        if (one.least) return fail(number, drawn, "a plan is not proven", *one.least, least);
    if (!answer.proven) return fail(number, drawn, "the answer is not proven", answer.bound, least);
    if (!answer.best) return least == kNone ? 0 : fail(number, drawn, "no package is valid", kNone, least);
    const double claimed = judged.values[answer.best->point];
    if (std::abs(answer.best->value - claimed) > kRounding * claimed)
        return fail(number, drawn, "the package costs", answer.best->value, claimed);
    return exceeds(answer.best->value, least) ? fail(number, drawn, "the best package", answer.best->value, least) : 0;
}

Box random_box(Random& random, const explore::Space& space) {
    Box box = codesign::whole(space);
    for (codesign::Range& range : box.ranges) {
        range.low = static_cast<std::uint32_t>(random.below(range.high));
        range.high = range.low + 1 + static_cast<std::uint32_t>(random.below(range.high - range.low));
    }
    return box;
}

int check_floor(std::uint64_t number, const Drawn& drawn, const Judged& judged, const Box& box, PackageSubject& subject,
                Tally& tally) {
    const double least = least_in(judged, box);
    const double quick = subject.quick_floor(box).value_or(kNone);
    const double close = subject.floor(box, kNone).value_or(kNone);
    if (exceeds(quick, least)) return fail(number, drawn, "the quick floor is", quick, least);
    if (exceeds(close, least)) return fail(number, drawn, "the floor is", close, least);
    if (least == kNone) return 0;
    ++tally.floors;
    if (close > 0.95 * least) ++tally.close;
    return 0;
}

// Without time for a plan nothing may be claimed but the floors.
int check_denied(std::uint64_t number, const Drawn& drawn, const Judged& judged, Tally& tally) {
    ExploredPackage hasty = judged.subject;
    hasty.time_limit_seconds = 0.0;
    PackageSubject subject(hasty, judged.specification, judged.metric, judged.stop);
    const codesign::Answer answer = codesign::search(subject, judged.specification.space, {.threads = 1}, judged.stop);
    const double least = least_in(judged, codesign::whole(judged.specification.space));
    if (answer.proven || answer.best) return fail(number, drawn, "claimed without a plan", answer.bound, least);
    if (exceeds(answer.bound, least)) return fail(number, drawn, "the bound without a plan is", answer.bound, least);
    tally.denied += answer.bound > 0.5 * least ? 1 : 0;
    return 0;
}

int check(const property::Harness& harness, std::int64_t boxes, const std::string& file, std::uint64_t number,
          Tally& tally) {
    Random random(harness.seed_of(number));
    const Drawn drawn = drawn_space(random);
    write_file(file, drawn.text);
    Judged judged;
    judged.subject = {file, drawn.cascade, drawn.objective, std::nullopt};
    judged.specification.space = explore::Space(drawn.knobs);
    judged.specification.metrics = package_metrics();
    judged.metric = explore::metric_named(judged.specification.metrics, objective_name(drawn.objective.kind), {});
    for (explore::Point point = 0; point < judged.specification.space.size(); ++point) {
        judged.planned.push_back(planned_package(judged.subject, judged.specification, point, judged.stop));
        const explore::Row& row = judged.planned.back().row;
        judged.values.push_back(row.status == explore::Status::valid ? row.values[judged.metric] : kNone);
    }
    std::optional<codesign::Answer> first;
    try {
        PackageSubject subject(judged.subject, judged.specification, judged.metric, judged.stop);
        first = codesign::search(subject, judged.specification.space, {.threads = 1}, judged.stop);
        for (std::int64_t i = 0; i < boxes; ++i) {
            const Box box = random_box(random, judged.specification.space);
            if (check_floor(number, drawn, judged, box, subject, tally) != 0) return 1;
        }
    } catch (const InputError&) {  // no point is a package
        const double least = least_in(judged, codesign::whole(judged.specification.space));
        return least == kNone ? 0 : fail(number, drawn, "refused", kNone, least);
    }
    PackageSubject again(judged.subject, judged.specification, judged.metric, judged.stop);
    const codesign::Answer other = codesign::search(again, judged.specification.space, {.threads = 3}, judged.stop);
    if (other.best != first->best || other.counts != first->counts)
        return fail(number, drawn, "on three threads boxes are", static_cast<double>(other.counts.boxes),
                    static_cast<double>(first->counts.boxes));
    if (!first->best) return check_answer(number, drawn, judged, *first);
    if (const int status = check_denied(number, drawn, judged, tally); status != 0) return status;
    ++tally.spaces;
    tally.packages += judged.values.size();
    tally.excluded +=
        judged.values.size() - static_cast<std::uint64_t>(first->counts.mapped + first->counts.impossible);
    tally.meshes += drawn.varies("mesh") ? 1 : 0;
    tally.chiplets += drawn.varies("chiplet") ? 1 : 0;
    return check_answer(number, drawn, judged, *first);
}

}  // namespace

int main(int argc, char** argv) {
    property::Harness harness("property_package_space", "Checks the best packages of small random spaces",
                              {.kind = "spaces", .count = 200});
    std::int64_t boxes = 6;
    Tally tally;
    harness.line.option("--boxes", &boxes);
    harness.least("spaces", "spaces that were compared", &tally.spaces);
    harness.least("packages", "packages that were planned for it", &tally.packages);
    harness.least("excluded", "packages that floors excluded, unplanned", &tally.excluded);
    harness.least("meshes", "spaces of several meshes", &tally.meshes);
    harness.least("chiplets", "spaces of several sizes of chiplets", &tally.chiplets);
    harness.least("denied", "claims denied for want of time, with floors above half of the least", &tally.denied);
    harness.least("floors", "floors that were compared", &tally.floors);
    harness.least("close", "floors within 5 % of the best package of their box", &tally.close);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    const std::string file =
        (std::filesystem::temp_directory_path() / ("package_space_" + std::to_string(getpid()) + ".yaml")).string();
    const int status = harness.run(
        [&](std::uint64_t number) { return check(harness, boxes, file, number, tally); },
        [&] {
            const auto n = [](std::uint64_t count) { return static_cast<unsigned long long>(count); };
            std::printf(
                "%llu spaces of %llu packages compared, %llu of several meshes, %llu of several chiplets; %llu "
                "packages excluded by floors, %llu denied with floors above half; %llu floors, %llu within 5 %%\n",
                n(tally.spaces), n(tally.packages), n(tally.meshes), n(tally.chiplets), n(tally.excluded),
                n(tally.denied), n(tally.floors), n(tally.close));
        });
    std::filesystem::remove(file);
    return status;
}
