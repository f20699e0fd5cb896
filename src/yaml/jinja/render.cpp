#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "base/files/file.hpp"
#include "yaml/jinja/evaluate.hpp"
#include "yaml/jinja/files.hpp"
#include "yaml/jinja/jinja.hpp"

namespace tilewright::jinja {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxOutput = 64U << 20U;  // limits multiplying includes
constexpr std::size_t kMaxLines = 2'000'000;
constexpr std::size_t kMaxOpen = 32;  // includes inside each other
constexpr int kMaxIncludes = 10'000;
constexpr std::int64_t kMaxTurns = 1'000'000;  // of all loops together
constexpr std::int64_t kMaxSteps = 20'000'000;
constexpr std::int64_t kMaxRange = 100'000;

/// Shared state of one expansion's templates.
struct Shared {
    Files files;
    std::string folder;  // cwd()
    Variables variables;
    std::vector<std::string> open;  // the files being read, outermost first
    int includes = 0;
    std::int64_t turns = kMaxTurns;
    std::int64_t steps = kMaxSteps;
    std::size_t written = 0;
};

using Names = std::map<std::string, Value>;

/// Expands templates into one text. Included text shares a renderer's scopes; an included value has a renderer of its
/// own.
class Renderer {
   public:
    explicit Renderer(Shared& shared) : shared_(shared) {}

    yaml::Source whole(const std::string& text, const std::string& file) {
        output_.file = file;
        shared_.open.push_back(fs::path(file).lexically_normal().string());
        expand(text, file);
        shared_.open.pop_back();
        return std::move(output_);
    }

    void give(const Names& names) { scopes_.push_back(names); }

   private:
    void expand(const std::string& text, const std::string& file);
    void render(const Block& block);
    void render(const Statement& statement);
    void print(const Statement& statement);
    void set(const Statement& statement);
    void branch(const Statement& statement);
    void loop(const Statement& statement);
    void check(const Statement& statement);
    void assign(const std::vector<std::string>& names, const Value& value, std::size_t place);
    void turn(const Statement& statement, const List& items, std::size_t i);
    void write(std::string_view text, std::size_t position, bool moves);
    void insert(const yaml::Node& node, std::size_t position);

    Value variable(const std::string& name) const;
    Value call(const std::string& name, const std::vector<Value>& arguments, std::size_t place);
    Value include(const std::vector<Value>& arguments, std::size_t place);
    Value include_all(const std::vector<Value>& arguments, std::size_t place);
    Value range(const std::vector<Value>& arguments, std::size_t place) const;
    Value rounded(const std::string& name, const std::vector<Value>& arguments, std::size_t place) const;
    Value find_path(const std::vector<Value>& arguments, std::size_t place) const;
    void include_text(const std::string& name, std::size_t place);
    yaml::Node value_in(const fs::path& path, const std::vector<std::string>& keys, std::size_t place);
    fs::path file_named(const std::string& name, std::size_t place) const;
    void enter(const fs::path& path, std::size_t place);
    std::string argument(const std::vector<Value>& arguments, std::size_t i, std::size_t place) const;
    fs::path here() const { return fs::path(document_->file).parent_path(); }

    Context context() {
        return {*document_, [this](const std::string& name) { return variable(name); },
                [this](const std::string& name, const std::vector<Value>& arguments, std::size_t place) {
                    return call(name, arguments, place);
                },
                shared_.steps};
    }
    Value value(const Expression& expression) { return evaluate(expression, context()); }
    [[noreturn]] void fail(std::size_t place, ErrorCode code, const std::string& message) const {
        document_->fail(place, code, message);
    }

