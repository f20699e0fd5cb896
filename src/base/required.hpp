// Optionals with a value by contract.
#pragma once

#include <optional>
#include <stdexcept>
#include <utility>

namespace tilewright {

/// The value. Throws std::logic_error without one: a program error, not an input error.
template <typename T>
const T& required(const std::optional<T>& value) {
    if (!value) throw std::logic_error("a value is missing that has to be there");
    return *value;
}

template <typename T>
T& required(std::optional<T>& value) {
    if (!value) throw std::logic_error("a value is missing that has to be there");
    return *value;
}

template <typename T>
T required(std::optional<T>&& value) {
    if (!value) throw std::logic_error("a value is missing that has to be there");
    return *std::move(value);
}

}  // namespace tilewright
