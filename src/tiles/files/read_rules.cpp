#include "tiles/files/read_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/scanner.hpp"

namespace tilewright::tiles {
namespace {

// The places of a text of several lines are not known: it is named as a whole.
PlacedText value_at(const yaml::Node& node, const std::string& text, std::size_t begin, std::size_t length) {
    PlacedText part{text.substr(begin, length), node.where(), std::string(node.source_line())};
    const bool one_line = text.find('\n') == std::string::npos;
    if (part.where.column > 0 && one_line) part.where.column += static_cast<int>(begin) + (node.is_quoted() ? 1 : 0);
    return part;
}

Form read_form(const std::string& name, const yaml::Node& node, const Names& names) {
    Form form;
    form.name = name;
    const std::string& text = node.text();
    std::string literal;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool twice = at + 1 < text.size() && text[at + 1] == text[at];
        if (text[at] != '{' && text[at] != '}') {
            literal += text[at];
        } else if (twice) {
            literal += text[at++];
        } else {
            const std::size_t end = text.find('}', at);
            if (text[at] == '}' || end == std::string::npos)
                node.fail(ErrorCode::syntax, "a brace without its other; '{{' and '}}' stand for themselves");
            form.texts.push_back(std::move(literal));
            literal.clear();
            form.values.push_back(names.compiled(value_at(node, text, at + 1, end - at - 1)));
            at = end;
        }
    }
    form.texts.push_back(std::move(literal));
    return form;
}

// `node`: a map of names and texts. "{{" and "}}" are braces. What a text does not say of a point is kept by name.
std::vector<Form> read_forms(const yaml::Node& node, const Rules& rules, const Names& names) {
    std::vector<Form> forms;
    for (const yaml::Node::Entry& entry : node.entries()) {
        Form form = read_form(entry.key, entry.value, names);
        std::vector<const IntegerProgram*> values;
        for (const IntegerProgram& value : form.values) values.push_back(&value);
        form.left_unsaid = names_left_unsaid(rules, values);
        forms.push_back(std::move(form));
    }
    return forms;
}

constexpr const char* kSource = "source";

class RulesReader {
   public:
    explicit RulesReader(const yaml::Node& document) : document_(document) {}

    Rules read() {
        document_.expect_keys({"version", "kernel", kSource, "given", "machine", "choose", "let", "require", "reason",
                               "minimize", "objective", "time", "quality", "bound", "left_out", "map", "forms",
                               "calibrate"});
        if (document_.at("version").integer() != 1)
            document_.at("version").fail(ErrorCode::unsupported, "version 1 of rule files is known");
        rules_.kernel = document_.at("kernel").text();
        rules_.source = text_at(kSource);
        rules_.left_out = text_at("left_out");
        read_names();
        read_choices();
        read_lets();
        read_requirements();
        plan();
        read_objectives();
        read_map();
        if (const yaml::Node* forms = document_.find("forms")) rules_.forms = read_forms(*forms, rules_, names_);
        read_calibrate();
        return std::move(rules_);
    }

   private:
    std::string text_at(const char* key) const {
        const yaml::Node* node = document_.find(key);
        return node == nullptr ? "" : node->text();
    }

    int new_name(const std::string& name, const yaml::Node& place) {
        if (Scanner(name).name_here() != name || name.empty())
            place.fail(ErrorCode::bad_value, fmt::format("'{}' is no name: letters, digits and _", name));
        if (is_word_of_language(name))
            place.fail(ErrorCode::duplicate_key, fmt::format("'{}' is a word of the rule language", name));
        const int slot = static_cast<int>(names_.slots.size());
        if (!names_.slots.emplace(name, slot).second)
            place.fail(ErrorCode::duplicate_key, fmt::format("'{}' stands there twice", name));
        names_.known.push_back(name);
        return slot;
    }

    // Slots first, of all that expressions may name: they stand in any order.
    void read_names() {
        for (const char* key : {"given", "machine"}) {
            const yaml::Node* node = document_.find(key);
            if (node == nullptr) continue;
            for (const yaml::Node& name : node->items()) {
                new_name(name.text(), name);
                (key == std::string_view("given") ? rules_.given : rules_.machine).push_back(name.text());
            }
        }
        for (const yaml::Node::Entry& entry : document_.at("choose").entries()) name_choice(entry);
        if (rules_.chosen.empty()) document_.at("choose").fail(ErrorCode::bad_value, "expected something to choose");
        if (rules_.chosen.size() > kMostChosen)
            document_.at("choose").fail(ErrorCode::bad_value, fmt::format("at most {} names are chosen", kMostChosen));
        if (const yaml::Node* lets = document_.find("let"))
            for (const yaml::Node::Entry& entry : lets->entries())
                rules_.lets.push_back({entry.key, new_name(entry.key, entry.key_node), {}});
    }

