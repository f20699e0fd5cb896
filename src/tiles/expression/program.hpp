// An expression made ready: instructions on a small stack, over values in slots. A rule is evaluated ten thousand times
// for an answer; names are looked up once, here.
//
// `and`, `or` and `if` jump over what they need not. What has no value - a division by zero, a count beyond 64 bits -
// throws InputError at its place. Immutable; any number of threads may run it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tiles/expression/expression.hpp"

namespace tilewright::tiles {

/// The last value is in hand; those before it wait on the stack.
struct Instruction {
    enum class Code : std::uint8_t {
        constant,
        slot,
        apply,           ///< an Operation of the value in hand alone
        operate,         ///< of the one that waits and the one in hand
        operate_slot,    ///< of the one in hand and a slot: what most of a rule is
        operate_number,  ///< of the one in hand and a constant
        apply_three,
        chain,           ///< compares two; true: the second stays, false: 0 and to the target
        truth,           ///< 0 or 1
        jump,            ///< to the target
        jump_if_false,   ///< takes a value
        false_and_jump,  ///< a false value becomes 0 and jumps; a true one is taken
        true_and_jump,   ///< a true value becomes 1 and jumps; a false one is taken
    };
    Code code = Code::constant;
    Operation operation = Operation::number;
    std::uint16_t place = 0;
    std::int32_t target = 0;  ///< of jumps; the slot, the constant
};

/// T: std::int64_t of rules, double of times.
template <typename T>
class Program {
   public:
    Program() = default;
    /// `slot_of` says where a name's value is; below 0: there is no such name, which is said with `known`.
    Program(PlacedText text, const std::function<int(const std::string&)>& slot_of,
            const std::vector<std::string>& known);

    T operator()(const T* slots) const;

    const std::string& text() const { return text_->text; }
    const Location& where() const { return text_->where; }
    const Expression& tree() const { return *tree_; }
    /// Every name in it, once.
    const std::vector<std::string>& names() const { return names_; }

   private:
    void add(const Expression& expression, const std::function<int(const std::string&)>& slot_of,
             const std::vector<std::string>& known);
    void add_joined(const Expression& expression, const std::function<int(const std::string&)>& slot_of,
                    const std::vector<std::string>& known);
    std::size_t emit(Instruction::Code code, Operation operation, std::size_t place, std::int32_t target = 0);
    void emit_operation(Operation operation, std::size_t place);
    void push(int values);

    std::vector<Instruction> instructions_;
    std::vector<T> constants_;
    std::vector<std::string> names_;
    std::shared_ptr<const PlacedText> text_;
    std::shared_ptr<const Expression> tree_;
    std::size_t jumped_to_ = 0;  ///< what lies before may be left out by a jump to here
    int depth_ = 0;
};

using IntegerProgram = Program<std::int64_t>;
using RealProgram = Program<double>;

extern template class Program<std::int64_t>;
extern template class Program<double>;

}  // namespace tilewright::tiles
