// Templates of Jinja: texts, {{ }}, {% %} and {# #}, as a tree of statements (grammar: syntax.hpp).
#include <algorithm>
#include <cctype>

#include "yaml/jinja/syntax.hpp"

namespace tilewright::jinja {
namespace {

constexpr int kMaxStatements = 60;  // statements inside each other

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// One {{ }} or {% %}: its beginning, its contents, and the continuation of the text.
struct Directive {
    char kind = '%';
    std::size_t position = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string word;  // the first of a statement, with `begin` behind it
};

class TemplateParser {
   public:
    explicit TemplateParser(const Document& document) : document_(document), text_(document.text) {}

    Block whole() {
        Block block = read({});
        if (has_end_) document_.fail(end_.position, ErrorCode::syntax, "'" + end_.word + "' without its beginning");
        return block;
    }

   private:
    /// Statements up to one of the words of `ends`, then in `end_`.
    Block read(const std::vector<std::string>& ends);
    void add_text(Block& block, std::size_t end);
    Directive directive(std::size_t position);
    std::size_t end_of(std::size_t position, char kind) const;
    void read_statement(const Directive& found, Block& block);
    Statement branch(const Directive& found);
    Statement loop(const Directive& found);
    Statement assignment(const Directive& found);
    Statement claim(const Directive& found);
    void skip_raw(const Directive& found, Block& block);
    Block inside(const Directive& opening, const std::vector<std::string>& ends);

