#include "mapping/fused/text.hpp"

#include "mapping/fused/tree.hpp"

namespace tilewright {
namespace {

std::string name_text(const std::string& name) {
    if (!name.empty() && name.find_first_of(" \t,:#=\"") == std::string::npos) return name;
    std::string quoted = "\"";
    for (const char c : name) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + "\"";
}

class Writer {
   public:
    Writer(const FusedMapping& mapping, const Cascade& cascade, const Architecture& architecture)
        : cascade_(cascade), architecture_(architecture), tree_(cascade, mapping) {}

    std::string write() {
        write_node(0, 0);
        return std::move(text_);
    }

   private:
    const Einsum& einsum(int e) const { return cascade_.einsums[e].einsum; }

    void line(int depth, const std::string& what) {
        text_ += std::string(static_cast<std::size_t>(2 * depth), ' ') + what + "\n";
    }

    std::string dimension(int e, int d) const { return name_text(einsum(e).dimensions[d].name); }

    template <typename Names>
    std::string store_text(int memory, const Names& names) const {
        std::string text = "store " + name_text(architecture_.memories[memory].name) + ":";
        for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? " " : ", ") + name_text(names[i]);
        return text;
    }

    void write_node(int node, int depth) {
        if (const SharedStore* store = tree_.store(node)) {
            std::vector<std::string> names;
            for (const int t : store->tensors) names.push_back(cascade_.tensors[t].name);
            line(depth, (store->fresh ? "fresh " : "") + store_text(store->memory, names));
        } else if (const SharedLoop* loop = tree_.loop(node)) {
            line(depth,
                 "for " + dimension(tree_.last_einsum(node), loop->dimension) + " by " + std::to_string(loop->step));
        } else if (const FusedLeaf* leaf = tree_.leaf(node)) {
            line(depth, "leaf " + name_text(cascade_.einsums[leaf->einsum].name));
            for (const LeafNest& nest : leaf->nests)
                write_nest(leaf->einsum, nest, leaf->nests.size() > 1 || !nest.box.empty(), depth + 1);
        } else {
            line(depth, "split");
        }
        for (const int child : tree_.children(node)) write_node(child, depth + 1);
    }

    void write_nest(int e, const LeafNest& nest, bool named, int depth) {
        if (named) {
            std::string box = "box";
            for (std::size_t d = 0; d < nest.box.size(); ++d)
                box += " " + dimension(e, static_cast<int>(d)) + "=" + std::to_string(nest.box[d]);
            line(depth, box);
        }
        for (const LeafNode& node : nest.nodes) {
            if (const Store* store = std::get_if<Store>(&node)) {
                std::vector<std::string> names;
                for (int t = 0; t < einsum(e).tensor_count(); ++t)
                    if (store->tensors.has(t)) names.push_back(einsum(e).tensors[t].name);
                line(depth, store_text(store->memory, names));
                continue;
            }
            const LeafLoop& loop = std::get<LeafLoop>(node);
            line(depth, "for " + dimension(e, loop.dimension) + " by " + std::to_string(loop.step) +
                            (loop.kind == LoopKind::temporal    ? ""
                             : loop.kind == LoopKind::spatial_x ? " across X"
                                                                : " across Y"));
        }
    }

    const Cascade& cascade_;
    const Architecture& architecture_;
    FusedTree tree_;
    std::string text_;
};

struct Word {
    std::string text;
    bool quoted = false;
    int column = 0;

