#include "tiles/files/read_forms.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace tilewright::tiles {
namespace {

// The places of a text of several lines are not known: it is named as a whole.
PlacedText value_at(const yaml::Node& node, const std::string& text, std::size_t begin, std::size_t length) {
    PlacedText part{text.substr(begin, length), node.where()};
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

}  // namespace

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

}  // namespace tilewright::tiles
