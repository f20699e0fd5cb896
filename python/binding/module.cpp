// The extension module tilewright._core: values and functions of the library as Python objects, one idea per file. What
// users see is the package beside it (python/tilewright), which says in its stubs (_core.pyi) what is here.
#include "base/version.hpp"
#include "parts.hpp"

namespace tilewright::python {
void bind_tiles(py::module_& module);
}

PYBIND11_MODULE(_core, module) {
    module.doc() = "Tilewright's library (docs/python.md); use the package tilewright instead";
    module.attr("version") = tilewright::version();
    tilewright::python::bind_errors(module);
    tilewright::python::bind_work(module);
    tilewright::python::bind_architectures(module);
    tilewright::python::bind_networks(module);
    tilewright::python::bind_reports(module);
    tilewright::python::bind_evaluate(module);
    tilewright::python::bind_simulated_machine(module);
    tilewright::python::bind_map(module);
    tilewright::python::bind_schedule(module);
    tilewright::python::bind_simulate(module);
    tilewright::python::bind_replay(module);
    tilewright::python::bind_zigzag(module);
    tilewright::python::bind_dataflows(module);
    tilewright::python::bind_fusion(module);
    tilewright::python::bind_packages(module);
    tilewright::python::bind_certificates(module);
    tilewright::python::bind_prove(module);
    tilewright::python::bind_llm(module);
    tilewright::python::bind_tiles(module);
}
