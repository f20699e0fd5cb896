#include "maestro/files/document.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace tilewright::maestro {
namespace {

using dataflow::Axis;
using dataflow::AxisTable;
using dataflow::Directive;
using dataflow::DirectiveKind;
using dataflow::Extents;
using dataflow::Layer;
using dataflow::LayerType;

constexpr std::size_t kMaxDirectives = 256;

std::string text_of(Axis axis) { return std::string(dataflow::name_of(axis)); }

dataflow::ClusterKind cluster_kind(Cursor& cursor) {
    if (cursor.token().is(")") || cursor.token().kind != Token::Kind::word) {
        cursor.note(cursor.token(), "a Cluster without P or L");
        return dataflow::ClusterKind::logical;
    }
    const Token& kind = cursor.take();
    if (kind.text == "P") return dataflow::ClusterKind::physical;
    if (kind.text == "L") return dataflow::ClusterKind::logical;
    cursor.fail(kind, ErrorCode::bad_value,
                "a Cluster is of kind P (physical units) or L (logical ones), found " + text_of(kind));
}

Directive read_cluster(Cursor& cursor, const Token& name) {
    Directive directive;
    directive.kind = DirectiveKind::cluster;
    directive.where = cursor.place(name);
    const bool open = cursor.accept("(");
    directive.size = cursor.size();
    cursor.accept(",");
    directive.cluster = cluster_kind(cursor);
    if (open) cursor.expect(")", "to close Cluster");
    return directive;
}

Directive read_map(Cursor& cursor, const Token& name) {
    Directive directive;
    directive.kind = name.text == "SpatialMap" ? DirectiveKind::spatial : DirectiveKind::temporal;
    directive.where = cursor.place(name);
    const bool open = cursor.accept("(");
    directive.size = cursor.size();
    cursor.skip_separators();
    directive.offset = cursor.size();
    if (open) cursor.expect(")", "to close " + std::string(name.text));
    cursor.skip_separators();
    directive.axis = cursor.axis();
    return directive;
}

Directive read_directive(Cursor& cursor) {
    const Token name = cursor.word("TemporalMap, SpatialMap, Cluster or '}'");
    if (name.text == "Cluster") return read_cluster(cursor, name);
    if (name.text == "TemporalMap" || name.text == "SpatialMap") return read_map(cursor, name);
    cursor.fail(name, ErrorCode::unknown_key,
                "expected TemporalMap, SpatialMap or Cluster, found " + text_of(name) +
                    did_you_mean(name.text, {"TemporalMap", "SpatialMap", "Cluster"}));
}

class LayerReader {
   public:
    explicit LayerReader(Cursor& cursor) : cursor_(cursor), start_(cursor.token()) {}

    Layer run() {
        layer_.where = cursor_.place(start_);
        layer_.name = cursor_.name_before_brace();
        cursor_.expect("{", "after the layer's name");
        cursor_.skip_separators();
        while (!cursor_.accept("}")) {
            part();
            cursor_.skip_separators();
        }
        finish();
        return std::move(layer_);
    }

   private:
    void part() {
        static const std::vector<std::string> kKnown{"Type", "Stride", "Dilation", "Density", "Dimensions", "Dataflow"};
        const Token name = cursor_.word(list_words(kKnown) + " or '}'");
        const std::string text(name.text);
        if (std::find(kKnown.begin(), kKnown.end(), text) == kKnown.end())
            cursor_.fail(
                name, ErrorCode::unknown_key,
                "a Layer holds " + list_words(kKnown) + ", found " + text_of(name) + did_you_mean(text, kKnown));
        if (!seen_.insert(text).second) cursor_.fail(name, ErrorCode::duplicate_key, text + " is given twice");
        if (text == "Type") type();
        if (text == "Stride") stride(name);
        if (text == "Dilation") dilation(name);
        if (text == "Density") density(name);
        if (text == "Dimensions") dimensions();
        if (text == "Dataflow") directives();
    }

    void type() {
        cursor_.skip_separators();
        const Token name = cursor_.word("a type of layer");
        std::vector<std::string> names;
        for (int i = 0; i < 8; ++i) {
            const auto type = static_cast<LayerType>(i);
            names.emplace_back(dataflow::name_of(type));
            if (names.back() == name.text) layer_.type = type;
        }
        if (std::find(names.begin(), names.end(), name.text) == names.end())
            cursor_.fail(name, ErrorCode::unknown_name,
                         "unknown type of layer " + text_of(name) + "; the types are " + list_words(names));
        if (layer_.type >= LayerType::fully_connected) cursor_.note(name, "layers of type " + std::string(name.text));
    }

