// Architecture: a machine by name or from files.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "parts.hpp"
#include "report/json.hpp"
#include "report/show_text.hpp"
#include "timeloop/files/zoo.hpp"
#include "values.hpp"
#include "work.hpp"

namespace tilewright::python {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

NamedMachine named(const std::string& name) { return {name, Machine::named(name)}; }

NamedMachine read(const std::vector<std::filesystem::path>& files) {
    Machine machine = Machine::read(files);
    const std::string& own = machine.architecture().name;
    return {own.empty() ? files.front().stem().string() : own, std::move(machine)};
}

NamedMachine parse(const std::string& text, const std::string& name) {
    Machine machine = Machine::parse(text, name);
    const std::string& own = machine.architecture().name;
    return {own.empty() ? std::filesystem::path(name).stem().string() : own, std::move(machine)};
}

NamedMachine with_unnamed(const NamedMachine& one, const std::string& what) {
    if (what != "ignore" && what != "error") refuse_choice("unnamed", what, {"ignore", "error"});
    return {one.name, one.machine.with_unnamed(what == "ignore")};
}

NamedMachine with(const NamedMachine& one, const Settings& settings) { return {one.name, one.machine.with(settings)}; }

void check_settings(const NamedMachine& one, const Settings& settings) { one.machine.check_names(settings); }

std::vector<std::string> memory_names(const NamedMachine& one) {
    std::vector<std::string> names;
    for (const Memory& memory : one.machine.architecture().memories) names.push_back(memory.name);
    return names;
}

}  // namespace

void bind_architectures(py::module_& module) {
    py::class_<NamedMachine>(module, "Architecture")
        .def_readonly("name", &NamedMachine::name)
        .def_property_readonly("memories", &memory_names)
        .def_property_readonly("units",
                               [](const NamedMachine& one) { return one.machine.architecture().compute.instances; })
        .def_property_readonly("cycle_seconds",
                               [](const NamedMachine& one) { return one.machine.architecture().cycle_seconds; })
        .def_property_readonly("area_um2",
                               [](const NamedMachine& one) { return total_area_um2(one.machine.architecture()); })
        .def_property_readonly("notes", [](const NamedMachine& one) { return one.machine.notes(); })
        .def("with_settings", patiently(&with), py::arg("settings"))
        .def("with_unnamed", patiently(&with_unnamed), py::arg("what"))
        .def("check_settings", &check_settings, py::arg("settings"))
        .def("json", [](const NamedMachine& one) { return report::show_json(&one.machine.architecture(), nullptr); })
        .def("text", [](const NamedMachine& one) { return report::architecture_text(one.machine.architecture()); })
        .def("energies_text",
             [](const NamedMachine& one) { return report::energies_text(one.machine.architecture()); });
    module.def("named_architecture", patiently(&named), py::arg("name"));
    module.def("parse_architecture", patiently(&parse), py::arg("text"), py::arg("name"));
    module.def("read_architecture", patiently(&read), py::arg("files"));
    module.def("zoo_architectures", &timeloop::zoo_architectures);
}

}  // namespace tilewright::python
