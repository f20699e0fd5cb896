#include "onnx/operators/fold.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>

namespace tilewright::onnx {
namespace {

using Type = pb::TensorProto_DataType;

Numbers vector_of(std::vector<double> values, std::int32_t type) {
    const auto size = static_cast<std::int64_t>(values.size());
    return {{size}, std::move(values), type};
}

Numbers scalar(double value, std::int32_t type) { return {{}, {value}, type}; }

/// One node and its known inputs; every rule gives nothing for unknown cases.
class Rules {
   public:
    using Result = std::optional<Numbers>;

    Rules(const pb::NodeProto& node, int opset, const Known& known, int output)
        : node_(node), opset_(opset), known_(known), output_(output) {}

    Result apply() {
        static const std::map<std::string, Result (Rules::*)() const> kRules{
            {"Shape", &Rules::shape},         {"Size", &Rules::size},
            {"Constant", &Rules::constant},   {"ConstantOfShape", &Rules::constant_of_shape},
            {"Range", &Rules::range},         {"Cast", &Rules::cast},
            {"CastLike", &Rules::cast},       {"Identity", &Rules::same},
            {"Where", &Rules::where},         {"Gather", &Rules::gather},
            {"Slice", &Rules::slice},         {"Concat", &Rules::concat},
            {"Squeeze", &Rules::squeeze},     {"Unsqueeze", &Rules::unsqueeze},
            {"Reshape", &Rules::reshape},     {"Flatten", &Rules::reshape_flat},
            {"Expand", &Rules::expand},       {"Not", &Rules::one_by_one},
            {"Neg", &Rules::one_by_one},      {"Abs", &Rules::one_by_one},
            {"Floor", &Rules::one_by_one},    {"Ceil", &Rules::one_by_one},
            {"Sqrt", &Rules::one_by_one},     {"ReduceProd", &Rules::reduce},
            {"ReduceSum", &Rules::reduce},    {"ReduceMax", &Rules::reduce},
            {"ReduceMin", &Rules::reduce},    {"Rank", &Rules::rank},
            {"Transpose", &Rules::transpose}, {"Split", &Rules::split},
            {"Tile", &Rules::tile},           {"NonZero", &Rules::non_zero}};
        if (const auto rule = kRules.find(node_.op_type()); rule != kRules.end()) return (this->*rule->second)();
        return pairs();
    }

   private:
    Result input(int i) const {
        if (i >= node_.input_size() || node_.input(i).empty()) return std::nullopt;
        return known_.numbers(node_.input(i));
    }
    bool has_input(int i) const { return i < node_.input_size() && !node_.input(i).empty(); }
    const pb::AttributeProto* attribute(const char* name) const {
        for (const pb::AttributeProto& one : node_.attribute())
            if (one.name() == name) return &one;
        return nullptr;
    }
    std::int64_t integer(const char* name, std::int64_t otherwise) const {
        const pb::AttributeProto* found = attribute(name);
        return found == nullptr ? otherwise : found->i();
    }
    /// From an input of newer opsets, or the attribute of older ones.
    std::optional<std::vector<std::int64_t>> integers(const char* name, int place) const {
        if (has_input(place)) {
            const Result given = input(place);
            if (!given || !is_whole_type(given->type)) return std::nullopt;
            return std::vector<std::int64_t>(given->values.begin(), given->values.end());
        }
        const pb::AttributeProto* found = attribute(name);
        if (found == nullptr) return std::nullopt;
        return std::vector<std::int64_t>(found->ints().begin(), found->ints().end());
    }

    Result shape() const {
        if (!has_input(0)) return std::nullopt;
        const std::optional<Extents> extents = known_.shape(node_.input(0));
        if (!extents) return std::nullopt;
        const auto rank = static_cast<std::int64_t>(extents->size());
        const auto bound = [&](const char* name, std::int64_t otherwise) {
            const std::int64_t given = integer(name, otherwise);
            return std::clamp(given < 0 ? given + rank : given, std::int64_t{0}, rank);
        };
        const std::int64_t begin = bound("start", 0);
        const std::int64_t end = std::max(begin, bound("end", rank));
        std::vector<double> values(extents->begin() + begin, extents->begin() + end);
        if (std::any_of(values.begin(), values.end(), [](double extent) { return extent < 0; })) return std::nullopt;
        return vector_of(std::move(values), Type::TensorProto_DataType_INT64);
    }

