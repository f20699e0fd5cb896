// Operation counts of the text's functions.
#include <algorithm>
#include <map>

#include "base/numbers/checked.hpp"
#include "workload/cascade/text_syntax.hpp"

namespace tilewright::cascade_text {
namespace {

using enum OperationClass;

// Sigmoid, tanh and the like are one exponential each, whatever the unit's method.
const std::map<std::string, std::vector<OperationCount>, std::less<>>& functions() {
    static const std::map<std::string, std::vector<OperationCount>, std::less<>> kFunctions{
        {"abs", {{add, 1}}},
        {"clip", {{add, 2}}},
        {"copy", {}},
        {"cos", {{exponential, 1}}},
        {"erf", {{exponential, 1}}},
        {"exp", {{exponential, 1}}},
        {"gelu", {{exponential, 1}, {multiply, 2}, {add, 1}}},
        {"log", {{exponential, 1}}},
        {"moments", {{multiply, 1}, {add, 1}}},  // statistics: of x and of x squared
        {"neg", {{add, 1}}},
        {"reciprocal", {{divide, 1}}},
        {"relu", {{add, 1}}},
        {"rotate", {{multiply, 2}, {add, 1}}},  // a pair of words by an angle with known sine and cosine
        {"rsqrt", {{divide, 1}}},
        {"sigmoid", {{exponential, 1}}},
        {"silu", {{exponential, 1}, {multiply, 1}}},
        {"sin", {{exponential, 1}}},
        {"softmax", {{add, 2}, {exponential, 1}}},  // statistics: compares with the maximum, e^(x - maximum)
        {"softplus", {{exponential, 2}, {add, 1}}},
        {"sqrt", {{divide, 1}}},
        {"square", {{multiply, 1}}},
        {"tanh", {{exponential, 1}}},
        {"top", {}},  // selection: the comparisons are those of max=
    };
    return kFunctions;
}

}  // namespace

const std::vector<OperationCount>* operations_of(std::string_view function) {
    const auto found = functions().find(function);
    return found == functions().end() ? nullptr : &found->second;
}

std::vector<std::string> function_names() {
    std::vector<std::string> names;
    for (const auto& [name, operations] : functions()) names.push_back(name);
    return names;
}

void count(std::vector<OperationCount>& operations, OperationClass operation, std::int64_t times) {
    const auto found = std::find_if(operations.begin(), operations.end(),
                                    [&](const OperationCount& one) { return one.operation == operation; });
    if (found == operations.end())
        operations.push_back({operation, times});
    else
        found->per_point = checked_add(found->per_point, times);
}

}  // namespace tilewright::cascade_text