    bool is(std::string_view what) const { return !quoted && text == what; }
};

struct Line {
    int number = 0;
    int margin = 0;
    std::string_view whole;
    std::vector<Word> words;
};

class Lexer {
   public:
    Lexer(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    std::vector<Line> lines() {
        std::vector<Line> all;
        int number = 0;
        for (std::size_t begin = 0; begin < text_.size();) {
            const std::size_t end = std::min(text_.find('\n', begin), text_.size());
            Line line{++number, 0, text_.substr(begin, end - begin), {}};
            split(line);
            if (!line.words.empty()) {
                line.margin = line.words.front().column - 1;
                all.push_back(std::move(line));
            }
            begin = end + 1;
        }
        return all;
    }

   private:
    void split(Line& line) const {
        std::size_t i = 0;
        const std::string_view text = line.whole;
        while (i < text.size() && text[i] != '#') {
            if (text[i] == ' ' || text[i] == '\r') {
                ++i;
                continue;
            }
            if (text[i] == '\t') fail(line, i, "tabs do not say how deep a line stands; expected blanks");
            Word word{{}, false, static_cast<int>(i) + 1};
            if (text[i] == '"')
                i = quoted(line, i, word);
            else if (text[i] == ',' || text[i] == ':' || text[i] == '=')
                word.text = text[i++];
            else
                while (i < text.size() && std::string_view(" \t\r,:=#\"").find(text[i]) == std::string_view::npos)
                    word.text += text[i++];
            line.words.push_back(std::move(word));
        }
    }

    std::size_t quoted(const Line& line, std::size_t i, Word& word) const {
        word.quoted = true;
        for (++i; i < line.whole.size() && line.whole[i] != '"'; ++i) {
            if (line.whole[i] == '\\' && i + 1 < line.whole.size()) ++i;
            word.text += line.whole[i];
        }
        if (i >= line.whole.size()) fail(line, i, "expected a closing '\"'");
        return i + 1;
    }

    [[noreturn]] void fail(const Line& line, std::size_t at, const std::string& message) const {
        throw InputError(ErrorCode::syntax, {file_, line.number, static_cast<int>(at) + 1}, message, line.whole);
    }

    std::string_view text_;
    const std::string& file_;
};

class Parser {
   public:
    Parser(std::string_view text, const Cascade& cascade, const Architecture& architecture, const std::string& file)
        : lines_(Lexer(text, file).lines()), cascade_(cascade), architecture_(architecture), file_(file) {}

    PlacedFusedMapping parse() {
        placed_.whole = {file_, 0, 0};
        if (lines_.empty()) throw InputError(ErrorCode::syntax, placed_.whole, "expected a store, loop, split or leaf");
        read_node(-1);
        if (next_ < lines_.size())
            fail(line(), word(0), ErrorCode::syntax,
                 "stands at no place of the tree; only splits have several branches");
        resolve_loops();
        const TreeProblem problem = problem_with_tree(cascade_, architecture_.memory_count(), placed_.mapping);
        if (!problem.message.empty())
            throw InputError(ErrorCode::bad_value, problem.node < 0 ? placed_.whole : placed_.nodes[problem.node],
                             problem.message);
        return std::move(placed_);
    }

   private:
    struct Unresolved {
        int node;
        std::size_t line;
    };

    const Line& line() const { return lines_[next_]; }
    const Word& word(std::size_t i) const {
        if (i < line().words.size()) return line().words[i];
        throw InputError(ErrorCode::syntax, {file_, line().number, static_cast<int>(line().whole.size()) + 1},
                         "the line ends too early", line().whole);
    }

    [[noreturn]] void fail(const Line& at, const Word& word, ErrorCode code, const std::string& message) const {
        throw InputError(code, {file_, at.number, word.column}, "'" + word.text + "': " + message, at.whole);
    }

    void end_at(std::size_t i) const {
        if (i < line().words.size()) fail(line(), word(i), ErrorCode::syntax, "expected the end of the line");
    }

    void expect(std::size_t i, std::string_view what) const {
        if (!word(i).is(what)) fail(line(), word(i), ErrorCode::syntax, "expected '" + std::string(what) + "'");
    }

