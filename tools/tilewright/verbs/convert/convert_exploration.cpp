#include "verbs/convert/convert_exploration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "explore/cluster/stores.hpp"
#include "native/exploration.hpp"
#include "options/verb.hpp"
#include "report/exploration/exploration.hpp"
#include "yaml/write.hpp"

namespace tilewright::cli {
namespace {

// What a space file has keys for, by option.
const std::map<std::string, std::string>& space_keys() {
    static const std::map<std::string, std::string> kKeys{{"arch", "arch"},
                                                          {"net", "net"},
                                                          {"layers", "layers"},
                                                          {"mapper", "mapper"},
                                                          {"objective", "objective"},
                                                          {"factors", "factors"},
                                                          {"dataflow", "dataflow"},
                                                          {"limit", "limits"},
                                                          {"cost", "cost"}};
    return kKeys;
}

bool takes_several(const std::string& key) { return key == "net" || key == "layers" || key == "limits"; }

std::vector<std::string> parts_of(const std::string& list) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        parts.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

// What the options of explore are if nothing is said.
std::vector<std::string> usual_arguments() {
    for (const Verb& verb : verbs())
        if (verb.name == std::string("explore")) {
            const std::unique_ptr<Command> command = verb.make();
            Options options;
            command->declare(options);
            return options.arguments({});
        }
    return {};
}

/// The command that began an exploration as a space file.
class SpaceWriter {
   public:
    explicit SpaceWriter(const explore::Recorded& recorded, const explore::WorkOrder& order) : order_(order) {
        bool words = false;
        const std::vector<std::string> usual = usual_arguments();
        for (const std::string& argument : order.arguments) {
            if (std::ranges::find(usual, argument) != usual.end()) continue;
            if (words)
                files_.push_back(argument);
            else if (argument == "--")
                words = true;
            else
                take(argument);
        }
        for (const std::size_t metric : recorded.front)
            values_["pareto"].push_back(recorded.specification.metrics[metric].name);
    }

    Converted written(const std::string& name) && {
        std::string text = "# The space of " + name + "; tilewright explore --space FILE explores it again.\n";
        for (const char* key : {"arch", "net", "layers", "dataflow", "cost"}) text += entry(key);
        text += knobs("let", let_) + knobs("set", set_);
        for (const char* key : {"limits", "mapper", "objective", "factors", "pareto"}) text += entry(key);
        if (!files_.empty())
            notes_.push_back(fmt::format("a space file names no files of machines and layers: give {} beside it",
                                         fmt::join(files_, ", ")));
        return {{{"space.yaml", text}}, notes_, {}};
    }

   private:
    using Knobs = std::vector<std::pair<std::string, std::string>>;

    // "--set=buffer.depth=1k,2k"
    void take(const std::string& argument) {
        const std::size_t equals = argument.find('=');
        const std::string option = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
        const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
        const auto key = space_keys().find(option);
        if (option == "set" || option == "let")
            add_knobs(option == "set" ? set_ : let_, value);
        else if (option == "space")
            take_space(value);
        else if (key != space_keys().end())
            take_value(key->second, value);
        else
            notes_.push_back("a space file has no word for " + argument + ": give it beside it");
    }

    void take_value(const std::string& key, const std::string& value) {
        if (!takes_several(key)) return values_[key].push_back(value);
        for (std::string& part : parts_of(value)) values_[key].push_back(std::move(part));
    }

    // "buffer.depth=1k,2k,technology=45nm,65nm": a part without '=' is one more value.
    static void add_knobs(Knobs& knobs, const std::string& text) {
        for (const std::string& part : parts_of(text)) {
            const std::size_t equals = part.find('=');
            if (equals == std::string::npos && !knobs.empty())
                knobs.back().second += "," + part;
            else
                knobs.emplace_back(part.substr(0, equals), part.substr(equals + 1));
        }
    }

    // What the command line said counts.
    void take_space(const std::string& name) {
        const auto file = std::ranges::find(order_.files, name, &explore::WorkOrder::File::name);
        if (file == order_.files.end()) {
            notes_.push_back("the space file " + name + " is not in the store");
            return;
        }
        const native::Exploration space = native::read_exploration(yaml::parse_text(file->bytes, name));
        const auto fill = [&](const char* key, std::vector<std::string> values) {
            std::erase(values, "");
            if (!values.empty() && values_[key].empty()) values_[key] = std::move(values);
        };
        fill("arch", {space.arch});
        fill("net", space.nets);
        fill("layers", space.layers);
        fill("mapper", {space.mapper});
        fill("objective", {space.objective});
        fill("factors", {space.factors});
        fill("dataflow", {space.dataflow});
        fill("cost", {space.cost});
        for (const native::PlacedText& limit : space.limits) values_["limits"].push_back(limit.text);
        const auto add_others = [](const std::vector<native::PlacedKnob>& from, Knobs& to) {
            for (const native::PlacedKnob& knob : from)
                if (std::ranges::none_of(to, [&](const auto& other) { return other.first == knob.name; }))
                    to.emplace_back(knob.name, knob.values);
        };
        add_others(space.let, let_);
        add_others(space.set, set_);
    }

    std::string entry(const char* key) const {
        const auto found = values_.find(key);
        if (found == values_.end() || found->second.empty()) return "";
        if (!takes_several(key) && std::string(key) != "pareto")
            return fmt::format("{}: {}\n", key, yaml::quoted_text(found->second.front()));
        std::string list;
        for (const std::string& value : found->second) list += (list.empty() ? "" : ", ") + yaml::quoted_text(value);
        return fmt::format("{}: [{}]\n", key, list);
    }

    static std::string knobs(const char* key, const Knobs& knobs) {
        if (knobs.empty()) return "";
        std::string text = std::string(key) + ":\n";
        for (const auto& [name, values] : knobs)
            text += "  " + yaml::quoted_text(name) + ": " + yaml::quoted_text(values) + "\n";
        return text;
    }

    const explore::WorkOrder& order_;
    std::map<std::string, std::vector<std::string>> values_;
    Knobs let_;
    Knobs set_;
    std::vector<std::string> files_;
    std::vector<std::string> notes_;
};

}  // namespace

bool is_exploration(const std::string& name) { return name.ends_with(".sqlite") || cluster::is_postgresql(name); }

Converted exploration_file(const std::string& store, const std::string& format) {
    const explore::Recorded recorded = cluster::read_store(store);
    if (format == "space") return SpaceWriter(recorded, cluster::order_in_store(store)).written(recorded.name);
    const std::vector<explore::Row> rows =
        explore::rows_that_count(explore::all_rows(*recorded.store), recorded.specification);
    Converted converted;
    converted.files.emplace_back("points." + format,
                                 format == "csv" ? report::exploration_csv(recorded.specification, rows)
                                                 : report::exploration_json_lines(recorded.specification, rows));
    if (!recorded.store->is_complete())
        converted.notes.emplace_back("the exploration is not finished: more points may come");
    return converted;
}

}  // namespace tilewright::cli
