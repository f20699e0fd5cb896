#include "zeros.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "native/densities/density_file.hpp"
#include "timeloop/sparse/matrix_file.hpp"

namespace tilewright::python {
namespace {

// An array of NumPy's stands where a file's name would.
sparse::DensityRule measured_rule(const std::string& tensor, const std::string& npy) {
    sparse::DensityRule rule = native::read_density_rule(tensor + "=1", "");
    const std::string name = "density '" + tensor + "', an array";
    rule.density = timeloop::read_npy(npy, name);
    rule.from = name;
    return rule;
}

DensityRequest request_of(const std::vector<DensityWord>& words) {
    DensityRequest request{.option = "density"};
    for (const DensityWord& word : words) {
        if (const auto* text = std::get_if<std::string>(&word)) {
            request.words.emplace_back(*text);
            continue;
        }
        const auto& [tensor, npy] = std::get<1>(word);
        try {
            request.words.emplace_back(measured_rule(tensor, npy));
        } catch (const InputError& error) {
            throw InputError(ErrorCode::usage, {}, "density '" + tensor + "': " + error.message());
        }
    }
    return request;
}

}  // namespace

SparseFiles zeros_of(const ReadNetwork& network, const Machine& machine, const std::vector<DensityWord>& words,
                     std::vector<std::string>& notes) {
    SparseFiles zeros = machine.zeros();
    if (!zeros.acts() && !words.empty())
        throw InputError(ErrorCode::usage, {},
                         "density is about machines that do something about zeros (sparse_optimizations): this one "
                         "does not");
    if (!zeros.acts()) return zeros;
    if (!network.problem.is_null()) zeros.add_problem(network.problem);
    const DensityRequest request = request_of(words);
    std::vector<LayerWeights> weights;
    if (request.asks_for_model_zeros() && network.weights) weights = network.weights();
    zeros.give(read_given_densities(request, network.network, network.left_out, {}, weights, notes));
    return zeros;
}

void add_design_notes(const std::vector<sparse::Design>& designs, const Machine& machine,
                      std::vector<std::string>& notes) {
    auto place = notes.begin() + static_cast<std::ptrdiff_t>(machine.file_notes());
    for (const sparse::Design& design : designs)
        if (std::string note = note_about(design); !note.empty() && std::ranges::find(notes, note) == notes.end())
            place = notes.insert(place, std::move(note)) + 1;
}

}  // namespace tilewright::python