    Shared& shared_;
    const Document* document_ = nullptr;
    std::vector<Names> scopes_{{}};
    yaml::Source output_;
    std::string* capture_ = nullptr;  // {% set name %} .. {% endset %} writes here
};

void Renderer::expand(const std::string& text, const std::string& file) {
    shared_.written += text.size();
    if (shared_.written > kMaxOutput)
        throw InputError(ErrorCode::overflow, {file, 0, 0}, "the included text is longer than 64 MiB");
    const Document document(file, with_include_tags(text));
    const Block block = parse_template(document);
    const Document* around = std::exchange(document_, &document);
    render(block);
    document_ = around;
}

void Renderer::render(const Block& block) {
    for (const Statement& statement : block) render(statement);
}

void Renderer::render(const Statement& statement) {
    switch (statement.kind) {
        case Statement::Kind::text: return write(statement.text, statement.position, true);
        case Statement::Kind::print: return print(statement);
        case Statement::Kind::set: return set(statement);
        case Statement::Kind::branch: return branch(statement);
        case Statement::Kind::loop: return loop(statement);
        case Statement::Kind::include:
            return include_text(to_text(value(statement.conditions.front())), statement.position);
        case Statement::Kind::claim: return check(statement);
    }
}

// Template text advances through its lines; an expression's output belongs to the expression's line.
void Renderer::write(std::string_view text, std::size_t position, bool moves) {
    if (text.empty()) return;
    shared_.written += text.size();
    if (shared_.written > kMaxOutput || output_.origin.size() > kMaxLines)
        fail(position, ErrorCode::overflow, "the template gives more than 64 MiB or 2 million lines of text");
    if (capture_ != nullptr) {
        capture_->append(text);
        return;
    }
    int line = document_->line_at(position);
    for (const char c : text) {
        if (output_.text.empty() || output_.text.back() == '\n') output_.origin.emplace_back(document_->file, line);
        output_.text.push_back(c);
        if (c == '\n' && moves) ++line;
    }
}

void Renderer::insert(const yaml::Node& node, std::size_t position) {
    if (capture_ != nullptr)
        fail(position, ErrorCode::unsupported, "an included value cannot be part of a text that 'set' keeps");
    write(yaml::insertion_text(output_.insertions.size()), position, false);
    output_.insertions.push_back(node);
}

void Renderer::print(const Statement& statement) {
    const Expression& expression = statement.conditions.front();
    const Value printed = value(expression);
    if (printed.is_undefined())
        fail(statement.position, ErrorCode::unknown_name,
             "the Jinja variable '" + std::get<Undefined>(printed.data).name + "' has no value and no default");
    if (const yaml::Node* node = printed.node(); node != nullptr && (!node->is_scalar() || node->is_quoted()))
        return insert(*node, statement.position);
    if (const List* list = printed.list();
        list != nullptr &&
        std::any_of(list->begin(), list->end(), [](const Value& v) { return v.node() != nullptr; })) {
        std::vector<yaml::Node> items;
        for (const Value& item : *list)
            items.push_back(item.node() != nullptr ? *item.node() : yaml::Node::scalar(to_text(item), {}));
        const yaml::Node first = items.front();
        return insert(yaml::Node::sequence(std::move(items), first), statement.position);
    }
    write(to_text(printed), statement.position, false);
}

void Renderer::assign(const std::vector<std::string>& names, const Value& value, std::size_t place) {
    if (names.size() == 1) {
        scopes_.back()[names.front()] = value;
        return;
    }
    const List items = items_of(value, context(), place);
    if (items.size() != names.size())
        fail(place, ErrorCode::bad_value,
             std::to_string(names.size()) + " names for " + std::to_string(items.size()) + " values");
    for (std::size_t i = 0; i < names.size(); ++i) scopes_.back()[names[i]] = items[i];
}

void Renderer::set(const Statement& statement) {
    if (!statement.conditions.empty())
        return assign(statement.names, value(statement.conditions.front()), statement.position);
    std::string text;
    std::string* around = std::exchange(capture_, &text);
    render(statement.blocks.front());
    capture_ = around;
    scopes_.back()[statement.names.front()] = std::move(text);
}

void Renderer::check(const Statement& statement) {
    if (is_true(value(statement.conditions.front()))) return;
    const std::string why = statement.conditions.size() > 1 ? ": " + to_text(value(statement.conditions[1])) : "";
    fail(statement.position, ErrorCode::bad_value, "what the file asserts does not hold" + why);
}

void Renderer::branch(const Statement& statement) {
    for (std::size_t i = 0; i < statement.blocks.size(); ++i)
        if (i >= statement.conditions.size() || is_true(value(statement.conditions[i])))
            return render(statement.blocks[i]);
}

void Renderer::loop(const Statement& statement) {
    const List all = items_of(value(statement.conditions.front()), context(), statement.position);
    List items;
    for (const Value& item : all) {
        bool wanted = true;
        if (statement.conditions.size() > 1) {
            scopes_.emplace_back();
            assign(statement.names, item, statement.position);
            wanted = is_true(value(statement.conditions[1]));
            scopes_.pop_back();
        }
        if (wanted) items.push_back(item);
    }
    for (std::size_t i = 0; i < items.size(); ++i) turn(statement, items, i);
    if (items.empty() && statement.blocks.size() > 1) render(statement.blocks[1]);
}

void Renderer::turn(const Statement& statement, const List& items, std::size_t i) {
    if (--shared_.turns < 0) fail(statement.position, ErrorCode::overflow, "the loops take too many turns");
    const auto index = static_cast<std::int64_t>(i);
    const auto count = static_cast<std::int64_t>(items.size());
    scopes_.emplace_back();
    assign(statement.names, items[i], statement.position);
    scopes_.back()["loop"] = Dictionary{{"index", index + 1},
                                        {"index0", index},
                                        {"length", count},
                                        {"first", index == 0},
                                        {"last", index + 1 == count},
                                        {"revindex", count - index},
                                        {"revindex0", count - index - 1}};
    render(statement.blocks.front());
    scopes_.pop_back();
}

Value Renderer::variable(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
        if (const auto found = scope->find(name); found != scope->end()) return found->second;
    if (const auto given = shared_.variables.find(name); given != shared_.variables.end())
        return from_text(given->second);
    return Undefined{name};
}

std::string Renderer::argument(const std::vector<Value>& arguments, std::size_t i, std::size_t place) const {
    if (i >= arguments.size() || opened(arguments[i]).text() == nullptr) {
        const std::string found = i >= arguments.size() ? "nothing" : kind_of(arguments[i]);
        fail(place, ErrorCode::wrong_type, "expected the name of a file or folder, found " + found);
    }
    return to_text(arguments[i]);
}

Value Renderer::call(const std::string& name, const std::vector<Value>& arguments, std::size_t place) {
    if (name == "cwd") return shared_.folder;
    if (name == "add_to_path") {
        const std::string folder = argument(arguments, 0, place);
        shared_.files.add_folder(shared_.files.find(folder, here()).value_or(folder));
        return "";
    }
    if (name == "path_exists") return shared_.files.find(argument(arguments, 0, place), here()).has_value();
    if (name == "find_path") return find_path(arguments, place);
    if (name == "include") return include(arguments, place);
    if (name == "include_all") return include_all(arguments, place);
    if (name == "range") return range(arguments, place);
    if (name == "dict" && arguments.empty()) return Dictionary{};
    if (name == "ceil" || name == "floor") return rounded(name, arguments, place);
    if (name == "max" || name == "min") return filtered(name, {Value(List(arguments))}, context(), place);
    if (name == "include_text") {
        include_text(argument(arguments, 0, place), place);
        return "";
    }
    static const std::vector<std::string> kKnown{
        "add_to_path", "ceil",         "cwd", "dict", "find_path",   "floor", "include",
        "include_all", "include_text", "max", "min",  "path_exists", "range"};
    fail(place, ErrorCode::unsupported,
         "the Jinja function '" + name + "' is not supported" + did_you_mean(name, kKnown) + "; known are " +
             list_words(kKnown));
}

Value Renderer::find_path(const std::vector<Value>& arguments, std::size_t place) const {
    const std::string name = argument(arguments, 0, place);
    const std::optional<fs::path> found = shared_.files.find(name, here());
    return found ? found->string() : name;  // the user of the file reports a missing one
}

Value Renderer::range(const std::vector<Value>& arguments, std::size_t place) const {
    std::vector<std::int64_t> bounds;
    for (const Value& argument : arguments) {
        const Value plain = opened(argument);
        if (plain.whole() == nullptr) fail(place, ErrorCode::wrong_type, "'range' takes whole numbers");
        bounds.push_back(*plain.whole());
    }
    if (bounds.empty() || bounds.size() > 3) fail(place, ErrorCode::wrong_type, "'range' takes 1 to 3 numbers");
    const std::int64_t first = bounds.size() > 1 ? bounds[0] : 0;
    const std::int64_t end = bounds.size() > 1 ? bounds[1] : bounds[0];
    const std::int64_t step = bounds.size() > 2 ? bounds[2] : 1;
    if (step == 0) fail(place, ErrorCode::bad_value, "'range' cannot go in steps of 0");
    const double count = (static_cast<double>(end) - static_cast<double>(first)) / static_cast<double>(step);
    if (count > static_cast<double>(kMaxRange)) fail(place, ErrorCode::overflow, "'range' is too long");
    List items;
    for (std::int64_t at = first; step > 0 ? at < end : at > end; at += step) items.emplace_back(at);
    return items;
}

Value Renderer::rounded(const std::string& name, const std::vector<Value>& arguments, std::size_t place) const {
    if (arguments.size() != 1 || !opened(arguments[0]).is_number())
        fail(place, ErrorCode::wrong_type, "'" + name + "' takes a number");
    const double exact = number(opened(arguments[0]));
    const double whole = name == "ceil" ? std::ceil(exact) : std::floor(exact);
    if (!(std::abs(whole) < 9.0e18)) fail(place, ErrorCode::overflow, "'" + name + "' does not fit in 64 bits");
    return static_cast<std::int64_t>(whole);
}

fs::path Renderer::file_named(const std::string& name, std::size_t place) const {
    if (name.empty()) fail(place, ErrorCode::syntax, "the name of the file to include is empty");
    const std::optional<fs::path> found = shared_.files.find(name, here());
    std::error_code ignored;
    if (found && fs::is_regular_file(*found, ignored)) return *found;
    const std::string path = (here() / name).lexically_normal().string();
    if (shared_.files.is_outside(name, here()))
        fail(place, ErrorCode::missing_file,
             "the file '" + path +
                 "' to include is not in a folder that was given (those of the files named on the "
                 "command line, the folders above them, and the one you are in)");
    fail(place, ErrorCode::missing_file, "the file '" + path + "' to include does not exist");
}

void Renderer::enter(const fs::path& path, std::size_t place) {
    std::error_code ignored;
    if (const std::uintmax_t size = fs::file_size(path, ignored); !ignored && size > kMaxOutput)
        fail(place, ErrorCode::unsupported,
             "'" + path.string() + "' has " + std::to_string(size) + " bytes; the most to include is " +
                 std::to_string(kMaxOutput));
    const std::string name = path.lexically_normal().string();
    if (std::find(shared_.open.begin(), shared_.open.end(), name) != shared_.open.end())
        fail(place, ErrorCode::cyclic_inheritance, "'" + name + "' includes itself");
    if (shared_.open.size() >= kMaxOpen || ++shared_.includes > kMaxIncludes)
        fail(place, ErrorCode::overflow, "too many includes");
}

void Renderer::include_text(const std::string& name, std::size_t place) {
    const fs::path path = file_named(name, place);
    enter(path, place);
    std::string text = read_file(path);
    if (!text.empty() && text.back() == '\n') text.pop_back();  // as Jinja does
    shared_.open.push_back(path.lexically_normal().string());
    scopes_.emplace_back();
    expand(text, path.lexically_normal().string());
    scopes_.pop_back();
    shared_.open.pop_back();
}

// The value under the keys of a file, itself a template.
yaml::Node Renderer::value_in(const fs::path& path, const std::vector<std::string>& keys, std::size_t place) {
    enter(path, place);
    Renderer inner(shared_);
    for (const Names& scope : scopes_) inner.give(scope);
    const yaml::Source source = inner.whole(read_file(path), path.lexically_normal().string());
    yaml::Node node = yaml::parse(source);
    for (const std::string& key : keys) node = part_of(node, key);
    return node;
}

std::vector<std::string> keys_in(const std::vector<Value>& arguments) {
    std::vector<std::string> keys;
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        std::string rest = to_text(arguments[i]);
        for (std::size_t dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.')) {
            keys.push_back(rest.substr(0, dot));
            rest.erase(0, dot + 1);
        }
        if (!rest.empty()) keys.push_back(rest);
    }
    return keys;
}