    template <typename Things>
    int find(const Line& at, const Word& word, const Things& things, ErrorCode code, const std::string& what) const {
        std::vector<std::string> names;
        for (const auto& thing : things) {
            if (thing.name == word.text) return static_cast<int>(names.size());
            names.push_back(thing.name);
        }
        const std::string hint = did_you_mean(word.text, names);
        fail(at, word, code, "there is no such " + what + (hint.empty() ? "; there are " + list_words(names) : hint));
    }

    std::int64_t number(std::size_t i) const {
        const std::string& text = word(i).text;
        constexpr std::size_t kMostDigits = 18;
        if (text.empty() || text.size() > kMostDigits || text.find_first_not_of("0123456789") != std::string::npos)
            fail(line(), word(i), ErrorCode::bad_value, "expected a number");
        const std::int64_t value = std::stoll(text);
        if (value < 1) fail(line(), word(i), ErrorCode::bad_value, "expected at least 1");
        return value;
    }

    void read_node(int parent) {
        const int margin = line().margin;
        const std::size_t at = next_;
        if (depth_++ > kDeepest) fail(line(), word(0), ErrorCode::bad_value, "the tree is too deep");
        const int node = append(placed_.mapping, parent, what_of_line());
        placed_.nodes.push_back({file_, lines_[at].number, margin + 1});
        if (std::holds_alternative<SharedLoop>(placed_.mapping.nodes[node].what)) unresolved_.push_back({node, at});
        const bool many = std::holds_alternative<SequentialSplit>(placed_.mapping.nodes[node].what);
        const bool leaf = std::holds_alternative<FusedLeaf>(placed_.mapping.nodes[node].what);
        while (!leaf && next_ < lines_.size() && line().margin > margin) {
            read_node(node);
            if (!many) break;
        }
        --depth_;
    }

    decltype(FusedNode::what) what_of_line() {
        if (word(0).is("split")) {
            end_at(1);
            ++next_;
            return SequentialSplit{};
        }
        if (word(0).is("leaf")) return leaf_of_lines();
        if (word(0).is("for")) {
            expect(2, "by");
            SharedLoop loop{-1, number(3)};
            end_at(4);
            ++next_;
            return loop;
        }
        SharedStore store;
        store.fresh = word(0).is("fresh");
        const std::size_t first = store.fresh ? 1 : 0;
        if (!word(first).is("store"))
            fail(line(), word(first), ErrorCode::syntax, "expected 'store', 'for', 'split' or 'leaf'");
        store.memory = find(line(), word(first + 1), architecture_.memories, ErrorCode::unknown_level, "memory");
        read_names(first + 2, [&](const Word& name) {
            store.tensors.push_back(find(line(), name, cascade_.tensors, ErrorCode::unknown_tensor, "tensor"));
        });
        ++next_;
        return store;
    }

    template <typename Read>
    void read_names(std::size_t i, Read&& read) const {
        expect(i++, ":");
        for (bool first = true; i < line().words.size(); first = false) {
            if (!first) expect(i++, ",");
            read(word(i++));
        }
    }

    FusedLeaf leaf_of_lines() {
        const int margin = line().margin;
        FusedLeaf leaf{find(line(), word(1), cascade_.einsums, ErrorCode::unknown_name, "einsum"), {}};
        end_at(2);
        const Einsum& einsum = cascade_.einsums[leaf.einsum].einsum;
        for (++next_; next_ < lines_.size() && line().margin > margin; ++next_) read_nest_line(einsum, leaf);
        if (leaf.nests.empty()) leaf.nests.emplace_back();
        return leaf;
    }