    // "tile_m, tile_n": chosen together.
    void name_choice(const yaml::Node::Entry& entry) {
        Choice choice;
        choice.where = entry.value.where();
        Scanner scanner(entry.key);
        do {
            scanner.finished();
            const std::string name{scanner.name()};
            const int slot = new_name(name, entry.key_node);
            if (choice.names.empty()) choice.slot = slot;
            choice.names.push_back(name);
            rules_.chosen.push_back(name);
        } while (scanner.accept(','));
        if (!scanner.finished())
            entry.key_node.fail(ErrorCode::syntax, fmt::format("expected a name, found '{}'", entry.key));
        rules_.choices.push_back(std::move(choice));
    }

    void read_choices() {
        std::size_t index = 0;
        for (const yaml::Node::Entry& entry : document_.at("choose").entries()) {
            Choice& choice = rules_.choices[index++];
            choice.values = read_values(entry.value, choice.names.size(), names_);
            choice.text = entry.value.is_scalar() ? entry.value.text() : "its list";
        }
    }

    void read_lets() {
        const yaml::Node* lets = document_.find("let");
        if (lets == nullptr) return;
        std::size_t index = 0;
        for (const yaml::Node::Entry& entry : lets->entries())
            rules_.lets[index++].value = names_.compiled(entry.value);
    }

    void read_requirements() {
        const yaml::Node* requirements = document_.find("require");
        if (requirements != nullptr)
            for (const yaml::Node& item : requirements->items())
                rules_.requirements.push_back({names_.compiled(item), ""});
        if (rules_.requirements.size() > kMostRequirements)
            requirements->fail(ErrorCode::bad_value, fmt::format("at most {} requirements", kMostRequirements));
        const yaml::Node* reasons = document_.find("reason");
        if (reasons == nullptr) return;
        for (const yaml::Node::Entry& entry : reasons->entries()) {
            const std::int64_t number = entry.key_node.integer();
            if (number < 0 || number >= static_cast<std::int64_t>(rules_.requirements.size()))
                entry.key_node.fail(ErrorCode::bad_value,
                                    fmt::format("there is no requirement {}; they count from 0", number));
            rules_.requirements[number].reason = entry.value.text();
        }
    }

    // A let or requirement is ready as soon as its names have values.
    void plan() {
        known_.insert(rules_.given.begin(), rules_.given.end());
        known_.insert(rules_.machine.begin(), rules_.machine.end());
        std::vector<bool> let_done(rules_.lets.size());
        std::vector<bool> requirement_done(rules_.requirements.size());
        rules_.ready.push_back(ready_now(let_done, requirement_done));
        for (const Choice& choice : rules_.choices) {
            for (const IntegerProgram* bound : {&choice.values.low, &choice.values.high}) check_bound(choice, *bound);
            known_.insert(choice.names.begin(), choice.names.end());
            rules_.ready.push_back(ready_now(let_done, requirement_done));
        }
        for (std::size_t i = 0; i < let_done.size(); ++i)
            if (!let_done[i]) fail_circle(i);
    }

    Ready ready_now(std::vector<bool>& let_done, std::vector<bool>& requirement_done) {
        Ready ready;
        const auto known = [&](const IntegerProgram& program) {
            return std::ranges::all_of(program.names(), [&](const std::string& name) { return known_.contains(name); });
        };
        for (bool grew = true; grew;) {
            grew = false;
            for (std::size_t i = 0; i < rules_.lets.size(); ++i) {
                if (let_done[i] || !known(rules_.lets[i].value)) continue;
                let_done[i] = grew = true;
                ready.lets.push_back(static_cast<int>(i));
                known_.insert(rules_.lets[i].name);
            }
        }
        for (std::size_t i = 0; i < rules_.requirements.size(); ++i) {
            if (requirement_done[i] || !known(rules_.requirements[i].holds)) continue;
            requirement_done[i] = true;
            ready.requirements.push_back(static_cast<int>(i));
        }
        return ready;
    }

    void check_bound(const Choice& choice, const IntegerProgram& bound) const {
        for (const std::string& name : bound.names())
            if (!known_.contains(name))
                throw InputError(
                    ErrorCode::bad_value, bound.where(),
                    fmt::format("the values of '{}' need '{}', which is chosen later", choice.names.front(), name));
    }

