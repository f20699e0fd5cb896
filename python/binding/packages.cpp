// map_package() and evaluate_package(): what `tilewright map --package` and `evaluate --package` do with a cascade.
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/deadline.hpp"
#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/hash.hpp"
#include "base/version.hpp"
#include "package/plan_text.hpp"
#include "parts.hpp"
#include "planning.hpp"
#include "progress.hpp"
#include "report/documents/documents.hpp"
#include "report/package/package_report.hpp"
#include "run/composition.hpp"
#include "run/package/map_package.hpp"
#include "run/package/package_machine.hpp"
#include "values.hpp"
#include "work.hpp"
#include "zeros.hpp"

namespace tilewright::python {
namespace {

using report::PackageReport;

[[noreturn]] void refuse(const std::string& why) { throw InputError(ErrorCode::usage, {}, why); }

struct Planned {
    PackageMachine machine;
    PackageProblem problem;
    ReadCascade cascade;

    Planned(const ReadCascade& read, const std::string& package, const PackageSettings& settings)
        : machine(PackageMachine::read(package, settings)),
          problem{without_constant_axes(read.cascade), machine.package(), machine.constraints()},
          cascade(read) {
        if (const std::string why = problem_with(problem); !why.empty()) refuse("package: " + why);
    }

    void describe(PackageReport& report, const std::string& verb, const std::string& package) const {
        report.notes = cascade.notes;
        report.provenance.tool_version = build_version();
        report.provenance.command = verb;
        report.provenance.inputs = machine.inputs();
        report.provenance.inputs.insert(report.provenance.inputs.end(), cascade.inputs.begin(), cascade.inputs.end());
        report.provenance.options = {{"package", package}};
        if (!report.objective.empty()) report.provenance.options.emplace_back("objective", report.objective);
    }
};

Progress progress_of(const ReadCascade& read, const PackageProgress& now) {
    Progress progress{.event = "searches", .layer = read.cascade.name};
    progress.total = read.cascade.einsum_count();
    if (now.bound > 0.0) progress.lower_bound = now.bound;
    if (!now.found) return progress;
    progress.energy_pj = now.energy_pj;
    progress.cycles = static_cast<double>(now.cycles);
    return progress;
}

/// (report or None, interrupted).
py::tuple map_package(const ReadCascade& read, const std::string& package, const PackageSettings& settings,
                      const std::string& objective_text, std::optional<double> time_limit,
                      const std::vector<DensityWord>& density, std::shared_ptr<StopSource> stop, py::object progress) {
    refuse_on_packages(read, density);
    const Objective objective = planning_objective(objective_text);
    const Planned planned(read, package, settings);
    Watch watch(std::move(progress), std::move(stop));
    TellPackageProgress tell;
    if (watch.has_callback())
        tell = [&](const PackageProgress& now) { watch.tell([&] { return py::cast(progress_of(read, now)); }); };
    std::optional<PackageReport> found = watch.run([&](const StopSource& asked) {
        StopSource stop_of_search;
        const TimeLimit limit(stop_of_search, time_limit, &asked);
        return tilewright::map_package(planned.problem, objective, &stop_of_search, tell);
    });
    std::shared_ptr<PackageReport> report;
    if (found) {
        planned.describe(*found, "map", package);
        report = std::make_shared<PackageReport>(*std::move(found));
    }
    return py::make_tuple(report, watch.interrupted());
}

/// Of a plan's text; `file` stands for it in messages.
std::shared_ptr<PackageReport> evaluate_package(const ReadCascade& read, const std::string& package,
                                                const PackageSettings& settings, const std::string& text,
                                                const std::string& file, const std::vector<DensityWord>& density) {
    refuse_on_packages(read, density);
    const Planned planned(read, package, settings);
    const package::Plan plan =
        package::parse_plan(text, planned.problem.cascade, planned.problem.package.core_count(), file);
    auto report = std::make_shared<PackageReport>(
        tilewright::evaluate_package(planned.problem, plan, {.kind = ObjectiveKind::edp}));
    planned.describe(*report, "evaluate", package);
    report->provenance.inputs.push_back({file, content_hash(text)});
    return report;
}

std::shared_ptr<PackageReport> read_package(const std::string& text, const std::string& file) {
    return std::make_shared<PackageReport>(documents::read_package_report(text, file));
}

}  // namespace

void refuse_on_packages(const ReadCascade& cascade, const std::vector<DensityWord>& density) {
    if (!density.empty()) refuse(refusal(Capability::package, Capability::zeros));
    if (!cascade.partial.empty()) refuse(refusal(Capability::package, Capability::partial_sums));
    if (!cascade.bits.empty()) refuse("bits: plans on packages move words as wide as the network has them");
}

Objective planning_objective(const std::string& text) {
    const std::optional<Objective> objective = parse_objective(text);
    if (!objective) refuse("unknown objective '" + text + "'");
    if (objective->kind == ObjectiveKind::pareto) refuse(refusal(Capability::package, Capability::pareto));
    if (const std::string why = problem_with_planning(*objective); !why.empty()) refuse(why);
    return *objective;
}

void bind_packages(py::module_& module) {
    py::class_<PackageReport, std::shared_ptr<PackageReport>>(module, "PackageReport")
        .def_readonly("network", &PackageReport::cascade)
        .def_readonly("package", &PackageReport::package)
        .def_readonly("interrupted", &PackageReport::interrupted)
        .def_readonly("proven", &PackageReport::proven)
        .def_readonly("bound", &PackageReport::bound)
        .def_readonly("cycles", &PackageReport::cycles)
        .def_readonly("plan", &PackageReport::plan)
        .def_readonly("notes", &PackageReport::notes)
        .def_property_readonly("energy_pj", [](const PackageReport& one) { return one.energy.total(); })
        .def("json", patiently(&report::package_json))
        .def("csv", patiently(&report::package_csv))
        .def("text", patiently(&report::package_text));
    module.def("map_package", &map_package, py::arg("cascade"), py::arg("package"), py::arg("settings"),
               py::arg("objective"), py::arg("time_limit"), py::arg("density"), py::arg("stop"), py::arg("progress"));
    module.def("evaluate_package", patiently(&evaluate_package), py::arg("cascade"), py::arg("package"),
               py::arg("settings"), py::arg("plan"), py::arg("file"), py::arg("density"));
    module.def("read_package_report", patiently(&read_package), py::arg("text"), py::arg("file"));
}

}  // namespace tilewright::python
