// The parts of the extension module; each file binds one of them.
#pragma once

#include <pybind11/pybind11.h>

namespace tilewright::python {

namespace py = pybind11;

void bind_errors(py::module_& module);
void bind_work(py::module_& module);
void bind_architectures(py::module_& module);
void bind_networks(py::module_& module);
void bind_reports(py::module_& module);
void bind_map(py::module_& module);
void bind_evaluate(py::module_& module);
void bind_schedule(py::module_& module);
void bind_simulated_machine(py::module_& module);
void bind_simulate(py::module_& module);
void bind_replay(py::module_& module);

}  // namespace tilewright::python
