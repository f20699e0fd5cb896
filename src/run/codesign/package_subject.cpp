#include "run/codesign/package_subject.hpp"

#include <algorithm>
#include <limits>

#include "base/deadline.hpp"
#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "multicore/search/floored_leaves.hpp"
#include "run/codesign/package_relaxation.hpp"
#include "run/package/map_package.hpp"
#include "run/package/mapped_leaves.hpp"

namespace tilewright {

using codesign::Box;
using explore::Status;

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

// Read once each: a plan takes thousands of times as long.
constexpr std::int64_t kMostPackages = 100'000;

}  // namespace

PackageSubject::PackageSubject(const ExploredPackage& subject, const explore::Specification& specification,
                               std::size_t metric, const StopSource& stop)
    : subject_(subject), specification_(specification), metric_(metric), stop_(stop) {
    const std::int64_t size = specification.space.size();
    if (size > kMostPackages)
        throw InputError(ErrorCode::unsupported, {},
                         "the space has more than 100,000 packages: knobs may have fewer values");
    for (explore::Point point = 0; point < size; ++point) packages_.push_back(read(point));
    if (std::ranges::none_of(packages_, [](const auto& one) { return one.has_value(); }))
        throw InputError(ErrorCode::unsupported, {}, "no point of the space is a package that plans: " + failure_);
}

// Nothing where there is no such package, as in a row that failed.
std::optional<PackageSubject::Relaxed> PackageSubject::read(explore::Point point) {
    std::string why;
    try {
        const PackageMachine machine = package_at(subject_, specification_.space, point);
        why = problem_with({subject_.cascade, machine.package(), machine.constraints()});
        if (why.empty())
            return Relaxed{with_links_in_use(machine.package()), number_of(machine), machine.constraints()};
    } catch (const InputError& error) {
        why = error.message();
    } catch (const OverflowError& error) {
        why = error.what();
    }
    if (failure_.empty()) failure_ = why + " (" + explore::point_text(specification_.space, point) + ")";
    return std::nullopt;
}

std::size_t PackageSubject::number_of(const PackageMachine& machine) {
    const ConstraintsOfKind of = machine.constraints();
    std::vector<Constraints> demands;
    for (std::size_t kind = 0; kind < machine.package().kinds.size(); ++kind)
        for (const CascadeEinsum& einsum : subject_.cascade.einsums)
            demands.push_back(of(static_cast<int>(kind), einsum.einsum));
    const auto found = std::ranges::find(demands_, demands);
    const auto number = static_cast<std::size_t>(found - demands_.begin());
    if (found == demands_.end()) demands_.push_back(std::move(demands));
    return number;
}

// One package for each form.
std::vector<PackageSubject::Relaxed> PackageSubject::relaxed(const Box& box) {
    std::vector<Relaxed> forms;
    std::vector<std::size_t> knobs;
    for (std::size_t knob = 0; knob < box.ranges.size(); ++knob) knobs.push_back(knob);
    codesign::for_each_combination(box, knobs, [&](const std::vector<std::uint32_t>& positions) {
        explore::Point point = 0;
        for (std::size_t knob = 0; knob < positions.size(); ++knob)
            point += specification_.space.stride(knob) * positions[knob];
        const std::optional<Relaxed>& one = packages_[static_cast<std::size_t>(point)];
        if (!one) return;
        const auto takes = [&](Relaxed& form) {
            return form.demands == one->demands && relax(form.package, one->package);
        };
        if (std::ranges::none_of(forms, takes)) forms.push_back(*one);
    });
    return forms;
}

// Not as they are mapped: what a leaf costs on a better core may be less in energy and more in cycles.
multicore::Answer PackageSubject::floored(const Relaxed& relaxed, const StopSource& stop,
                                          const multicore::TellProgress& tell) const {
    const multicore::Problem problem(subject_.cascade, relaxed.package);
    const package::Network network(relaxed.package);
    MappedLeaves leaves(problem, relaxed.constraints, subject_.objective, nullptr);
    multicore::TrustedLeaves floors(leaves);
    const multicore::Evaluator evaluator(problem, network, floors);
    return multicore::optimize(evaluator, subject_.objective, &stop, tell);
}