    Result rank() const {
        const std::optional<Extents> extents = has_input(0) ? known_.shape(node_.input(0)) : std::nullopt;
        if (!extents) return std::nullopt;
        return scalar(static_cast<double>(extents->size()), Type::TensorProto_DataType_INT64);
    }

    Result size() const {
        const std::optional<Extents> extents = has_input(0) ? known_.shape(node_.input(0)) : std::nullopt;
        if (!extents) return std::nullopt;
        double product = 1.0;
        for (const std::int64_t extent : *extents) {
            if (extent < 0) return std::nullopt;
            product *= static_cast<double>(extent);
        }
        return scalar(product, Type::TensorProto_DataType_INT64);
    }

    Result constant() const {
        for (const pb::AttributeProto& one : node_.attribute()) {
            if (one.name() == "value" && one.has_t()) return numbers_in(one.t());
            if (one.name() == "value_int")
                return scalar(static_cast<double>(one.i()), Type::TensorProto_DataType_INT64);
            if (one.name() == "value_float") return scalar(one.f(), Type::TensorProto_DataType_FLOAT);
            if (one.name() == "value_ints" && one.ints_size() <= kMostFolded)
                return vector_of({one.ints().begin(), one.ints().end()}, Type::TensorProto_DataType_INT64);
        }
        return std::nullopt;
    }

    Result constant_of_shape() const {
        const Result extents = input(0);
        if (!extents) return std::nullopt;
        Numbers made{{extents->values.begin(), extents->values.end()}, {}, Type::TensorProto_DataType_FLOAT};
        double value = 0.0;
        if (const pb::AttributeProto* given = attribute("value"); given != nullptr && given->has_t()) {
            const Result one = numbers_in(given->t());
            if (!one || one->values.size() != 1) return std::nullopt;
            value = one->values[0];
            made.type = one->type;
        }
        const std::int64_t count = count_of(made.extents);
        if (count < 0) return std::nullopt;
        made.values.assign(static_cast<std::size_t>(count), value);
        return made;
    }

    Result range() const {
        const Result first = input(0);
        const Result end = input(1);
        const Result step = input(2);
        if (!first || !end || !step || first->values.size() != 1 || end->values.size() != 1 ||
            step->values.size() != 1 || step->values[0] == 0.0)
            return std::nullopt;
        const double count = std::ceil((end->values[0] - first->values[0]) / step->values[0]);
        if (!(count <= static_cast<double>(kMostFolded))) return std::nullopt;
        std::vector<double> values;
        for (std::size_t i = 0; static_cast<double>(i) < count; ++i)
            values.push_back(first->values[0] + static_cast<double>(i) * step->values[0]);
        return vector_of(std::move(values), first->type);
    }

    Result same() const { return input(0); }

    Result cast() const {
        Result value = input(0);
        const Result like = node_.op_type() == "CastLike" ? input(1) : std::nullopt;
        if (!value || (node_.op_type() == "CastLike" && !like)) return std::nullopt;
        value->type = like ? like->type : static_cast<std::int32_t>(integer("to", 0));
        if (opset_ < 6 && !like && attribute("to") != nullptr) {  // by name, then
            Type named{};
            value->type = pb::TensorProto_DataType_Parse(attribute("to")->s(), &named) ? named : 0;
        }
        for (double& one : value->values) {
            if (is_whole_type(value->type)) one = std::trunc(one);
            if (value->type == Type::TensorProto_DataType_BOOL) one = one == 0.0 ? 0.0 : 1.0;
        }
        return value;
    }

    Result one_by_one() const {
        Result value = input(0);
        if (!value) return std::nullopt;
        const std::string& op = node_.op_type();
        for (double& one : value->values)
            one = op == "Not"     ? (one == 0.0 ? 1.0 : 0.0)
                  : op == "Neg"   ? -one
                  : op == "Abs"   ? std::abs(one)
                  : op == "Floor" ? std::floor(one)
                  : op == "Ceil"  ? std::ceil(one)
                                  : std::sqrt(one);
        return value;
    }

