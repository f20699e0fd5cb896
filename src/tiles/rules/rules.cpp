#include "tiles/rules/rules.hpp"

#include <algorithm>
#include <set>

namespace tilewright::tiles {
namespace {

// A let says what it is made of.
void say(const Rules& rules, const std::string& name, std::set<std::string>& said) {
    if (!said.insert(name).second) return;
    const auto let = std::ranges::find(rules.lets, name, &Let::name);
    if (let == rules.lets.end()) return;
    for (const std::string& part : let->value.names()) say(rules, part, said);
}

}  // namespace

std::vector<std::string> names_left_unsaid(const Rules& rules, const std::vector<const IntegerProgram*>& programs) {
    std::set<std::string> said;
    for (const IntegerProgram* program : programs)
        for (const std::string& name : program->names()) say(rules, name, said);
    std::vector<std::string> unsaid;
    for (const std::string& name : rules.chosen)
        if (!said.contains(name)) unsaid.push_back(name);
    return unsaid;
}

}  // namespace tilewright::tiles
