#include "timeloop/components/component_classes.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace tilewright::timeloop {
namespace {

template <std::size_t kCount>
bool contains_any(std::string_view text, const std::array<std::string_view, kCount>& words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

constexpr std::array<std::string_view, 5> kMemory{"DRAM", "SRAM", "regfile", "smartbuffer", "storage"};
constexpr std::array<std::string_view, 2> kCompute{"mac", "compute"};
constexpr std::array<std::string_view, 4> kNetwork{"XY_NoC", "Legacy", "ReductionTree", "SimpleMulticast"};
constexpr std::array<std::string_view, 6> kPassive{"wire", "adder", "multiplier", "counter", "comparator", "crossbar"};

}  // namespace

Role role_of(std::string_view component_class) {
    if (contains_any(component_class, kMemory)) return Role::memory;
    if (contains_any(component_class, kCompute)) return Role::compute;
    if (contains_any(component_class, kNetwork)) return Role::network;
    std::string lower(component_class);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return contains_any(lower, kPassive) ? Role::passive : Role::unknown;
}

std::string known_classes() {
    return "a memory's class contains DRAM, SRAM, regfile, smartbuffer or storage, a compute unit's contains mac or "
           "compute, a network's contains XY_NoC, Legacy, ReductionTree or SimpleMulticast";
}

}  // namespace tilewright::timeloop