double PackageSubject::bound(const Relaxed& relaxed, const StopSource& stop, double enough) const {
    StopSource over;
    if (stop.requested()) over.request();
    const multicore::Answer answer = floored(relaxed, over, [&](const multicore::Cost*, double value, double bound) {
        // A plan below it shows that the box stays, whatever else is found out.
        if (stop.requested() || bound >= enough || (enough < kNone && value < enough)) over.request();
    });
    return answer.best || answer.stopped ? answer.bound : kNone;
}

double PackageSubject::promise(const Box& box) {
    double least = kNone;
    for (const Relaxed& form : relaxed(box)) {
        StopSource over;
        const multicore::Answer answer = floored(form, over, [&](const multicore::Cost* best, double, double) {
            if (best != nullptr || stop_.requested()) over.request();
        });
        if (answer.best) least = std::min(least, answer.best->value);
    }
    return least;
}

PackageSubject::QuickFloor PackageSubject::quick(const Box& box) {
    {
        const std::lock_guard lock(keeping_);
        if (const auto known = quick_.find(box); known != quick_.end()) return known->second;
    }
    StopSource at_once;
    at_once.request();
    const std::vector<Relaxed> forms = relaxed(box);
    QuickFloor floor{forms.size(), kNone};
    for (const Relaxed& form : forms) floor.value = std::min(floor.value, bound(form, at_once, kNone));
    const std::lock_guard lock(keeping_);
    return quick_.emplace(box, floor).first->second;
}

std::optional<double> PackageSubject::quick_floor(const Box& box) {
    const QuickFloor floor = quick(box);
    return floor.value < kNone ? std::optional(floor.value) : std::nullopt;
}

std::optional<double> PackageSubject::floor(const Box& box, double enough) {
    const std::vector<Relaxed> forms = relaxed(box);
    if (forms.size() != 1) return quick_floor(box);  // cut first
    StopSource stop;
    const TimeLimit limit(stop, subject_.time_limit_seconds, &stop_);
    const double value = bound(forms.front(), stop, enough);
    return value < kNone ? std::optional(value) : std::nullopt;
}

// The knob whose halves have the fewest forms; of equals the one whose halves have the largest floors together.
std::size_t PackageSubject::knob_to_cut(const Box& box) {
    std::size_t best = box.ranges.size();
    std::size_t fewest = 0;
    double gain = 0.0;
    for (std::size_t knob = 0; knob < box.ranges.size(); ++knob) {
        if (box.ranges[knob].size() == 1) continue;
        const auto [low, high] = codesign::halves(box, knob);
        const QuickFloor one = quick(low);
        const QuickFloor other = quick(high);
        const std::size_t forms = one.forms + other.forms;
        const double both = one.value + other.value;
        if (best < box.ranges.size() && (forms > fewest || (forms == fewest && both <= gain))) continue;
        best = knob;
        fewest = forms;
        gain = both;
    }
    return best;
}

codesign::Mapped PackageSubject::map(explore::Point point) {
    PlannedPackage made = planned_package(subject_, specification_, point, stop_);
    codesign::Mapped mapped{std::nullopt, made.least};
    if (made.least && packages_[static_cast<std::size_t>(point)])
        mapped.least = std::max(*made.least, quick(codesign::box_of(point, specification_.space)).value);
    if (made.row.status == Status::valid) mapped.value = made.row.values[metric_];
    const std::lock_guard lock(keeping_);
    planned_.insert_or_assign(point, std::move(made));
    return mapped;
}

PlannedPackage PackageSubject::planned(explore::Point point) {
    const auto known = planned_.find(point);
    if (known != planned_.end()) return known->second;
    const StopSource never;
    return planned_package(subject_, specification_, point, never);
}

}  // namespace tilewright
