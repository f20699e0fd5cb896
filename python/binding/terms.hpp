// What cycles went to, as Python has it.
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "report/simulation/terms.hpp"

namespace tilewright::python {

namespace py = pybind11;

/// A list of (name, the model's cycles, simulated cycles).
inline py::list terms_of_python(const std::vector<report::Term>& terms) {
    py::list list;
    for (const report::Term& term : terms)
        list.append(py::make_tuple(term.name, term.model_cycles, term.simulated_cycles));
    return list;
}

}  // namespace tilewright::python
