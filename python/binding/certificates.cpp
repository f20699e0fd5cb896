// check(): the verdict on a certificate.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files/file.hpp"
#include "parts.hpp"
#include "run/check/certificates.hpp"
#include "run/words.hpp"
#include "run/zeros/sparse_files.hpp"
#include "values.hpp"
#include "work.hpp"
#include "zeros.hpp"

namespace tilewright::python {
namespace {

/// As Inputs of the command line have them, from what Python has read; outlives what is made of it.
struct Given {
    const ReadNetwork* network = nullptr;  ///< null: judged by what the certificate says
    const NamedMachine* machine = nullptr;
    const Cascade* cascade = nullptr;
    SparseFiles zeros = {};
};

GivenInputs inputs_of(const Given& given) {
    GivenInputs inputs;
    if (given.cascade != nullptr) inputs.cascade = *given.cascade;
    if (given.machine != nullptr) {
        inputs.machine = given.machine->machine.architecture();
        inputs.constraints = given.machine->machine.constraints();
        inputs.zeros = [&given](const Layer& layer) {
            return given.zeros.design(layer, given.machine->machine.architecture());
        };
    }
    if (given.network == nullptr) return inputs;
    const ReadNetwork& network = *given.network;
    inputs.network = network.network;
    inputs.left_out = [&network](const std::string& layer) { return network.left_out.contains(layer); };
    if (given.machine == nullptr || !have_blocks(network.words)) return inputs;
    const auto details = [&network](std::size_t layer) {
        LayerDetails own;
        own.words = network.words[layer];
        return own;
    };
    const NetworkProblem problem = network_problem(network.network, *inputs.machine, inputs.constraints, details);
    give_in_parts_of_bits(problem, inputs);
    return inputs;
}

py::tuple python_of(const CertificateVerdict& verdict, bool interrupted) {
    py::list problems;
    for (const CertificateProblem& problem : verdict.problems)
        problems.append(py::make_tuple(problem.message, problem.where.file, problem.where.line, problem.where.column));
    return py::make_tuple(verdict.confirmed, problems, verdict.interrupted, interrupted);
}

// (confirmed, problems, stopped, by Ctrl-C)
py::tuple check(const std::string& text, const std::string& file, const ReadNetwork* network,
                const NamedMachine* machine, const ReadCascade* cascade, const std::vector<DensityWord>& density,
                std::shared_ptr<StopSource> stop) {
    Given given{network, machine, cascade == nullptr ? nullptr : &cascade->cascade};
    std::vector<std::string> told;
    if (machine != nullptr && network != nullptr) given.zeros = zeros_of(*network, machine->machine, density, told);
    Watch watch(py::none(), std::move(stop));
    const CertificateVerdict verdict = watch.run(
        [&](const StopSource& stopped) { return check_certificate(text, file, inputs_of(given), {.stop = &stopped}); });
    return python_of(verdict, watch.interrupted());
}

}  // namespace

void bind_certificates(py::module_& module) {
    module.def(
        "read_text", [](const std::filesystem::path& file) { return read_file(file, kAnySize); }, py::arg("file"));
    module.def("check", &check, py::arg("text"), py::arg("file"), py::arg("network").none(true),
               py::arg("architecture").none(true), py::arg("cascade").none(true), py::arg("density"), py::arg("stop"));
}

}  // namespace tilewright::python