    // `{ AXIS: value ... }`; repetition is allowed (public files have it), contradiction is not.
    template <typename Read>
    void table(const std::string& name, Read read) {
        cursor_.skip_separators();
        cursor_.expect("{", "after " + name);
        std::map<Axis, std::int64_t> given;
        cursor_.skip_separators();
        while (!cursor_.accept("}")) {
            const Token place = cursor_.token();
            const Axis axis = cursor_.axis();
            cursor_.skip_separators();
            const std::int64_t value = read(axis, place);
            if (given.emplace(axis, value).first->second != value)
                cursor_.fail(place, ErrorCode::duplicate_key, name + " of " + text_of(axis) + " is given twice");
            cursor_.skip_separators();
        }
    }

    void stride(const Token& name) {
        if (seen_.contains("Dimensions")) cursor_.note(name, "Stride behind Dimensions");
        table("Stride", [&](Axis axis, const Token& place) {
            layer_.stride[axis] = cursor_.number(1, "a stride");
            if (axis != Axis::X && axis != Axis::Y && layer_.stride[axis] != 1)
                cursor_.fail(place, ErrorCode::unsupported,
                             "strides other than 1 belong to X and Y, found " + text_of(axis));
            return layer_.stride[axis];
        });
    }

    void dilation(const Token& name) {
        cursor_.note(name, "Dilation");
        table("Dilation", [&](Axis axis, const Token& place) {
            if (axis != Axis::R && axis != Axis::S)
                cursor_.fail(place, ErrorCode::unsupported, "dilation belongs to R and S, found " + text_of(axis));
            const Token value = cursor_.token();
            layer_.dilation[axis] = cursor_.number(0, "a dilation");
            if (layer_.dilation[axis] == 0) zero_dilations_.emplace(axis, value);
            return layer_.dilation[axis];
        });
    }

    // Dilation of a one-element filter is meaningless; files write 0.
    void check_dilations() {
        for (const auto& [axis, place] : zero_dilations_) {
            if (layer_.extents[axis] > 1)
                cursor_.fail(place, ErrorCode::bad_value,
                             "a dilation is at least 1 where the filter has more than one element, and " +
                                 text_of(axis) + " is " + std::to_string(layer_.extents[axis]));
            layer_.dilation[axis] = 1;
        }
    }

    // Percent of non-zero elements.
    void density(const Token& name) {
        cursor_.note(name, "Density");
        cursor_.skip_separators();
        cursor_.expect("{", "after Density");
        cursor_.skip_separators();
        std::set<std::string> given;
        while (!cursor_.accept("}")) {
            const Token tensor = cursor_.word("Input, Filter, Output or '}'");
            double* share = tensor.text == "Input"    ? &layer_.density.input.density
                            : tensor.text == "Filter" ? &layer_.density.filter.density
                            : tensor.text == "Output" ? &layer_.density.output.density
                                                      : nullptr;
            if (share == nullptr)
                cursor_.fail(tensor, ErrorCode::unknown_tensor,
                             "Density is of Input, Filter and Output, found " + text_of(tensor));
            if (!given.insert(std::string(tensor.text)).second)
                cursor_.fail(tensor, ErrorCode::duplicate_key, "Density of " + text_of(tensor) + " is given twice");
            cursor_.skip_separators();
            const Token place = cursor_.token();
            const double percent = cursor_.real("a density in percent");
            *share = percent / 100.0;
            if (!(percent >= 0.01 && percent <= 100.0))
                cursor_.fail(place, ErrorCode::bad_value,
                             "a density is a percentage from 0.01 to 100, found " + text_of(place));
            cursor_.skip_separators();
        }
    }

    void dimensions() {
        table("Dimensions", [&](Axis axis, const Token& place) {
            const std::optional<Axis> pair = other_side(axis);
            if (pair && layer_.extents[*pair] > 0)
                cursor_.fail(place, ErrorCode::bad_value,
                             text_of(*pair) + " is given already: of an input dimension and its output one, give one");
            return layer_.extents[axis] = cursor_.number(1, "a dimension");
        });
    }

