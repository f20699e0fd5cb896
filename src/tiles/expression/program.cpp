#include "tiles/expression/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

#include "tiles/expression/arithmetic.hpp"

namespace tilewright::tiles {
namespace {

// Values that wait for others. parse_expression() bounds nesting, not the arguments of a function.
constexpr int kMostWaiting = 256;

template <typename T>
bool compared(Operation operation, T a, T b) {
    switch (operation) {
        case Operation::equal: return a == b;
        case Operation::not_equal: return a != b;
        case Operation::less: return a < b;
        case Operation::at_most: return a <= b;
        case Operation::greater: return a > b;
        default: return a >= b;
    }
}

template <typename T>
T applied(Operation operation, T a, T b) {
    switch (operation) {
        case Operation::add: return sum(a, b);
        case Operation::subtract: return difference(a, b);
        case Operation::multiply: return product(a, b);
        case Operation::floor_divide: return floor_divided(a, b);
        case Operation::modulo: return modulo(a, b);
        case Operation::power: return raised(a, b);
        case Operation::minimum: return std::min(a, b);
        case Operation::maximum: return std::max(a, b);
        case Operation::ceil_divide: return ceil_divided(a, b);
        case Operation::round_up: return product(ceil_divided(a, b), b);
        case Operation::divides: return modulo(b, a) == 0 ? 1 : 0;
        default: break;
    }
    if constexpr (std::is_same_v<T, double>) {
        if (operation == Operation::divide) return divided(a, b);
        if (operation == Operation::overlapped) return std::sqrt(std::sqrt(a * a * a * a + b * b * b * b));
    }
    return compared(operation, a, b) ? 1 : 0;
}

template <typename T>
T applied_to_one(Operation operation, T value) {
    if (operation == Operation::logical_not) return value == 0 ? 1 : 0;
    if (operation == Operation::negate) return difference(T{0}, value);
    if constexpr (std::is_same_v<T, double>) {
        return value > 0 && std::exp2(std::round(std::log2(value))) == value ? 1 : 0;
    } else {
        return value > 0 && (value & (value - 1)) == 0 ? 1 : 0;
    }
}

template <typename T>
T applied_to_three(Operation operation, T a, T b, T c) {
    if constexpr (std::is_same_v<T, double>) {
        return operation == Operation::bank_conflicts ? bank_conflicts(a, b, c) : bank_lines(a, b, c);
    } else {
        return a + b + c;  // no rule has such a function
    }
}

bool takes_one(Operation operation) {
    return operation == Operation::logical_not || operation == Operation::negate ||
           operation == Operation::power_of_two;
}
bool takes_three(Operation operation) {
    return operation == Operation::bank_conflicts || operation == Operation::bank_lines;
}

}  // namespace

template <typename T>
Program<T>::Program(PlacedText text, const std::function<int(const std::string&)>& slot_of,
                    const std::vector<std::string>& known)
    : text_(std::make_shared<const PlacedText>(std::move(text))) {
    constexpr Numbers kNumbers = std::is_same_v<T, double> ? Numbers::real : Numbers::whole;
    tree_ = std::make_shared<const Expression>(parse_expression(*text_, kNumbers));
    collect_names(*tree_, names_);
    std::ranges::sort(names_);
    names_.erase(std::ranges::unique(names_).begin(), names_.end());
    add(*tree_, slot_of, known);
}

template <typename T>
void Program<T>::push(int values) {
    depth_ += values;
    if (depth_ > kMostWaiting) text_->fail(0, ErrorCode::bad_value, "the expression has too many parts at once");
}

template <typename T>
std::size_t Program<T>::emit(Instruction::Code code, Operation operation, std::size_t place, std::int32_t target) {
    instructions_.push_back({code, operation, static_cast<std::uint16_t>(place), target});
    return instructions_.size() - 1;
}

// The second operand, where it is a slot or a constant, is read where it lies.
template <typename T>
void Program<T>::emit_operation(Operation operation, std::size_t place) {
    using Code = Instruction::Code;
    Instruction& last = instructions_.back();
    if (instructions_.size() > jumped_to_ && (last.code == Code::slot || last.code == Code::constant)) {
        last = {last.code == Code::slot ? Code::operate_slot : Code::operate_number, operation,
                static_cast<std::uint16_t>(place), last.target};
    } else {
        emit(Code::operate, operation, place);
    }
    push(-1);
}

template <typename T>
void Program<T>::add_joined(const Expression& expression, const std::function<int(const std::string&)>& slot_of,
                            const std::vector<std::string>& known) {
    using Code = Instruction::Code;
    const auto here = [&] {
        jumped_to_ = instructions_.size();
        return static_cast<std::int32_t>(jumped_to_);
    };
    if (expression.operation == Operation::choose) {
        add(expression.parts[1], slot_of, known);
        const std::size_t otherwise = emit(Code::jump_if_false, Operation::choose, expression.place);
        push(-1);
        add(expression.parts[0], slot_of, known);
        const std::size_t end = emit(Code::jump, Operation::choose, expression.place);
        push(-1);
        instructions_[otherwise].target = here();
        add(expression.parts[2], slot_of, known);
        instructions_[end].target = here();
    } else if (expression.operation == Operation::compare) {
        std::vector<std::size_t> ends;
        add(expression.parts[0], slot_of, known);
        for (std::size_t i = 0; i < expression.comparisons.size(); ++i) {
            add(expression.parts[i + 1], slot_of, known);
            if (i + 1 == expression.comparisons.size()) {
                emit_operation(expression.comparisons[i], expression.place);
            } else {
                ends.push_back(emit(Code::chain, expression.comparisons[i], expression.place));
                push(-1);
            }
        }
        for (const std::size_t end : ends) instructions_[end].target = here();
    } else {
        const bool conjunction = expression.operation == Operation::logical_and;
        add(expression.parts[0], slot_of, known);
        const std::size_t end =
            emit(conjunction ? Code::false_and_jump : Code::true_and_jump, expression.operation, expression.place);
        push(-1);
        add(expression.parts[1], slot_of, known);
        emit(Code::truth, expression.operation, expression.place);
        instructions_[end].target = here();
    }
}

template <typename T>
void Program<T>::add(const Expression& expression, const std::function<int(const std::string&)>& slot_of,
                     const std::vector<std::string>& known) {
    using Code = Instruction::Code;
    switch (expression.operation) {
        case Operation::number:
            if constexpr (std::is_same_v<T, double>) {
                constants_.push_back(expression.real);
            } else {
                constants_.push_back(expression.whole);
            }
            emit(Code::constant, Operation::number, expression.place, static_cast<std::int32_t>(constants_.size() - 1));
            return push(1);
        case Operation::name: {
            const int slot = slot_of(expression.name);
            if (slot < 0)
                text_->fail(expression.place, ErrorCode::unknown_name,
                            fmt::format("there is no '{}' in given, machine, choose or let{}", expression.name,
                                        did_you_mean(expression.name, known)));
            emit(Code::slot, Operation::name, expression.place, slot);
            return push(1);
        }
        case Operation::choose:
        case Operation::compare:
        case Operation::logical_and:
        case Operation::logical_or: return add_joined(expression, slot_of, known);
        default: break;
    }
    add(expression.parts[0], slot_of, known);
    if (takes_three(expression.operation)) {
        for (int i = 1; i < 3; ++i) add(expression.parts[i], slot_of, known);
        emit(Code::apply_three, expression.operation, expression.place);
        return push(-2);
    }
    if (takes_one(expression.operation)) emit(Code::apply, expression.operation, expression.place);
    for (std::size_t i = 1; i < expression.parts.size(); ++i) {
        add(expression.parts[i], slot_of, known);
        emit_operation(expression.operation, expression.place);
    }
}

template <typename T>
T Program<T>::operator()(const T* slots) const {
    using Code = Instruction::Code;
    std::array<T, kMostWaiting + 1> stack;
    T* waiting = stack.data();  // behind the last that waits
    T hand{};
    const Instruction* const begin = instructions_.data();
    const Instruction* const end = begin + instructions_.size();
    const Instruction* at = begin;
    try {
        while (at != end) {
            const Instruction& now = *at++;
            switch (now.code) {
                case Code::constant:
                    *waiting++ = hand;
                    hand = constants_[now.target];
                    break;
                case Code::slot:
                    *waiting++ = hand;
                    hand = slots[now.target];
                    break;
                case Code::operate_slot: hand = applied(now.operation, hand, slots[now.target]); break;
                case Code::operate_number: hand = applied(now.operation, hand, constants_[now.target]); break;
                case Code::operate: hand = applied(now.operation, *--waiting, hand); break;
                case Code::apply: hand = applied_to_one(now.operation, hand); break;
                case Code::apply_three:
                    waiting -= 2;
                    hand = applied_to_three(now.operation, waiting[0], waiting[1], hand);
                    break;
                case Code::chain:
                    if (!compared(now.operation, *--waiting, hand)) {
                        hand = 0;
                        at = begin + now.target;
                    }
                    break;
                case Code::truth: hand = hand != 0 ? 1 : 0; break;
                case Code::jump: at = begin + now.target; break;
                case Code::jump_if_false:
                    if (hand == 0) at = begin + now.target;
                    hand = *--waiting;
                    break;
                case Code::false_and_jump:
                    if (hand == 0)
                        at = begin + now.target;
                    else
                        hand = *--waiting;
                    break;
                case Code::true_and_jump:
                    if (hand != 0) {
                        hand = 1;
                        at = begin + now.target;
                    } else {
                        hand = *--waiting;
                    }
                    break;
            }
        }
    } catch (const Unanswerable& none) {
        text_->fail((at - 1)->place, none.code, fmt::format("{} in '{}'", none.why, text_->text));
    }
    return hand;
}

template class Program<std::int64_t>;
template class Program<double>;

}  // namespace tilewright::tiles
