#include "maestro/dataflow/dataflow.hpp"

#include <algorithm>

namespace tilewright::dataflow {

std::vector<std::string> parameters_of(const Dataflow& dataflow) {
    std::vector<std::string> names;
    const auto add = [&](const Size& size) {
        for (std::string& name : parameters_of(size))
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    };
    for (const Directive& directive : dataflow.directives) {
        add(directive.size);
        if (directive.kind != DirectiveKind::cluster) add(directive.offset);
    }
    return names;
}

std::string to_text(const Directive& directive) {
    if (directive.kind == DirectiveKind::cluster)
        return "Cluster(" + to_text(directive.size) + "," + (directive.cluster == ClusterKind::physical ? "P" : "L") +
               ")";
    return std::string(directive.kind == DirectiveKind::spatial ? "SpatialMap(" : "TemporalMap(") +
           to_text(directive.size) + "," + to_text(directive.offset) + ") " + std::string(name_of(directive.axis));
}

}  // namespace tilewright::dataflow
