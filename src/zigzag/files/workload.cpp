#include "zigzag/files/load.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/scanner.hpp"
#include "yaml/node.hpp"
#include "zigzag/files/words.hpp"

namespace tilewright::zigzag {
namespace {

// ZigZag's equations and relations as text: "O[b][k][oy]+=W[k][c]*I[b][c][iy]" and "iy=2*oy+1*fy".

struct EquationOperand {
    std::string name;
    std::vector<std::string> axes;  ///< in upper case
};

/// name = first_step * first + second_step * second; absent steps are 1.
struct Relation {
    std::string name;
    std::int64_t first_step = 1;
    std::string first;
    std::int64_t second_step = 1;
    std::string second;
};

class EquationScanner {
   public:
    explicit EquationScanner(const yaml::Node& node) : node_(node), text_(node.text()), scanner_(text_) {}

    bool accept(char c) { return scanner_.accept(c); }
    void expect(char c) {
        if (!accept(c)) fail(std::string("expected '") + c + "'");
    }
    bool finished() { return scanner_.finished(); }
    bool at_digit() { return !finished() && scanner_.at_digit(); }

    std::string name(const std::string& what) {
        if (finished() || scanner_.name_here().empty()) fail("expected " + what);
        return std::string(scanner_.name());
    }

    std::int64_t number() { return positive_number(std::string(scanner_.skip("0123456789")), node_); }

    [[noreturn]] void fail(const std::string& what) const {
        const std::string rest(scanner_.rest());
        node_.fail(ErrorCode::syntax, what + (rest.empty() ? " at the end" : " before '" + rest + "'"));
    }

   private:
    const yaml::Node& node_;
    const std::string text_;
    Scanner scanner_;
};

EquationOperand operand(EquationScanner& scanner) {
    EquationOperand operand{scanner.name("the name of an operand"), {}};
    while (scanner.accept('['))
        if (!scanner.accept(']')) {
            operand.axes.push_back(upper_case(scanner.name("the name of a dimension")));
            scanner.expect(']');
        }
    return operand;
}

/// "2*ox" or "ox"
std::string term(EquationScanner& scanner, std::int64_t& step) {
    if (scanner.at_digit()) {
        step = scanner.number();
        scanner.expect('*');
    }
    return upper_case(scanner.name("the name of a dimension"));
}

/// The result first. Throws InputError at `node`.
std::vector<EquationOperand> parse_equation(const yaml::Node& node) {
    EquationScanner scanner(node);
    std::vector<EquationOperand> operands{operand(scanner)};
    scanner.accept('+');
    scanner.expect('=');
    operands.push_back(operand(scanner));
    while (!scanner.finished()) {
        if (!scanner.accept('*') && !scanner.accept('+')) scanner.fail("expected '*', '+' or the end");
        operands.push_back(operand(scanner));
    }
    return operands;
}

/// Throws InputError at `node`.
Relation parse_relation(const yaml::Node& node) {
    EquationScanner scanner(node);
    Relation relation;
    relation.name = upper_case(scanner.name("the name of a data dimension"));
    scanner.expect('=');
    relation.first = term(scanner, relation.first_step);
    scanner.expect('+');
    relation.second = term(scanner, relation.second_step);
    if (!scanner.finished()) scanner.fail("expected the end");
    return relation;
}

using yaml::Node;

constexpr std::int64_t kMostBits = 1 << 16;
constexpr std::int64_t kMostStep = 1 << 20;

class LayerReader {
   public:
    explicit LayerReader(const Node& node) : node_(node) {}

    WorkloadLayer read() {
        node_.expect_keys({"id", "name", "operator_type", "equation", "dimension_relations", "loop_dims", "loop_sizes",
                           "operand_precision", "operand_source", "pr_loop_dims", "pr_loop_sizes", "padding"});
        result_.id = node_.at("id").integer();
        Layer& layer = result_.layer;
        layer.name = node_.has("name") ? node_.at("name").text() : "layer" + std::to_string(result_.id);
        layer.operator_type = node_.at("operator_type").text();
        read_dimensions();
        read_relations();
        read_window_sizes();
        read_operands();
        read_precisions();
        read_sources();
        derive(layer);
        if (const std::string problem = problem_with(layer); !problem.empty())
            node_.fail(ErrorCode::bad_value, "layer '" + layer.name + "': " + problem);
        return result_;
    }

