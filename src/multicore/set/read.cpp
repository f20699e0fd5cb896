#include "multicore/set/read.hpp"

#include <charconv>

#include "base/error.hpp"

namespace tilewright::multicore::set {
namespace {

LayerKind kind_of(const yaml::Node& node) {
    static const std::map<std::string, LayerKind> kKinds{
        {"conv", LayerKind::convolution},   {"group", LayerKind::group},         {"fc", LayerKind::full},
        {"pool", LayerKind::pool},          {"eltwise", LayerKind::elementwise}, {"ptp", LayerKind::point},
        {"transpose", LayerKind::transpose}};
    if (const auto found = kKinds.find(node.text()); found != kKinds.end()) return found->second;
    node.fail(ErrorCode::bad_value, "no kind of layer is called '" + node.text() + "'");
}

template <typename Number, std::size_t kCount>
std::array<Number, kCount> numbers(const yaml::Node& node) {
    std::array<Number, kCount> values{};
    if (node.items().size() != kCount)
        node.fail(ErrorCode::wrong_type, "expected " + std::to_string(kCount) + " numbers");
    for (std::size_t i = 0; i < kCount; ++i) values[i] = static_cast<Number>(node.items()[i].integer());
    return values;
}

std::vector<int> layers_before(const yaml::Node& node, std::size_t count) {
    std::vector<int> layers;
    for (const yaml::Node& one : node.items()) {
        if (one.integer() < 0 || one.integer() >= static_cast<std::int64_t>(count))
            one.fail(ErrorCode::bad_value, "expected the number of an earlier layer");
        layers.push_back(static_cast<int>(one.integer()));
    }
    return layers;
}

Layer read_layer(const yaml::Node& node, std::size_t before) {
    Layer layer;
    layer.name = node.at("name").text();
    layer.kind = kind_of(node.at("type"));
    layer.out = numbers<std::int64_t, 3>(node.at("out"));
    layer.in = numbers<std::int64_t, 3>(node.at("in"));
    layer.padded = numbers<std::int64_t, 3>(node.at("in_padded"));
    layer.kernel = numbers<std::int64_t, 2>(node.at("kernel"));
    layer.stride = numbers<std::int64_t, 2>(node.at("stride"));
    layer.groups = node.at("groups").positive();
    layer.terms = node.at("terms").integer();
    layer.has_weights = node.at("weights").integer() > 0;
    layer.permute = numbers<int, 3>(node.at("permute"));
    layer.outside_channels = node.at("outside_channels").integer();
    layer.from = layers_before(node.at("from"), before);
    layer.weights_from = layers_before(node.at("weights_from"), before);
    return layer;
}

// A line of a printed tree.
class TreeLine {
   public:
    TreeLine(std::string_view line, Location where) : line_(line), where_(std::move(where)) {}

    int depth() const { return static_cast<int>(line_.find_first_not_of('\t')); }

    Node read(const std::vector<Layer>& layers) {
        Node node;
        at_ = static_cast<std::size_t>(depth());
        const std::string name(line_.substr(at_, line_.find(' ', at_) - at_));
        at_ += name.size() + 1;
        node.batch = number();
        if (at_ < line_.size() && line_[at_] == '/') {
            ++at_;
            node.times = number();
        }
        if (line_.substr(at_).starts_with(" (")) {
            at_ += 2;
            node.is_leaf = true;
            read_parts(node);
            for (std::size_t l = 0; l < layers.size(); ++l)
                if (layers[l].name == name) node.layer = static_cast<int>(l);
            if (node.layer < 0) fail(ErrorCode::unknown_name, "the network has no layer '" + name + "'");
        } else {
            if (name != "T" && name != "S") fail(ErrorCode::syntax, "expected a leaf, or a cut 'T' or 'S'");
            node.is_space = name == "S";
        }
        read_figures(node.recorded);
        return node;
    }

   private:
    [[noreturn]] void fail(ErrorCode code, const std::string& message) const {
        Location where = where_;
        where.column = static_cast<int>(at_) + 1;
        throw InputError(code, where, message, line_);
    }
    std::int64_t number() {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(line_.data() + at_, line_.data() + line_.size(), value);
        if (error != std::errc{}) fail(ErrorCode::syntax, "expected a number");
        at_ = static_cast<std::size_t>(end - line_.data());
        return value;
    }
    double real() {
        double value = 0.0;
        const auto [end, error] = std::from_chars(line_.data() + at_, line_.data() + line_.size(), value);
        if (error != std::errc{}) fail(ErrorCode::syntax, "expected a number");
        at_ = static_cast<std::size_t>(end - line_.data());
        return value;
    }
    void behind(std::string_view text) {
        const std::size_t found = line_.find(text, at_);
        if (found == std::string_view::npos)
            fail(ErrorCode::syntax, "expected '" + std::string(text) + "' in the line of a node");
        at_ = found + text.size();
    }
    void read_parts(Node& node) {
        while (true) {
            const char name = at_ < line_.size() ? line_[at_] : ' ';
            if (std::string_view("KBHW").find(name) == std::string_view::npos)
                fail(ErrorCode::syntax, "expected parts of K, B, H and W");
            at_ += 2;
            node.parts.emplace_back(name, number());
            if (at_ < line_.size() && line_[at_] == ')') return;
            ++at_;
        }
    }
    void read_figures(Figures& figures) {
        behind(", T:");
        figures.cycles = number();
        behind("NoC(hops=");
        figures.hops = number();
        behind("DRAM acc=");
        figures.dram_words = number();
        for (Buffer& buffer : figures.buffers) {
            behind("Buffer(max=");
            buffer.most = number();
            behind("avg=");
            buffer.mean = real();
        }
        behind("Max NoC: ");
        figures.busiest_link = number();
    }

    std::string_view line_;
    Location where_;
    std::size_t at_ = 0;
};

template <typename Use>
void each_line(std::string_view text, const Use& use) {
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (const std::string_view line = text.substr(0, end);
            line.find_first_not_of(" \t\r") != std::string_view::npos)
            use(line, number);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

}  // namespace

std::vector<Layer> read_layers(std::string_view text, const std::string& file) {
    std::vector<Layer> layers;
    each_line(text, [&](std::string_view line, int) {
        layers.push_back(read_layer(yaml::parse_text(line, file), layers.size()));
    });
    return layers;
}

Machine read_machine(const yaml::Node& root) {
    Machine machine;
    machine.columns = root.at("x").positive();
    machine.rows = root.at("y").positive();
    machine.stripe = root.at("stride").positive();
    machine.link_rate = root.at("link_rate").positive();
    machine.batch = root.at("batch").positive();
    return machine;
}

Tree read_tree(std::string_view text, const std::vector<Layer>& layers, const std::string& file) {
    Tree tree;
    std::vector<int> last;  // node by depth
    each_line(text, [&](std::string_view line, int number) {
        TreeLine one(line, {file, number, 1});
        const int depth = one.depth();
        if (depth > static_cast<int>(last.size()) || (depth == 0 && !tree.empty()))
            throw InputError(ErrorCode::syntax, {file, number, 1}, "a node without its parent above it", line);
        Node node = one.read(layers);
        last.resize(depth);
        const int index = static_cast<int>(tree.size());
        if (depth > 0) {
            node.parent = last.back();
            tree[node.parent].children.push_back(index);
        }
        last.push_back(index);
        tree.push_back(std::move(node));
    });
    if (tree.empty()) throw InputError(ErrorCode::syntax, {file, 0, 0}, "an empty tree");
    return tree;
}

}  // namespace tilewright::multicore::set