    /// Of two tensors, broadcast against each other.
    Result pairs() const {
        const std::string& op = node_.op_type();
        Result a = input(0);
        const Result b = input(1);
        static const std::vector<std::string> kOperators{"Add",
                                                         "Sub",
                                                         "Mul",
                                                         "Div",
                                                         "Mod",
                                                         "Pow",
                                                         "Min",
                                                         "Max",
                                                         "Equal",
                                                         "Less",
                                                         "Greater",
                                                         "LessOrEqual",
                                                         "GreaterOrEqual",
                                                         "And",
                                                         "Or",
                                                         "Xor"};
        if (std::find(kOperators.begin(), kOperators.end(), op) == kOperators.end()) return std::nullopt;
        if (!a || !b || node_.input_size() != 2) return std::nullopt;
        const std::optional<Extents> extents = common_extents(a->extents, b->extents);
        if (!extents) return std::nullopt;
        const Result left = spread(*a, *extents);
        const Result right = spread(*b, *extents);
        if (!left || !right) return std::nullopt;
        Numbers made = *left;
        for (std::size_t i = 0; i < made.values.size(); ++i) {
            const std::optional<double> value = combined(op, left->values[i], right->values[i], is_whole_type(a->type));
            if (!value) return std::nullopt;
            made.values[i] = *value;
        }
        static const std::vector<std::string> kArithmetic{"Add", "Sub", "Mul", "Div", "Mod", "Pow", "Min", "Max"};
        if (std::find(kArithmetic.begin(), kArithmetic.end(), op) == kArithmetic.end())
            made.type = Type::TensorProto_DataType_BOOL;
        return made;
    }

    static std::optional<double> combined(const std::string& op, double a, double b, bool whole) {
        if (op == "Add") return a + b;
        if (op == "Sub") return a - b;
        if (op == "Mul") return a * b;
        if (op == "Min") return std::min(a, b);
        if (op == "Max") return std::max(a, b);
        if (op == "Pow") return std::pow(a, b);
        if (op == "Equal") return a == b ? 1.0 : 0.0;
        if (op == "Less") return a < b ? 1.0 : 0.0;
        if (op == "Greater") return a > b ? 1.0 : 0.0;
        if (op == "LessOrEqual") return a <= b ? 1.0 : 0.0;
        if (op == "GreaterOrEqual") return a >= b ? 1.0 : 0.0;
        if (op == "And") return a != 0.0 && b != 0.0 ? 1.0 : 0.0;
        if (op == "Or") return a != 0.0 || b != 0.0 ? 1.0 : 0.0;
        if (op == "Xor") return (a != 0.0) != (b != 0.0) ? 1.0 : 0.0;
        if (b == 0.0) return std::nullopt;
        if (op == "Mod") return a - b * std::floor(a / b);
        return whole ? std::trunc(a / b) : a / b;
    }

    Result where() const {
        const Result condition = input(0);
        const Result a = input(1);
        const Result b = input(2);
        if (!condition || !a || !b) return std::nullopt;
        std::optional<Extents> extents = common_extents(a->extents, b->extents);
        if (extents) extents = common_extents(*extents, condition->extents);
        if (!extents) return std::nullopt;
        const Result chosen = spread(*condition, *extents);
        const Result other = spread(*b, *extents);
        Result made = spread(*a, *extents);
        if (!chosen || !other || !made) return std::nullopt;
        for (std::size_t i = 0; i < made->values.size(); ++i)
            if (chosen->values[i] == 0.0) made->values[i] = other->values[i];
        return made;
    }

    Result gather() const {
        const Result data = input(0);
        const Result indices = input(1);
        if (!data || !indices) return std::nullopt;
        return gathered(*data, *indices, integer("axis", 0));
    }

    Result transpose() const {
        const Result data = input(0);
        if (!data) return std::nullopt;
        const View from = whole_view(*data);
        const std::size_t axes = from.extents.size();
        std::vector<std::int64_t> order;
        if (const pb::AttributeProto* given = attribute("perm"); given != nullptr)
            order.assign(given->ints().begin(), given->ints().end());
        else
            for (std::size_t axis = axes; axis-- > 0;) order.push_back(static_cast<std::int64_t>(axis));
        const std::optional<View> view = permuted(from, order);
        return view ? Result(viewed(*data, *view)) : std::nullopt;
    }

    /// Starts and ends with their axes and steps: attributes before opset 10, inputs since.
    Result slice() const {
        const Result data = input(0);
        const auto starts = integers("starts", 1);
        const auto ends = integers("ends", 2);
        if (!data || !starts || !ends || starts->size() != ends->size()) return std::nullopt;
        auto axes = integers("axes", 3);
        auto steps = integers("steps", 4);
        if ((has_input(3) && !axes) || (has_input(4) && !steps)) return std::nullopt;
        if (!axes) {
            axes.emplace(starts->size());
            std::iota(axes->begin(), axes->end(), std::int64_t{0});
        }
        if (!steps) steps.emplace(starts->size(), 1);
        if (axes->size() != starts->size() || steps->size() != starts->size()) return std::nullopt;
        View view = whole_view(*data);
        for (std::size_t i = 0; i < starts->size(); ++i)
            if (!cut(view, (*axes)[i], (*starts)[i], (*ends)[i], (*steps)[i])) return std::nullopt;
        return viewed(*data, view);
    }