   private:
    void read_dimensions() {
        const Node& names = node_.at("loop_dims");
        const Node& sizes = node_.at("loop_sizes");
        if (names.items().size() != sizes.items().size())
            sizes.fail(ErrorCode::bad_value, "expected a size for each of the " + std::to_string(names.items().size()) +
                                                 " loop_dims, found " + std::to_string(sizes.items().size()));
        if (names.items().empty() || names.items().size() > kMaxDimensions)
            names.fail(ErrorCode::bad_value, "expected 1 to " + std::to_string(kMaxDimensions) + " loop dimensions");
        for (std::size_t d = 0; d < names.items().size(); ++d) {
            const std::string name = upper_case(names.items()[d].text());
            if (find_dimension(result_.layer, name) >= 0)
                names.items()[d].fail(ErrorCode::duplicate_key, "dimension '" + name + "' is listed twice");
            result_.layer.dimensions.push_back({name, sizes.items()[d].positive()});
        }
    }

    int dimension(const std::string& name, const Node& place) const {
        const int found = find_dimension(result_.layer, name);
        if (found >= 0) return found;
        std::vector<std::string> names;
        for (const Dimension& one : result_.layer.dimensions) names.push_back(one.name);
        place.fail(ErrorCode::unknown_name, "loop_dims has no dimension '" + name + "'" + known_names(name, names));
    }

    void read_relations() {
        if (!node_.has("dimension_relations")) return;
        for (const Node& item : node_.at("dimension_relations").items()) {
            const Relation relation = parse_relation(item);
            if (window(relation.name) >= 0)
                item.fail(ErrorCode::duplicate_key, "'" + relation.name + "' is related twice");
            if (relation.first_step > kMostStep || relation.second_step > kMostStep)
                item.fail(ErrorCode::unsupported, "steps above " + std::to_string(kMostStep) + " are not supported");
            if (relation.first == relation.second)
                item.fail(ErrorCode::bad_value, "a relation needs two different dimensions");
            result_.layer.windows.push_back({relation.name, dimension(relation.first, item), relation.first_step,
                                             dimension(relation.second, item), relation.second_step, 0, 0});
        }
    }

    int window(const std::string& name) const {
        const std::vector<DimensionRelation>& windows = result_.layer.windows;
        const auto found = std::find_if(windows.begin(), windows.end(),
                                        [&](const DimensionRelation& one) { return one.name == name; });
        return found == windows.end() ? -1 : static_cast<int>(found - windows.begin());
    }

    /// pr_loop_dims names windows; pr_loop_sizes gives their sizes, independent of padding.
    void read_window_sizes() {
        if (!node_.has("pr_loop_dims")) {
            for (const char* key : {"pr_loop_sizes", "padding"})
                if (node_.has(key)) node_.at(key).fail(ErrorCode::missing_key, "it needs pr_loop_dims beside it");
            return;
        }
        const std::vector<Node>& names = node_.at("pr_loop_dims").items();
        for (std::size_t i = 0; i < names.size(); ++i) {
            const int index = window(upper_case(names[i].text()));
            if (index < 0)
                names[i].fail(ErrorCode::unknown_name, "no relation defines '" + upper_case(names[i].text()) + "'");
            DimensionRelation& one = result_.layer.windows[index];
            if (const Node* padding = item_for("padding", i, names.size())) one.padding = padding_of(*padding);
            if (const Node* size = item_for("pr_loop_sizes", i, names.size())) one.size = size->positive();
        }
    }

    const Node* item_for(const char* key, std::size_t i, std::size_t count) const {
        const Node* list = node_.find(key);
        if (list == nullptr || list->items().empty()) return nullptr;
        if (list->items().size() != count)
            list->fail(ErrorCode::bad_value,
                       "expected " + std::to_string(count) + " items, one for each of pr_loop_dims");
        return &list->items()[i];
    }