    void read_nest_line(const Einsum& einsum, FusedLeaf& leaf) const {
        if (word(0).is("box")) {
            leaf.nests.push_back({box_of_line(einsum), {}});
            return;
        }
        if (leaf.nests.empty()) leaf.nests.emplace_back();
        std::vector<LeafNode>& nodes = leaf.nests.back().nodes;
        if (word(0).is("store")) {
            Store store{find(line(), word(1), architecture_.memories, ErrorCode::unknown_level, "memory"), {}};
            read_names(2, [&](const Word& name) {
                store.tensors.add(find(line(), name, einsum.tensors, ErrorCode::unknown_tensor, "operand"));
            });
            nodes.emplace_back(store);
            return;
        }
        if (!word(0).is("for")) fail(line(), word(0), ErrorCode::syntax, "expected 'box', 'store' or 'for'");
        expect(2, "by");
        LeafLoop loop{find(line(), word(1), einsum.dimensions, ErrorCode::unknown_name, "dimension"), number(3),
                      LoopKind::temporal};
        if (line().words.size() > 4) {
            expect(4, "across");
            if (!word(5).is("X") && !word(5).is("Y")) fail(line(), word(5), ErrorCode::syntax, "expected 'X' or 'Y'");
            loop.kind = word(5).is("X") ? LoopKind::spatial_x : LoopKind::spatial_y;
            end_at(6);
        }
        nodes.emplace_back(loop);
    }

    std::vector<std::int64_t> box_of_line(const Einsum& einsum) const {
        if (line().words.size() == 1) return {};
        std::vector<std::int64_t> box;
        for (const Dimension& dimension : einsum.dimensions) box.push_back(dimension.extent);
        for (std::size_t i = 1; i < line().words.size(); i += 3) {
            const int d = find(line(), word(i), einsum.dimensions, ErrorCode::unknown_name, "dimension");
            expect(i + 1, "=");
            box[d] = number(i + 2);
        }
        return box;
    }

    // A loop's dimension is one of the last einsum inside it, further down in the text.
    void resolve_loops() {
        for (const Unresolved& one : unresolved_) {
            int last = -1;
            for (std::size_t i = static_cast<std::size_t>(one.node) + 1; i < placed_.mapping.nodes.size(); ++i)
                if (is_below(static_cast<int>(i), one.node))
                    if (const auto* leaf = std::get_if<FusedLeaf>(&placed_.mapping.nodes[i].what)) last = leaf->einsum;
            const Line& at = lines_[one.line];
            if (last < 0) fail(at, at.words[0], ErrorCode::bad_value, "there is no leaf inside the loop");
            const CascadeEinsum& einsum = cascade_.einsums[last];
            std::get<SharedLoop>(placed_.mapping.nodes[one.node].what).dimension =
                find(at, at.words[1], einsum.einsum.dimensions, ErrorCode::unknown_name,
                     "dimension of '" + einsum.name + "', the last einsum inside");
        }
    }

    bool is_below(int node, int ancestor) const {
        while (node > ancestor) node = placed_.mapping.nodes[node].parent;
        return node == ancestor;
    }

    static constexpr int kDeepest = 256;

    std::vector<Line> lines_;
    const Cascade& cascade_;
    const Architecture& architecture_;
    const std::string& file_;
    PlacedFusedMapping placed_;
    std::vector<Unresolved> unresolved_;
    std::size_t next_ = 0;
    int depth_ = 0;
};

}  // namespace

std::string to_text(const FusedMapping& mapping, const Cascade& cascade, const Architecture& architecture) {
    return Writer(mapping, cascade, architecture).write();
}

PlacedFusedMapping parse_fused_mapping(std::string_view text, const Cascade& cascade, const Architecture& architecture,
                                       const std::string& file) {
    return Parser(text, cascade, architecture, file).parse();
}

std::string placed_text(const FusedViolation& violation, const PlacedFusedMapping& placed) {
    const bool known = violation.node >= 0 && violation.node < static_cast<int>(placed.nodes.size());
    const Location& at = known ? placed.nodes[violation.node] : placed.whole;
    if (at.file.empty()) return violation.message;
    std::string text = at.file;
    if (at.line > 0) text += ":" + std::to_string(at.line);
    if (at.line > 0 && at.column > 0) text += ":" + std::to_string(at.column);
    return text + ": " + violation.message;
}

}  // namespace tilewright
