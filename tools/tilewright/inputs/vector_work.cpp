#include "inputs/vector_work.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "model/vector/vector.hpp"

namespace tilewright::cli {
namespace {

bool is_same_work(const report::LayerResult& layer, const CascadeEinsum& one) {
    return layer.op == one.op && layer.einsum.dimensions == one.einsum.dimensions &&
           layer.einsum.tensors == one.einsum.tensors;
}

// As other layers call theirs, so that sums over tensors are sums of one kind.
CascadeEinsum named_as_layers_are(CascadeEinsum one) {
    int read = 0;
    int written = 0;
    for (Tensor& tensor : one.einsum.tensors) {
        const int place = tensor.written ? ++written : ++read;
        const std::string number = std::to_string(place);
        if (tensor.written)
            tensor.name = place == 1 ? "Outputs" : "Outputs" + number;
        else
            tensor.name = place == 1 ? "Inputs" : place == 2 ? "Weights" : "Operand" + number;
    }
    return one;
}

}  // namespace

void add_vector_work(const std::vector<Inputs::VectorWork>& work, const Architecture& architecture,
                     const VectorUnit& unit, report::Report& report) {
    const auto begin = static_cast<std::ptrdiff_t>(report.layers.size());
    for (const auto& [einsum, repeats] : work) {
        const CascadeEinsum one = named_as_layers_are(einsum);
        const auto same = std::find_if(report.layers.begin() + begin, report.layers.end(),
                                       [&](const report::LayerResult& layer) { return is_same_work(layer, one); });
        if (same != report.layers.end()) {
            same->names.push_back(one.name);
            same->repeats = checked_add(same->repeats, repeats);
            continue;
        }
        report::LayerResult layer;
        layer.names = {one.name};
        layer.op = one.op;
        layer.repeats = repeats;
        layer.einsum = one.einsum;
        layer.on_vector_unit = true;
        layer.evaluation = evaluate_on_vector_unit(one, architecture, unit);
        report.layers.push_back(std::move(layer));
    }
}

}  // namespace tilewright::cli
