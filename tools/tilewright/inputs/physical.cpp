#include "inputs/physical.hpp"

#include <cmath>

#include "base/numbers/number_text.hpp"
#include "mapping/validity.hpp"
#include "options/verb.hpp"
#include "silicon/gemmini/tiler.hpp"
#include "silicon/systolic/latency.hpp"

namespace tilewright::cli {

silicon::Silicon silicon_of(const std::string& verb, const Inputs& inputs, const Architecture& architecture) {
    std::optional<silicon::Silicon> read = silicon::read_silicon(inputs.root(), architecture);
    if (!read)
        fail_usage(verb,
                   "--latency physical needs a machine with a section 'silicon' (docs/silicon.md), such as gemmini");
    return *std::move(read);
}

std::vector<std::string> replayed_note(const Inputs& inputs, const Architecture& architecture, const std::string& layer,
                                       const Einsum& einsum, const Mapping& mapping) {
    const auto read = silicon::read_silicon(inputs.root(), architecture);
    const auto* machine = read ? std::get_if<silicon::SystolicMachine>(&read->machine) : nullptr;
    if (machine == nullptr) return {};
    const auto tiled = silicon::tiled_layer(einsum, architecture, mapping);
    if (const auto* refusal = std::get_if<std::string>(&tiled)) return {layer + ": no cycles as built: " + *refusal};
    const silicon::Replayed walked = silicon::replay(std::get<silicon::TiledLayer>(tiled), *machine);
    return {layer + ": " + count_text(static_cast<std::int64_t>(std::llround(walked.cycles))) +
            " cycles as built, replayed tile by tile without the network"};
}

GemminiText gemmini_text(const Inputs& inputs, const Layer& layer, const Architecture& architecture,
                         const Mapping& mapping) {
    const auto read = silicon::read_silicon(inputs.root(), architecture);
    const auto* machine = read ? std::get_if<silicon::SystolicMachine>(&read->machine) : nullptr;
    if (machine == nullptr)
        fail_usage("convert", "--to gemmini needs a machine with a systolic array, such as gemmini");
    if (const std::vector<Violation> violations = check(layer.einsum, architecture, mapping); !violations.empty())
        return {"", violations.front().message};
    const auto tiled = silicon::tiled_layer(layer.einsum, architecture, mapping);
    if (const auto* refusal = std::get_if<std::string>(&tiled)) return {"", *refusal};
    const auto& found = std::get<silicon::TiledLayer>(tiled);
    if (std::string problem = silicon::gemmini::problem_with(found, machine->array.rows); !problem.empty())
        return {"", problem};
    return {silicon::gemmini::arguments_text(layer.name, found, machine->array.rows), ""};
}

}  // namespace tilewright::cli
