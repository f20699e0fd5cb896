// explore(prove=True) and explore_packages(): the best machine or package of a space, as `tilewright explore --prove
// --best` finds it, and every package.
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "base/version.hpp"
#include "parts.hpp"
#include "planning.hpp"
#include "report/codesign/best_machine.hpp"
#include "run/codesign/best_machine.hpp"
#include "run/composition.hpp"
#include "run/explore/mapping_evaluator.hpp"
#include "run/explore/package_evaluator.hpp"
#include "run/package/map_package.hpp"
#include "run/package/package_machine.hpp"
#include "values.hpp"
#include "wishes.hpp"
#include "work.hpp"
#include "zeros.hpp"

namespace tilewright::python {
namespace {

using Knobs = std::vector<std::pair<std::string, std::vector<std::string>>>;

// The network on the machine with the settings of a point.
class Machines : public DesignSource {
   public:
    Machines(const ReadNetwork& network, const Machine& base, const Wishes& wishes,
             const std::vector<DensityWord>& density, const DesignKnobs& knobs)
        : network_(network), base_(base), density_(density), knobs_(knobs), options_(settings_of(wishes, base).map) {}

    const MapOptions& options() const override { return options_; }

    Design design(explore::Point point) override {
        Design design;
        design.point = point;
        try {
            fill(design);
        } catch (const InputError& error) {
            const std::string text = error.what();
            design.failure = text.substr(0, text.find('\n'));
        } catch (const OverflowError& error) {
            design.failure = error.what();
        }
        return design;
    }

   private:
    void fill(Design& design) const {
        std::vector<std::pair<std::string, std::string>> settings;
        for (const timeloop::Setting& one : machine_settings(knobs_, design.point))
            settings.emplace_back(one.name, one.value);
        const Machine machine = base_.with(settings);
        std::vector<std::string> told;
        const SparseFiles zeros = zeros_of(network_, machine, density_, told);
        design.architecture = machine.architecture();
        design.options = options_;
        design.problem = network_problem(network_.network, design.architecture, machine.constraints(),
                                         details_of(network_, zeros, design.architecture));
        if (const std::string why = refusal(capabilities_of(design.problem, options_)); !why.empty())
            throw InputError(ErrorCode::unsupported, {}, why);
    }

    const ReadNetwork& network_;
    const Machine& base_;
    const std::vector<DensityWord>& density_;
    const DesignKnobs& knobs_;
    MapOptions options_;
};

[[noreturn]] void refuse(const std::string& why) { throw InputError(ErrorCode::usage, {}, why); }

// What explore() takes and proofs of machines do not.
void refuse_beside(const Wishes& wishes) {
    if (wishes.latency == "physical") refuse(refusal(Capability::as_built, Capability::certificate));
    if (wishes.refine) refuse(refusal(Capability::refinement, Capability::certificate));
}

std::size_t metric_of(const std::vector<explore::Metric>& metrics, const Objective& objective) {
    for (std::size_t i = 0; i < metrics.size(); ++i)
        if (const std::optional<Objective> one = objective_of(metrics[i]); one && one->kind == objective.kind) return i;
    refuse("prove: energy, latency and edp can be proven, not " + objective_text(objective));
}

DesignKnobs knobs_of(const Knobs& given) {
    std::vector<explore::Knob> knobs;
    for (const auto& [name, values] : given) {
        if (is_search_knob(name) || is_network_knob(name) || is_template_knob(name))
            refuse("prove: only the machine varies here, not '" + name + "'");
        knobs.push_back({name, values, {name}});
    }
    return design_knobs({}, knobs);
}

// Of the machines. What was mapped to begin with may lie in a box that is ruled out.
codesign::Tell tell_decided(Watch& watch, std::int64_t machines) {
    if (!watch.has_callback()) return {};
    return [&watch, machines](const codesign::Answer& now) {
        const codesign::Counts& counts = now.counts;
        const std::int64_t decided = std::min(machines, counts.mapped + counts.worse + counts.impossible);
        watch.tell([&] { return py::make_tuple(decided, machines); });
    };
}

/// (best machine, interrupted); `progress`: called with the machines that are decided and all of them.
py::tuple prove(const ReadNetwork& network, const NamedMachine& machine, const Wishes& wishes,
                const std::vector<DensityWord>& density, const Knobs& given, py::object progress) {
    refuse_beside(wishes);
    const DesignKnobs knobs = knobs_of(given);
    Machines designs(network, machine.machine, wishes, density, knobs);
    explore::Specification specification;
    specification.space = knobs.space;
    specification.metrics = mapping_metrics();
    const std::size_t metric = metric_of(specification.metrics, designs.options().objective);
    Watch watch(std::move(progress), wishes.stop);
    const BestMachineControl control{.certificate = true, .tell = tell_decided(watch, knobs.space.size())};
    BestMachine found = watch.run([&](const StopSource& stop) {
        return best_machine(designs, knobs,
                            {specification, metric, network.network.name + " on " + machine.machine.architecture().name,
                             "", build_version()},
                            wishes.cache->answers(), stop, control);
    });
    report::BestMachineReport& report = found.report;
    report.provenance = provenance_of("explore", machine.machine, network);
    report.provenance.seed = designs.options().seed;
    report.provenance.options = {{"least", specification.metrics[metric].name}};
    std::vector<std::string> notes = notes_of(machine.machine, network);
    report.notes.insert(report.notes.begin(), notes.begin(), notes.end());
    return py::make_tuple(std::move(found), watch.interrupted());
}

// What is planned at every point of a space of packages.
struct Packages {
    ExploredPackage subject;
    PackageMachine machine;  ///< with the values of its file
    explore::Specification specification;
    const ReadCascade& cascade;