    static std::int64_t padding_of(const Node& node) {
        if (node.items().size() != 2) node.fail(ErrorCode::bad_value, "expected the padding of both sides: [1, 1]");
        std::int64_t sum = 0;
        for (const Node& item : node.items()) {
            const std::int64_t value = item.integer();
            if (value < 0 || value > kMostStep) item.fail(ErrorCode::bad_value, "this is no padding");
            sum += value;
        }
        return sum;
    }

    void read_operands() {
        const Node& equation = node_.at("equation");
        std::vector<EquationOperand> operands = parse_equation(equation);
        if (operands.size() > kMemoryOperands)
            equation.fail(ErrorCode::unsupported, "more than two inputs are not supported");
        for (const EquationOperand& one : operands) {
            for (const Operand& other : result_.layer.operands)
                if (other.name == one.name)
                    equation.fail(ErrorCode::duplicate_key, "operand '" + one.name + "' appears twice");
            Operand& operand = result_.layer.operands.emplace_back();
            operand.name = one.name;
            for (const std::string& axis : one.axes) {
                const int sliding = window(axis);
                operand.axes.push_back({sliding >= 0, sliding >= 0 ? sliding : dimension(axis, equation)});
            }
        }
        link_as_usual();
    }

    /// W is I2 and I is I1; other names take the rest in order.
    void link_as_usual() {
        std::vector<Operand>& operands = result_.layer.operands;
        operands[0].memory = MemoryOperand::o;
        if (operands.size() == 2) operands[1].memory = operands[1].name == "W" ? MemoryOperand::i2 : MemoryOperand::i1;
        if (operands.size() < 3) return;
        const bool swapped = operands[1].name == "W" || operands[2].name == "I";
        operands[1].memory = swapped ? MemoryOperand::i2 : MemoryOperand::i1;
        operands[2].memory = swapped ? MemoryOperand::i1 : MemoryOperand::i2;
    }

    std::int64_t bits(const Node& node) const {
        const std::int64_t value = node.integer();
        if (value < 0 || value > kMostBits)
            node.fail(ErrorCode::bad_value, "expected a number of bits up to " + std::to_string(kMostBits));
        return value;
    }

    void read_precisions() {
        const Node& node = node_.at("operand_precision");
        const std::string result = result_.layer.result().name;
        std::vector<std::string> known{result + "_final", "O_final"};
        for (const Operand& operand : result_.layer.operands) known.push_back(operand.name);
        node.expect_keys(known);
        for (Operand& operand : result_.layer.operands)
            operand.precision_bits = operand.final_precision_bits = bits(node.at(operand.name));
        for (const std::string& key : {result + "_final", std::string("O_final")})
            if (const Node* last = node.find(key)) result_.layer.operands[0].final_precision_bits = bits(*last);
    }

    void read_sources() {
        if (!node_.has("operand_source")) return;
        for (const Node::Entry& entry : node_.at("operand_source").entries()) {
            const std::vector<Operand>& operands = result_.layer.operands;
            const bool known = std::any_of(operands.begin(), operands.end(),
                                           [&](const Operand& operand) { return operand.name == entry.key; });
            if (!known) entry.key_node.fail(ErrorCode::unknown_name, "the equation has no operand '" + entry.key + "'");
            result_.sources.emplace_back(entry.key, entry.value.integer());
        }
    }

    const Node& node_;
    WorkloadLayer result_;
};

}  // namespace

bool is_workload(const Node& root) {
    return root.is_sequence() && !root.items().empty() && root.items()[0].is_map() && root.items()[0].has("loop_dims");
}

std::vector<WorkloadLayer> read_workload(const Node& root) {
    std::vector<WorkloadLayer> layers;
    if (!root.is_sequence()) root.fail(ErrorCode::wrong_type, "a workload is a sequence of layers");
    for (const Node& item : root.items()) {
        WorkloadLayer layer = LayerReader(item).read();
        for (const WorkloadLayer& other : layers)
            if (other.id == layer.id)
                item.at("id").fail(ErrorCode::duplicate_key, "two layers have the id " + std::to_string(layer.id));
        layers.push_back(std::move(layer));
    }
    if (layers.empty()) root.fail(ErrorCode::bad_value, "a workload has at least one layer");
    return layers;
}

}  // namespace tilewright::zigzag