    /// This output's part: lengths from an attribute or input, else equal ones.
    Result split() const {
        const Result data = input(0);
        if (!data || data->extents.empty()) return std::nullopt;
        View view = whole_view(*data);
        const auto axes = static_cast<std::int64_t>(view.extents.size());
        const std::int64_t axis = integer("axis", 0) + (integer("axis", 0) < 0 ? axes : 0);
        if (axis < 0 || axis >= axes) return std::nullopt;
        const std::int64_t size = view.extents[static_cast<std::size_t>(axis)];
        const std::int64_t equal = (size + node_.output_size() - 1) / node_.output_size();
        auto lengths = integers("split", 1);
        if (has_input(1) && !lengths) return std::nullopt;
        if (!lengths) lengths.emplace(node_.output_size(), equal);
        if (lengths->size() != static_cast<std::size_t>(node_.output_size())) return std::nullopt;
        std::int64_t start = 0;
        for (int part = 0; part < output_; ++part) start += std::clamp((*lengths)[part], std::int64_t{0}, size);
        const std::int64_t length = std::clamp((*lengths)[output_], std::int64_t{0}, size);
        return cut(view, axis, start, start + length, 1) ? Result(viewed(*data, view)) : std::nullopt;
    }

    Result tile() const {
        Result value = input(0);
        const auto repeats = integers("repeats", 1);
        if (!value || !repeats || repeats->size() != value->extents.size()) return std::nullopt;
        for (std::size_t axis = 0; axis < repeats->size(); ++axis) {
            const std::int64_t times = (*repeats)[axis];
            const auto size = static_cast<std::int64_t>(value->values.size());
            if (times < 1 || times > kMostFolded || times * size > kMostFolded) return std::nullopt;
            value = joined(std::vector<Numbers>(static_cast<std::size_t>(times), *value), static_cast<int>(axis));
            if (!value) return std::nullopt;
        }
        return value;
    }

    /// One column per non-zero; older exporters count with it.
    Result non_zero() const {
        const Result data = input(0);
        if (!data || data->extents.empty()) return std::nullopt;
        const View view = whole_view(*data);
        std::vector<double> columns;
        for (std::size_t axis = 0; axis < view.extents.size(); ++axis)
            for (std::size_t i = 0; i < data->values.size(); ++i)
                if (data->values[i] != 0.0)
                    columns.push_back(
                        static_cast<double>(static_cast<std::int64_t>(i) / view.strides[axis] % view.extents[axis]));
        const auto axes = static_cast<std::int64_t>(view.extents.size());
        return Numbers{{axes, static_cast<std::int64_t>(columns.size()) / axes},
                       std::move(columns),
                       Type::TensorProto_DataType_INT64};
    }

    Result concat() const {
        std::vector<Numbers> parts;
        std::size_t total = 0;
        for (int i = 0; i < node_.input_size(); ++i) {
            Result part = input(i);
            if (!part) return std::nullopt;
            total += part->values.size();
            if (total > kMostFolded) return std::nullopt;
            parts.push_back(std::move(*part));
        }
        return joined(parts, integer("axis", opset_ < 4 ? 1 : 0));
    }

    Result squeeze() const {
        Result value = input(0);
        if (!value) return std::nullopt;
        const auto axes = integers("axes", 1);
        if (has_input(1) && !axes) return std::nullopt;
        const auto rank = static_cast<std::int64_t>(value->extents.size());
        Extents kept;
        for (std::int64_t axis = 0; axis < rank; ++axis) {
            const bool named = !axes || std::any_of(axes->begin(), axes->end(),
                                                    [&](std::int64_t a) { return (a < 0 ? a + rank : a) == axis; });
            if (!named || value->extents[axis] != 1) kept.push_back(value->extents[axis]);
        }
        value->extents = kept;
        return value;
    }