Value Renderer::include(const std::vector<Value>& arguments, std::size_t place) {
    return value_in(file_named(argument(arguments, 0, place), place), keys_in(arguments), place);
}

Value Renderer::include_all(const std::vector<Value>& arguments, std::size_t place) {
    const std::string pattern = argument(arguments, 0, place);
    List items;
    for (const fs::path& path : shared_.files.match(pattern, here())) {
        const yaml::Node node = value_in(path, keys_in(arguments), place);
        if (!node.is_sequence() && !node.is_null()) items.emplace_back(node);
        if (node.is_sequence())
            for (const yaml::Node& item : node.items()) items.emplace_back(item);
    }
    if (items.empty()) fail(place, ErrorCode::missing_file, "no file matches '" + pattern + "'");
    return items;
}

}  // namespace

yaml::Source expand(std::string_view text, const std::string& file, const Settings& settings) {
    const fs::path folder = fs::path(file).parent_path();
    std::error_code ignored;
    const fs::path whole = fs::absolute(folder.empty() ? "." : folder, ignored).lexically_normal();
    std::vector<fs::path> allowed = settings.folders;
    allowed.push_back(whole);
    allowed.push_back((whole / "..").lexically_normal());
    Shared shared{Files(allowed), folder.empty() ? "." : folder.string(), settings.variables, {}};
    return Renderer(shared).whole(std::string(text), file);
}

}  // namespace tilewright::jinja
