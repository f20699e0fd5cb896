#include "native/exploration.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace tilewright::native {
namespace {

std::string scalar_text(const yaml::Node& node) {
    const std::string& text = node.text();
    if (text.empty()) node.fail(ErrorCode::bad_value, "expected a text or a number, found an empty one");
    return text;
}

// One text, or a list of them.
std::vector<PlacedText> texts_of(const yaml::Node& node) {
    if (node.is_scalar()) return {{scalar_text(node), node.where()}};
    std::vector<PlacedText> texts;
    for (const yaml::Node& item : node.items()) texts.push_back({scalar_text(item), item.where()});
    if (texts.empty()) node.fail(ErrorCode::bad_value, "expected at least one value, found none");
    return texts;
}

std::vector<PlacedKnob> knobs_of(const yaml::Node& node) {
    std::vector<PlacedKnob> knobs;
    for (const yaml::Node::Entry& entry : node.entries()) {
        std::string values;
        for (const PlacedText& value : texts_of(entry.value)) values += (values.empty() ? "" : ",") + value.text;
        knobs.push_back({entry.key, std::move(values), entry.value.where()});
    }
    return knobs;
}

// A file from elsewhere must not choose write locations: only the command's user may.
void refuse_other_place(const yaml::Node& store) {
    const std::filesystem::path path(store.text());
    const bool leaves = std::find(path.begin(), path.end(), "..") != path.end();
    if (path.is_absolute() || leaves || store.text().find("://") != std::string::npos)
        store.fail(ErrorCode::bad_value,
                   "expected a file in the folder where the command is given or below; --store may name any place");
}

}  // namespace

Exploration read_exploration(const yaml::Node& root) {
    root.expect_keys({"arch", "net", "layers", "let", "set", "limits", "mapper", "objective", "factors", "dataflow",
                      "cost", "pareto", "best", "store"});
    Exploration exploration;
    const auto text = [&](const char* key, std::string& target) {
        if (const yaml::Node* node = root.find(key)) target = scalar_text(*node);
    };
    const auto list = [&](const char* key, std::vector<std::string>& target) {
        if (const yaml::Node* node = root.find(key))
            for (PlacedText& one : texts_of(*node)) target.push_back(std::move(one.text));
    };
    text("arch", exploration.arch);
    list("net", exploration.nets);
    list("layers", exploration.layers);
    if (const yaml::Node* node = root.find("let")) exploration.let = knobs_of(*node);
    if (const yaml::Node* node = root.find("set")) exploration.set = knobs_of(*node);
    if (const yaml::Node* node = root.find("limits")) exploration.limits = texts_of(*node);
    text("mapper", exploration.mapper);
    text("objective", exploration.objective);
    text("factors", exploration.factors);
    text("dataflow", exploration.dataflow);
    text("cost", exploration.cost);
    list("pareto", exploration.pareto);
    text("best", exploration.best);
    text("store", exploration.store);
    if (const yaml::Node* store = root.find("store")) refuse_other_place(*store);
    return exploration;
}

}  // namespace tilewright::native
