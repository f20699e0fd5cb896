#include "frontend/onnx/fold.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

namespace tilewright::onnx {
namespace {

using Type = pb::TensorProto_DataType;

constexpr double kExact = 9007199254740992.0;  // 2^53: whole numbers beyond are not followed

bool is_whole_type(std::int32_t type) {
    return type == Type::TensorProto_DataType_INT64 || type == Type::TensorProto_DataType_INT32 ||
           type == Type::TensorProto_DataType_BOOL;
}

bool is_followed_type(std::int32_t type) {
    return is_whole_type(type) || type == Type::TensorProto_DataType_FLOAT || type == Type::TensorProto_DataType_DOUBLE;
}

// The product of the extents, or -1 for more than may be followed.
std::int64_t count_of(const Extents& extents) {
    std::int64_t count = 1;
    for (const std::int64_t extent : extents) {
        if (extent < 0 || extent > kMostFolded) return -1;
        count *= extent;
        if (count > kMostFolded) return -1;
    }
    return count;
}

bool is_sound(const Numbers& numbers) {
    return count_of(numbers.extents) == static_cast<std::int64_t>(numbers.values.size()) &&
           std::all_of(numbers.values.begin(), numbers.values.end(),
                       [](double value) { return std::isfinite(value) && std::abs(value) <= kExact; });
}

Numbers vector_of(std::vector<double> values, std::int32_t type) {
    const auto size = static_cast<std::int64_t>(values.size());
    return {{size}, std::move(values), type};
}

Numbers scalar(double value, std::int32_t type) { return {{}, {value}, type}; }

/// One node and what is known about its inputs; every rule answers nothing where it does not know.
class Rules {
   public:
    using Result = std::optional<Numbers>;

    Rules(const pb::NodeProto& node, int opset, const Known& known) : node_(node), opset_(opset), known_(known) {}

    Result apply() {
        static const std::map<std::string, Result (Rules::*)() const> kRules{
            {"Shape", &Rules::shape},       {"Size", &Rules::size},
            {"Constant", &Rules::constant}, {"ConstantOfShape", &Rules::constant_of_shape},
            {"Range", &Rules::range},       {"Cast", &Rules::cast},
            {"CastLike", &Rules::cast},     {"Identity", &Rules::same},
            {"Where", &Rules::where},       {"Gather", &Rules::gather},
            {"Slice", &Rules::slice},       {"Concat", &Rules::concat},
            {"Squeeze", &Rules::squeeze},   {"Unsqueeze", &Rules::unsqueeze},
            {"Reshape", &Rules::reshape},   {"Flatten", &Rules::reshape_flat},
            {"Expand", &Rules::expand},     {"Not", &Rules::one_by_one},
            {"Neg", &Rules::one_by_one},    {"Abs", &Rules::one_by_one},
            {"Floor", &Rules::one_by_one},  {"Ceil", &Rules::one_by_one},
            {"Sqrt", &Rules::one_by_one},   {"ReduceProd", &Rules::reduce},
            {"ReduceSum", &Rules::reduce},  {"ReduceMax", &Rules::reduce},
            {"ReduceMin", &Rules::reduce},  {"Rank", &Rules::rank}};
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
        for (double i = 0.0; i < count; i += 1.0) values.push_back(first->values[0] + i * step->values[0]);
        return vector_of(std::move(values), first->type);
    }

    Result same() const { return input(0); }