    [[noreturn]] void fail_circle(std::size_t first) const {
        std::vector<std::string> circle;
        std::string name = rules_.lets[first].name;
        while (std::ranges::find(circle, name) == circle.end()) {
            circle.push_back(name);
            const auto let = std::ranges::find(rules_.lets, name, &Let::name);
            name = *std::ranges::find_if(let->value.names(), [&](const auto& used) { return !known_.contains(used); });
        }
        const auto begin = std::ranges::find(circle, name);
        std::string text;
        for (auto at = begin; at != circle.end(); ++at) text += *at + " -> ";
        const auto let = std::ranges::find(rules_.lets, name, &Let::name);
        throw InputError(ErrorCode::bad_value, let->value.where(), fmt::format("a circle of lets: {}{}", text, name));
    }

    void read_objectives() {
        if (const yaml::Node* minimize = document_.find("minimize")) {
            if (minimize->is_sequence()) {
                for (const yaml::Node& item : minimize->items()) rules_.minimize.push_back(names_.compiled(item));
            } else {
                rules_.minimize.push_back(names_.compiled(*minimize));
            }
        }
        if (rules_.minimize.size() > 4) document_.at("minimize").fail(ErrorCode::bad_value, "at most four counts");
        if (const yaml::Node* quality = document_.find("quality"))
            for (const yaml::Node& item : quality->items()) rules_.quality.push_back(names_.compiled(item));
        rules_.objective = text_at("objective");
        const yaml::Node* time = document_.find("time");
        if (time == nullptr) return;
        Names names = names_;
        if (const yaml::Node* bound = document_.find("bound")) rules_.bound = bound_of(*bound);
        for (const yaml::Node::Entry& entry : time->entries()) {
            if (names.slots.contains(entry.key) || is_word_of_language(entry.key))
                entry.key_node.fail(ErrorCode::duplicate_key, fmt::format("'{}' stands there twice", entry.key));
            RealProgram value = names.compiled_time(entry.value);
            const int slot = static_cast<int>(names.slots.size());
            names.slots.emplace(entry.key, slot);
            names.known.push_back(entry.key);
            rules_.time.push_back({entry.key, slot, std::move(value)});
        }
        if (rules_.time.empty() || rules_.time.back().name != "us")
            time->fail(ErrorCode::missing_key, "expected 'us', the time of a point in microseconds, as the last part");
    }

    RealProgram bound_of(const yaml::Node& node) const {
        RealProgram bound = names_.compiled_time(node);
        for (const std::string& name : bound.names())
            if (names_.slots.at(name) >= rules_.point_slot())
                node.fail(ErrorCode::bad_value,
                          fmt::format("a bound holds for every point: it may not name '{}', only what is given and "
                                      "numbers of the machine",
                                      name));
        return bound;
    }

    void read_map() {
        const yaml::Node* map = document_.find("map");
        if (map == nullptr) return;
        for (const yaml::Node::Entry& entry : map->entries()) {
            MappedDimension dimension{entry.key, {}};
            for (const yaml::Node& item : entry.value.items()) dimension.tiles.push_back(names_.compiled(item));
            if (dimension.tiles.size() < 2)
                entry.value.fail(ErrorCode::bad_value,
                                 "expected tiles from the inside out, and the extent as the last");
            if (!rules_.map.empty() && rules_.map.front().tiles.size() != dimension.tiles.size())
                entry.value.fail(ErrorCode::bad_value,
                                 fmt::format("expected {} tiles, as many as the first dimension has",
                                             rules_.map.front().tiles.size()));
            rules_.map.push_back(std::move(dimension));
        }
    }

    void read_calibrate() {
        const yaml::Node* calibrate = document_.find("calibrate");
        if (calibrate == nullptr) return;
        for (const yaml::Node::Entry& entry : calibrate->entries()) {
            if (std::ranges::find(rules_.machine, entry.key) == rules_.machine.end())
                entry.key_node.fail(ErrorCode::unknown_name,
                                    fmt::format("'{}' is no number of the machine{}", entry.key,
                                                did_you_mean(entry.key, rules_.machine)));
            std::vector<double> values;
            for (const yaml::Node& item : entry.value.items()) values.push_back(item.real());
            rules_.calibrate.emplace_back(entry.key, std::move(values));
        }
    }

    const yaml::Node& document_;
    Rules rules_;
    Names names_;
    std::set<std::string> known_;
};

}  // namespace

Rules read_rules(const yaml::Node& document) { return RulesReader(document).read(); }

}  // namespace tilewright::tiles