    Result unsqueeze() const {
        Result value = input(0);
        const auto axes = integers("axes", 1);
        if (!value || !axes || axes->size() > 8) return std::nullopt;
        const auto rank = static_cast<std::int64_t>(value->extents.size() + axes->size());
        std::vector<std::int64_t> places;
        for (const std::int64_t axis : *axes) places.push_back(axis < 0 ? axis + rank : axis);
        std::sort(places.begin(), places.end());
        for (const std::int64_t place : places) {
            if (place < 0 || place > static_cast<std::int64_t>(value->extents.size())) return std::nullopt;
            value->extents.insert(value->extents.begin() + place, 1);
        }
        return value;
    }

    Result reshape() const {
        Result value = input(0);
        const Result target = input(1);
        if (!value || !target) return std::nullopt;
        Extents extents(target->values.begin(), target->values.end());
        std::int64_t product = 1;
        std::int64_t* open = nullptr;
        for (std::size_t i = 0; i < extents.size(); ++i) {
            if (extents[i] == 0 && i < value->extents.size() && integer("allowzero", 0) == 0)
                extents[i] = value->extents[i];
            if (extents[i] == -1 && open == nullptr) {
                open = &extents[i];
                continue;
            }
            if (extents[i] < 0 || extents[i] > kMostFolded) return std::nullopt;
            product *= extents[i];
            if (product > kMostFolded) return std::nullopt;
        }
        const auto count = static_cast<std::int64_t>(value->values.size());
        if (open != nullptr && product > 0 && count % product == 0) *open = count / product;
        if (count_of(extents) != count) return std::nullopt;
        value->extents = extents;
        return value;
    }

    Result reshape_flat() const {
        Result value = input(0);
        if (!value || value->extents.size() > 1) return std::nullopt;
        value->extents = {1, static_cast<std::int64_t>(value->values.size())};
        return value;
    }

    Result expand() const {
        const Result value = input(0);
        const Result target = input(1);
        if (!value || !target) return std::nullopt;
        const Extents asked(target->values.begin(), target->values.end());
        const std::optional<Extents> extents = common_extents(value->extents, asked);
        return extents ? spread(*value, *extents) : std::nullopt;
    }

    Result reduce() const {
        const Result value = input(0);
        if (!value || value->values.empty()) return std::nullopt;
        const auto axes = integers("axes", 1);
        const bool all = !axes || axes->empty();
        if ((has_input(1) && !axes) || (all && integer("noop_with_empty_axes", 0) != 0)) return std::nullopt;
        const auto rank = static_cast<std::int64_t>(value->extents.size());
        std::vector<bool> summed(value->extents.size(), all);
        if (!all)
            for (const std::int64_t axis : *axes) {
                if (axis < -rank || axis >= rank) return std::nullopt;
                summed[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
            }
        return reduced(*value, summed);
    }

    Numbers reduced(const Numbers& value, const std::vector<bool>& summed) const {
        Numbers made{{}, {}, value.type};
        for (std::size_t axis = 0; axis < summed.size(); ++axis)
            made.extents.push_back(summed[axis] ? 1 : value.extents[axis]);
        View place = whole_view(made);
        for (std::size_t axis = 0; axis < summed.size(); ++axis)
            if (summed[axis]) place.strides[axis] = 0;
        place.extents = value.extents;
        std::vector<std::optional<double>> results(static_cast<std::size_t>(count_of(made.extents)));
        auto next = value.values.begin();
        walk(place, [&](std::int64_t at) {
            std::optional<double>& result = results[at];
            result = result ? both(*result, *next) : *next;
            ++next;
        });
        for (const std::optional<double>& result : results) made.values.push_back(result.value_or(0.0));
        if (integer("keepdims", 1) != 0) return made;
        made.extents.clear();
        for (std::size_t axis = 0; axis < summed.size(); ++axis)
            if (!summed[axis]) made.extents.push_back(value.extents[axis]);
        return made;
    }

    double both(double a, double b) const {
        const std::string& op = node_.op_type();
        if (op == "ReduceProd") return a * b;
        if (op == "ReduceSum") return a + b;
        return op == "ReduceMax" ? std::max(a, b) : std::min(a, b);
    }

    const pb::NodeProto& node_;
    int opset_;
    const Known& known_;
    int output_;
};

}  // namespace

std::optional<Numbers> folded(const pb::NodeProto& node, int opset, const Known& known, int output) {
    if (output >= node.output_size() || node.output(output).empty()) return std::nullopt;
    if (output > 0 && node.op_type() != "Split") return std::nullopt;
    std::optional<Numbers> numbers = Rules(node, opset, known, output).apply();
    if (!numbers || !is_followed_type(numbers->type) || !is_sound(*numbers)) return std::nullopt;
    return numbers;
}

}  // namespace tilewright::onnx