    Result cast() const {
        Result value = input(0);
        const Result like = node_.op_type() == "CastLike" ? input(1) : std::nullopt;
        if (!value || (node_.op_type() == "CastLike" && !like)) return std::nullopt;
        value->type = like ? like->type : static_cast<std::int32_t>(integer("to", 0));
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

    /// True for a single number beside a tensor (which may be empty) whose shape the result then has.
    static bool spreads_over(const Numbers& one, const Numbers& all) {
        return one.values.size() == 1 && one.extents.size() <= all.extents.size();
    }

    /// Numbers of equal shapes, or one of them a single number.
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
        const bool spreads_a = spreads_over(*a, *b);
        const bool spreads_b = !spreads_a && spreads_over(*b, *a);
        if (!spreads_a && !spreads_b && a->extents != b->extents) return std::nullopt;
        Numbers made = spreads_a ? *b : *a;
        made.type = a->type;
        for (std::size_t i = 0; i < made.values.size(); ++i) {
            const std::optional<double> value =
                combined(op, a->values[spreads_a ? 0 : i], b->values[spreads_b ? 0 : i], is_whole_type(a->type));
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
        if (a->extents != b->extents) return std::nullopt;
        if (spreads_over(*condition, *a)) return condition->values[0] != 0.0 ? a : b;
        if (condition->extents != a->extents) return std::nullopt;
        Numbers made = *a;
        for (std::size_t i = 0; i < made.values.size(); ++i)
            if (condition->values[i] == 0.0) made.values[i] = b->values[i];
        return made;
    }

    Result gather() const {
        const Result data = input(0);
        const Result indices = input(1);
        if (!data || !indices || data->extents.size() != 1 || integer("axis", 0) > 0) return std::nullopt;
        Numbers made{indices->extents, {}, data->type};
        const auto size = static_cast<std::int64_t>(data->values.size());
        for (const double index : indices->values) {
            auto at = static_cast<std::int64_t>(index);
            if (at < 0) at += size;
            if (at < 0 || at >= size) return std::nullopt;
            made.values.push_back(data->values[static_cast<std::size_t>(at)]);
        }
        return made;
    }

    Result slice() const {
        const Result data = input(0);
        const auto starts = integers("starts", 1);
        const auto ends = integers("ends", 2);
        if (!data || !starts || !ends || data->extents.size() != 1 || starts->size() != 1 || ends->size() != 1)
            return std::nullopt;
        const auto steps = opset_ >= 10 && has_input(4) ? integers("steps", 4) : std::vector<std::int64_t>{1};
        if (!steps || steps->size() != 1 || steps->front() < 1) return std::nullopt;
        const std::int64_t size = data->extents[0];
        const auto place = [&](std::int64_t at) { return std::clamp(at < 0 ? at + size : at, std::int64_t{0}, size); };
        std::vector<double> values;
        for (std::int64_t i = place(starts->front()); i < place(ends->front()); i += steps->front()) {
            values.push_back(data->values[static_cast<std::size_t>(i)]);
            if (size - i <= steps->front()) break;  // the next one would leave 64 bits, or the list
        }
        return vector_of(std::move(values), data->type);
    }

    Result concat() const {
        std::vector<double> values;
        std::int32_t type = 0;
        for (int i = 0; i < node_.input_size(); ++i) {
            const Result part = input(i);
            if (!part || part->extents.size() != 1) return std::nullopt;
            values.insert(values.end(), part->values.begin(), part->values.end());
            type = part->type;
        }
        return vector_of(std::move(values), type);
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
            if (extents[i] == 0 && i < value->extents.size()) extents[i] = value->extents[i];
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
        if (!value || !target || value->values.size() != 1) return std::nullopt;
        Numbers made{{target->values.begin(), target->values.end()}, {}, value->type};
        const std::int64_t count = count_of(made.extents);
        if (count < 0) return std::nullopt;
        made.values.assign(static_cast<std::size_t>(count), value->values[0]);
        return made;
    }

    /// Of a whole tensor of one axis.
    Result reduce() const {
        const Result value = input(0);
        if (!value || value->extents.size() != 1 || value->values.empty()) return std::nullopt;
        const std::string& op = node_.op_type();
        const std::vector<double>& all = value->values;
        const double result = op == "ReduceProd"  ? std::accumulate(all.begin(), all.end(), 1.0, std::multiplies<>())
                              : op == "ReduceSum" ? std::accumulate(all.begin(), all.end(), 0.0)
                              : op == "ReduceMax" ? *std::max_element(all.begin(), all.end())
                                                  : *std::min_element(all.begin(), all.end());
        return integer("keepdims", 1) != 0 ? vector_of({result}, value->type) : scalar(result, value->type);
    }

    const pb::NodeProto& node_;
    int opset_;
    const Known& known_;
};

template <typename Stored>
std::vector<double> unpacked(const std::string& bytes) {
    std::vector<double> values(bytes.size() / sizeof(Stored));
    for (std::size_t i = 0; i < values.size(); ++i) {
        Stored one{};
        std::memcpy(&one, bytes.data() + i * sizeof(Stored), sizeof(Stored));
        values[i] = static_cast<double>(one);
    }
    return values;
}

std::vector<double> raw_values(const pb::TensorProto& tensor) {
    switch (tensor.data_type()) {
        case Type::TensorProto_DataType_INT64: return unpacked<std::int64_t>(tensor.raw_data());
        case Type::TensorProto_DataType_INT32: return unpacked<std::int32_t>(tensor.raw_data());
        case Type::TensorProto_DataType_BOOL: return unpacked<std::uint8_t>(tensor.raw_data());
        case Type::TensorProto_DataType_FLOAT: return unpacked<float>(tensor.raw_data());
        default: return unpacked<double>(tensor.raw_data());
    }
}

std::vector<double> typed_values(const pb::TensorProto& tensor) {
    const auto all = [](const auto& list) { return std::vector<double>(list.begin(), list.end()); };
    switch (tensor.data_type()) {
        case Type::TensorProto_DataType_INT64: return all(tensor.int64_data());
        case Type::TensorProto_DataType_FLOAT: return all(tensor.float_data());
        case Type::TensorProto_DataType_DOUBLE: return all(tensor.double_data());
        default: return all(tensor.int32_data());
    }
}

}  // namespace

std::optional<Numbers> numbers_in(const pb::TensorProto& tensor) {
    if (!is_followed_type(tensor.data_type())) return std::nullopt;
    if (tensor.data_location() == pb::TensorProto_DataLocation_EXTERNAL) return std::nullopt;
    Numbers numbers{{tensor.dims().begin(), tensor.dims().end()}, {}, tensor.data_type()};
    if (count_of(numbers.extents) < 0) return std::nullopt;
    numbers.values = tensor.has_raw_data() ? raw_values(tensor) : typed_values(tensor);
    // Exporters write the largest integer for "to the end" of a slice.
    for (double& value : numbers.values)
        if (is_whole_type(numbers.type)) value = std::clamp(value, -kExact, kExact);
    return is_sound(numbers) ? std::optional(numbers) : std::nullopt;
}

pb::TensorProto tensor_of(const Numbers& numbers) {
    pb::TensorProto tensor;
    for (const std::int64_t extent : numbers.extents) tensor.add_dims(extent);
    tensor.set_data_type(numbers.type);
    for (const double value : numbers.values) {
        if (numbers.type == Type::TensorProto_DataType_INT64)
            tensor.add_int64_data(static_cast<std::int64_t>(value));
        else if (numbers.type == Type::TensorProto_DataType_FLOAT)
            tensor.add_float_data(static_cast<float>(value));
        else if (numbers.type == Type::TensorProto_DataType_DOUBLE)
            tensor.add_double_data(value);
        else
            tensor.add_int32_data(static_cast<std::int32_t>(std::clamp(value, -2147483648.0, 2147483647.0)));
    }
    return tensor;
}

std::optional<Numbers> folded(const pb::NodeProto& node, int opset, const Known& known) {
    if (node.output_size() < 1 || node.output(0).empty()) return std::nullopt;
    std::optional<Numbers> numbers = Rules(node, opset, known).apply();
    if (!numbers || !is_followed_type(numbers->type) || !is_sound(*numbers)) return std::nullopt;
    return numbers;
}

}  // namespace tilewright::onnx