    static std::optional<Axis> other_side(Axis axis) {
        switch (axis) {
            case Axis::Y: return Axis::out_y;
            case Axis::X: return Axis::out_x;
            case Axis::out_y: return Axis::Y;
            case Axis::out_x: return Axis::X;
            default: return std::nullopt;
        }
    }

    void directives() {
        layer_.dataflow = read_dataflow(cursor_);
        if (layer_.dataflow->directives.empty()) layer_.dataflow.reset();
    }

    [[noreturn]] void fail(ErrorCode code, const std::string& message) const {
        const std::string name = layer_.name.empty() ? "the layer" : "layer '" + layer_.name + "'";
        cursor_.fail(start_, code, name + " " + message);
    }

    void finish() {
        for (const char* part : {"Type", "Dimensions"})
            if (!seen_.contains(part)) fail(ErrorCode::missing_key, std::string("has no ") + part);
        check_dilations();
        const dataflow::AxisRules rules = dataflow::axis_rules(layer_.type);
        for (const Axis axis : rules.required) {
            const std::optional<Axis> other = other_side(axis);
            if (layer_.extents[axis] == 0 && (!other || layer_.extents[*other] == 0))
                fail(ErrorCode::missing_key, "of type " + std::string(dataflow::name_of(layer_.type)) +
                                                 " needs the dimension " + text_of(axis));
        }
        for (const Axis axis : dataflow::all_axes()) check_allowed(axis, rules);
        if (!layer_.dataflow) return;
        // Allowed if unmapped: XRBench's files omit the padding.
        if (!dataflow::has_output(layer_))
            fail(ErrorCode::bad_value, "has no output: its filter is larger than its input");
        const Extents extents = dataflow::complete_extents(layer_);
        for (const Directive& directive : layer_.dataflow->directives) check_directive(directive, extents);
    }

    void check_allowed(Axis axis, const dataflow::AxisRules& rules) const {
        if (layer_.extents[axis] <= 1) return;
        const auto among = [](Axis one, const std::vector<Axis>& axes) {
            return std::find(axes.begin(), axes.end(), one) != axes.end();
        };
        const Axis input = dataflow::window_of(axis) && layer_.type != LayerType::gemm
                               ? (axis == Axis::out_y   ? Axis::Y
                                  : axis == Axis::out_x ? Axis::X
                                                        : axis)
                               : axis;
        if (!among(input, rules.required) && !among(input, rules.optional))
            fail(ErrorCode::bad_value, "is of type " + std::string(dataflow::name_of(layer_.type)) +
                                           ", which has no dimension " + text_of(axis));
    }

    void check_directive(const Directive& directive, const Extents& extents) const {
        const auto refuse = [&](ErrorCode code, const std::string& message) {
            throw InputError(code, directive.where, to_text(directive) + ": " + message);
        };
        const bool map = directive.kind != DirectiveKind::cluster;
        if (map && extents[directive.axis] == 0)
            refuse(ErrorCode::unknown_name, "a layer of type " + std::string(dataflow::name_of(layer_.type)) +
                                                " has no dimension " + text_of(directive.axis));
        for (const dataflow::Size* size : {&directive.size, &directive.offset}) {
            if (!dataflow::parameters_of(*size).empty()) continue;
            const dataflow::SizeValue value = dataflow::value_of(*size, extents, {});
            if (!value.problem.empty()) refuse(ErrorCode::bad_value, value.problem);
            if (value.value < 1 || value.value > 2147483647)
                refuse(ErrorCode::bad_value, "sizes and offsets are from 1 to 2147483647, and " + to_text(*size) +
                                                 " is " + std::to_string(value.value));
        }
    }

    Cursor& cursor_;
    Token start_;
    Layer layer_;
    std::set<std::string> seen_;
    std::map<Axis, Token> zero_dilations_;  ///< at their places
};

}  // namespace

Layer read_layer(Cursor& cursor) { return LayerReader(cursor).run(); }

dataflow::Dataflow read_dataflow(Cursor& cursor) {
    dataflow::Dataflow flow;
    flow.name = cursor.name_before_brace();
    cursor.expect("{", "after Dataflow");
    cursor.skip_separators();
    while (!cursor.accept("}")) {
        const Token place = cursor.token();
        flow.directives.push_back(read_directive(cursor));
        if (flow.directives.size() > kMaxDirectives)
            cursor.fail(place, ErrorCode::unsupported, "a Dataflow has at most 256 directives");
        cursor.skip_separators();
    }
    return flow;
}

}  // namespace tilewright::maestro