    Packages(const ReadCascade& read, const std::string& package, const Knobs& given, const std::string& objective,
             std::optional<double> time_limit, const std::vector<DensityWord>& density)
        : subject{package, without_constant_axes(read.cascade), planning_objective(objective), time_limit},
          machine(PackageMachine::read(package)),
          cascade(read) {
        refuse_on_packages(read, density);
        std::vector<explore::Knob> knobs;
        for (const auto& [name, values] : given) knobs.push_back({name, values, {name}});
        specification.space = explore::Space(knobs);
        specification.metrics = package_metrics();
    }
};

/// The same of packages. `threads`: 0: all.
py::tuple prove_packages(const ReadCascade& read, const std::string& package, const Knobs& given,
                         const std::string& objective, std::optional<double> time_limit,
                         const std::vector<DensityWord>& density, int threads, std::shared_ptr<StopSource> asked,
                         py::object progress) {
    const Packages packages(read, package, given, objective, time_limit, density);
    const explore::Specification& specification = packages.specification;
    const std::size_t metric = metric_of(specification.metrics, packages.subject.objective);
    Watch watch(std::move(progress), std::move(asked));
    const BestMachineControl control{.tell = tell_decided(watch, specification.space.size())};
    BestMachine found = watch.run([&](const StopSource& stop) {
        return best_package(
            packages.subject,
            {specification, metric, read.cascade.name + " on " + packages.machine.package().name, "", build_version()},
            threads, stop, control);
    });
    report::BestMachineReport& report = found.report;
    report.provenance.command = "explore";
    report.provenance.inputs = packages.machine.inputs();
    report.provenance.inputs.insert(report.provenance.inputs.end(), read.inputs.begin(), read.inputs.end());
    report.provenance.options = {{"package", package}, {"least", specification.metrics[metric].name}};
    report.notes.insert(report.notes.begin(), read.notes.begin(), read.notes.end());
    return py::make_tuple(std::move(found), watch.interrupted());
}

/// ((metrics or none, message) of every point, interrupted); `progress`: called with the points that are done and all.
py::tuple plan_packages(const ReadCascade& read, const std::string& package, const Knobs& given,
                        const std::string& objective, std::optional<double> time_limit,
                        const std::vector<DensityWord>& density, std::shared_ptr<StopSource> asked,
                        py::object progress) {
    const Packages packages(read, package, given, objective, time_limit, density);
    const explore::Point size = packages.specification.space.size();
    PackageEvaluator evaluator(packages.subject, packages.specification);
    Watch watch(std::move(progress), std::move(asked));
    const std::vector<explore::Row> rows = watch.run([&](const StopSource& stop) {
        std::vector<explore::Row> found;
        for (explore::Point point = 0; point < size; ++point) {
            std::optional<explore::Batch> batch = evaluator.evaluate({0, point, point + 1}, stop);
            if (!batch) break;
            found.push_back(std::move(batch->rows.front()));
            if (watch.has_callback()) watch.tell([&] { return py::make_tuple(point + 1, size); });
        }
        return found;
    });
    py::list listed;
    for (const explore::Row& row : rows) listed.append(py::make_tuple(row.values, row.message));
    return py::make_tuple(listed, watch.interrupted());
}

// (point, metrics by name), or None.
py::object best_of(const BestMachine& found) {
    if (!found.report.best) return py::none();
    py::dict metrics;
    for (const auto& [name, value] : found.report.best->metrics) metrics[py::str(name)] = value;
    return py::make_tuple(found.report.best->point, metrics);
}

}  // namespace

void bind_prove(py::module_& module) {
    py::class_<BestMachine>(module, "BestMachine")
        .def_property_readonly("proven", [](const BestMachine& one) { return one.report.proven; })
        .def_property_readonly("value", [](const BestMachine& one) { return one.report.value; })
        .def_property_readonly("bound", [](const BestMachine& one) { return one.report.bound; })
        .def_property_readonly("mapped", [](const BestMachine& one) { return one.report.counts.mapped; })
        .def_property_readonly("plan", [](const BestMachine& one) { return one.report.plan; })
        .def_property_readonly("notes", [](const BestMachine& one) { return one.report.notes; })
        .def_property_readonly("best", &best_of)
        .def_readonly("certificate", &BestMachine::certificate)
        .def("json", patiently(+[](const BestMachine& one) { return report::best_machine_json(one.report); }))
        .def("text", patiently(+[](const BestMachine& one) { return report::best_machine_text(one.report); }));
    module.def("prove", &prove, py::arg("network"), py::arg("architecture"), py::arg("options"), py::arg("density"),
               py::arg("knobs"), py::arg("progress"));
    module.def("prove_packages", &prove_packages, py::arg("cascade"), py::arg("package"), py::arg("knobs"),
               py::arg("objective"), py::arg("time_limit"), py::arg("density"), py::arg("threads"), py::arg("stop"),
               py::arg("progress"));
    module.def("plan_packages", &plan_packages, py::arg("cascade"), py::arg("package"), py::arg("knobs"),
               py::arg("objective"), py::arg("time_limit"), py::arg("density"), py::arg("stop"), py::arg("progress"));
}

}  // namespace tilewright::python
