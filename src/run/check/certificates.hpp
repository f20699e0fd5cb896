// The verdict on a certificate: what it claims is proven again, and compared with what the user has.
//
//     const CertificateVerdict verdict = check_certificate(read_file("out/certificate.json"), "out/certificate.json");
//     if (verdict.holds()) std::cout << verdict.confirmed.back() << '\n';
//
// Of layers, of fused mappings, of plans on packages and of best machines; docs/certificate.md says what each proves.
// The proof is code of its own, which shares no counts with the searches. Thread-safe: values in, values out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "base/error.hpp"
#include "base/stop.hpp"
#include "mapspace/constraints.hpp"
#include "package/package.hpp"
#include "run/mapping/layer_mapping.hpp"
#include "run/package/package_machine.hpp"
#include "sparse/design.hpp"
#include "workload/cascade/cascade.hpp"
#include "workload/network.hpp"

namespace tilewright {

/// One thing that is wrong with a certificate, or not confirmed.
struct CertificateProblem {
    Location where;
    std::string message;
};

struct CertificateVerdict {
    std::vector<std::string> confirmed;  ///< a sentence about what it speaks of, and one per layer
    std::vector<CertificateProblem> problems;
    bool interrupted = false;  ///< stopped before all was confirmed

    /// All that it claims is confirmed.
    bool holds() const { return problems.empty() && !interrupted; }
};

/// What the user has, of which the certificate has to speak. Nothing: it is judged by what stands in it.
struct GivenInputs {
    std::optional<Architecture> machine = {};
    std::optional<Network> network = {};
    std::optional<Cascade> cascade = {};                                    ///< for fused mappings and plans
    std::function<Constraints(const Einsum&)> constraints = {};             ///< of the given machine
    std::function<std::optional<sparse::Design>(const Layer&)> zeros = {};  ///< what it does about them
    std::function<bool(const std::string&)> left_out = {};                  ///< a layer that was not asked for
    std::vector<LayerMapping> mappings = {};                                ///< of the network
    std::optional<package::Package> package = {};                           ///< for plans, with the cascade to plan
    ConstraintsOfKind package_constraints = {};                             ///< of its cores
};

struct NetworkProblem;

/// Words in blocks: certificates speak of layers and a machine in parts of a bit. `given` has the network and machine
/// of `problem`.
void give_in_parts_of_bits(const NetworkProblem& problem, GivenInputs& given);

struct CertificateControl {
    const StopSource* stop = nullptr;                       ///< leaves the rest unconfirmed
    std::function<void(const std::string&)> progress = {};  ///< a line for people; from any thread, one at a time
};

/// Checks all claims of a certificate, on all cores, and compares it with what lies beside `file`, where that is called
/// certificate.json, and with what is given. Throws InputError where it cannot be read.
CertificateVerdict check_certificate(const std::string& text, const std::string& file, const GivenInputs& given = {},
                                     const CertificateControl& control = {});

}  // namespace tilewright
