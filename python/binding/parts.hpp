// The parts of the extension module; each file binds one of them.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

namespace tilewright::python {

namespace py = pybind11;

/// "mapper takes optimal, hybrid or random, found 'optimum'; did you mean 'optimal'?": throws it as InputError(usage).
[[noreturn]] void refuse_choice(const std::string& what, const std::string& found,
                                const std::vector<std::string>& known);

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
void bind_zigzag(py::module_& module);
void bind_dataflows(py::module_& module);
void bind_fusion(py::module_& module);
void bind_packages(py::module_& module);
void bind_certificates(py::module_& module);
void bind_prove(py::module_& module);
void bind_llm(py::module_& module);

}  // namespace tilewright::python