    const Document& document_;
    std::string_view text_;
    std::size_t at_ = 0;
    bool strip_next_ = false;  // after a "-%}": the following white space is dropped
    Directive end_;
    bool has_end_ = false;
    int depth_ = 0;
};

// Position of the next "{{", "{%" or "{#".
std::size_t next_directive(std::string_view text, std::size_t from) {
    for (std::size_t at = text.find('{', from); at != std::string_view::npos; at = text.find('{', at + 1))
        if (at + 1 < text.size() && std::string_view("{%#").find(text[at + 1]) != std::string_view::npos) return at;
    return text.size();
}

void TemplateParser::add_text(Block& block, std::size_t end) {
    std::size_t begin = at_;
    if (strip_next_)
        while (begin < end && is_space(text_[begin])) ++begin;
    strip_next_ = false;
    std::size_t last = end;
    if (end + 2 < text_.size() && text_[end + 2] == '-')
        while (last > begin && is_space(text_[last - 1])) --last;
    at_ = end;
    if (last == begin) return;
    Statement statement;
    statement.text = text_.substr(begin, last - begin);
    statement.position = begin;
    block.push_back(std::move(statement));
}

// The closing bracket; brackets inside texts do not count.
std::size_t TemplateParser::end_of(std::size_t position, char kind) const {
    const char closing = kind == '{' ? '}' : kind;
    char quote = 0;
    int braces = 0;  // of maps inside {{ }}
    for (std::size_t at = position + 2; at + 1 < text_.size(); ++at) {
        const char c = text_[at];
        if (quote != 0) {
            if (c == '\\') ++at;
            if (c == quote) quote = 0;
        } else if (kind != '#' && (c == '"' || c == '\'')) {
            quote = c;
        } else if (c == closing && text_[at + 1] == '}' && braces == 0) {
            return at;
        } else if (kind == '{' && (c == '{' || c == '}')) {
            braces += c == '{' ? 1 : -1;
        }
    }
    document_.fail(position, ErrorCode::syntax, "the Jinja opened here does not end");
}

Directive TemplateParser::directive(std::size_t position) {
    Directive found;
    found.kind = text_[position + 1];
    found.position = position;
    found.begin = position + 2;
    found.end = end_of(position, found.kind);
    at_ = found.end + 2;
    strip_next_ = found.end > found.begin && text_[found.end - 1] == '-';
    if (strip_next_) --found.end;
    if (found.begin < found.end && (text_[found.begin] == '-' || text_[found.begin] == '+') && found.kind == '%')
        ++found.begin;
    if (found.begin < found.end && text_[found.begin] == '-' && found.kind == '{') ++found.begin;
    if (found.kind != '%') return found;
    while (found.begin < found.end && is_space(text_[found.begin])) ++found.begin;
    while (found.begin < found.end && (std::isalpha(static_cast<unsigned char>(text_[found.begin])) != 0))
        found.word.push_back(text_[found.begin++]);
    return found;
}

Block TemplateParser::read(const std::vector<std::string>& ends) {
    Block block;
    has_end_ = false;
    while (at_ < text_.size()) {
        add_text(block, next_directive(text_, at_));
        if (at_ >= text_.size()) break;
        const Directive found = directive(at_);
        if (found.kind == '#') continue;
        if (found.kind == '{') {
            Statement print;
            print.kind = Statement::Kind::print;
            print.conditions.push_back(parse_expression(document_, found.begin, found.end));
            print.position = found.position;
            block.push_back(std::move(print));
            continue;
        }
        const bool is_end = std::find(ends.begin(), ends.end(), found.word) != ends.end();
        if (is_end || found.word == "else" || found.word == "elif" || found.word.starts_with("end")) {
            if (!is_end && !ends.empty())
                document_.fail(found.position, ErrorCode::syntax,
                               "expected " + list_words(ends) + " before '" + found.word + "'");
            end_ = found;
            has_end_ = true;
            return block;
        }
        read_statement(found, block);
        has_end_ = false;
    }
    return block;
}

Block TemplateParser::inside(const Directive& opening, const std::vector<std::string>& ends) {
    if (++depth_ > kMaxStatements)
        document_.fail(opening.position, ErrorCode::syntax, "the statements of Jinja are nested too deeply");
    Block block = read(ends);
    --depth_;
    if (!has_end_)
        document_.fail(opening.position, ErrorCode::syntax, "'" + opening.word + "' has no '" + ends.back() + "'");
    has_end_ = false;
    return block;
}

void TemplateParser::read_statement(const Directive& found, Block& block) {
    if (found.word == "if") return block.push_back(branch(found));
    if (found.word == "for") return block.push_back(loop(found));
    if (found.word == "set") return block.push_back(assignment(found));
    if (found.word == "raw") return skip_raw(found, block);
    if (found.word == "assert") return block.push_back(claim(found));
    if (found.word == "include") {
        Statement include;
        include.kind = Statement::Kind::include;
        include.conditions.push_back(parse_expression(document_, found.begin, found.end));
        include.position = found.position;
        return block.push_back(std::move(include));
    }
    document_.fail(
        found.position, ErrorCode::unsupported,
        "the Jinja statement '" + found.word + "' is not supported; known are set, if, for, include, assert and raw");
}

Statement TemplateParser::branch(const Directive& found) {
    Statement statement;
    statement.kind = Statement::Kind::branch;
    statement.position = found.position;
    Directive condition = found;
    for (;;) {
        statement.conditions.push_back(parse_expression(document_, condition.begin, condition.end));
        statement.blocks.push_back(inside(found, {"elif", "else", "endif"}));
        condition = end_;
        if (condition.word != "elif") break;
    }
    if (condition.word == "else") statement.blocks.push_back(inside(found, {"endif"}));
    return statement;
}

Statement TemplateParser::loop(const Directive& found) {
    Statement statement = parse_loop_head(document_, found.begin, found.end);
    statement.position = found.position;
    statement.blocks.push_back(inside(found, {"else", "endfor"}));
    if (end_.word == "else") statement.blocks.push_back(inside(found, {"endfor"}));
    return statement;
}

// "a = 1", "a, b = pair" or "a" alone, before its text.
Statement TemplateParser::assignment(const Directive& found) {
    Statement statement;
    statement.kind = Statement::Kind::set;
    statement.position = found.position;
    std::size_t at = found.begin;
    const auto skip = [&] {
        while (at < found.end && is_space(text_[at])) ++at;
    };
    for (;;) {
        skip();
        const std::size_t begin = at;
        while (at < found.end && (std::isalnum(static_cast<unsigned char>(text_[at])) != 0 || text_[at] == '_')) ++at;
        if (at == begin || std::isdigit(static_cast<unsigned char>(text_[begin])) != 0)
            document_.fail(begin, ErrorCode::syntax, "expected 'set NAME = value'");
        statement.names.emplace_back(text_.substr(begin, at - begin));
        skip();
        if (at >= found.end || text_[at] != ',') break;
        ++at;
    }
    if (at < found.end && text_[at] == '=') {
        statement.conditions.push_back(parse_tuple(document_, at + 1, found.end));
    } else if (at == found.end && statement.names.size() == 1) {
        statement.blocks.push_back(inside(found, {"endset"}));
    } else {
        document_.fail(at, ErrorCode::syntax, "expected 'set NAME = value'");
    }
    return statement;
}

Statement TemplateParser::claim(const Directive& found) {
    Statement statement;
    statement.kind = Statement::Kind::claim;
    statement.position = found.position;
    Expression both = parse_tuple(document_, found.begin, found.end);
    if (both.kind == Expression::Kind::list && both.parts.size() == 2)
        statement.conditions = std::move(both.parts);
    else
        statement.conditions.push_back(std::move(both));
    return statement;
}

void TemplateParser::skip_raw(const Directive& found, Block& block) {
    for (std::size_t at = next_directive(text_, at_); at < text_.size(); at = next_directive(text_, at + 2)) {
        if (text_[at + 1] != '%') continue;
        std::size_t word = at + 2;
        while (word < text_.size() && (is_space(text_[word]) || text_[word] == '-')) ++word;
        if (!text_.substr(word).starts_with("endraw")) continue;
        add_text(block, at);
        (void)directive(at);
        return;
    }
    document_.fail(found.position, ErrorCode::syntax, "'raw' has no 'endraw'");
}

}  // namespace

Document::Document(std::string name, std::string content) : file(std::move(name)), text(std::move(content)), lines{0} {
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 1))
        lines.push_back(end + 1);
}

void Document::fail(std::size_t position, ErrorCode code, const std::string& message) const {
    position = std::min(position, text.size());
    const std::size_t before = position == 0 ? std::string::npos : text.rfind('\n', position - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    std::string_view line = std::string_view(text).substr(begin);
    line = line.substr(0, line.find_first_of("\r\n"));
    throw InputError(code, {file, line_at(position), static_cast<int>(position - begin) + 1}, message, line);
}

int Document::line_at(std::size_t position) const {
    return static_cast<int>(std::upper_bound(lines.begin(), lines.end(), position) - lines.begin());
}

Block parse_template(const Document& document) { return TemplateParser(document).whole(); }

}  // namespace tilewright::jinja
