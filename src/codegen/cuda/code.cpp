#include "codegen/cuda/code.hpp"

namespace tilewright::cuda {

void Code::line(const std::string& text) {
    text_ += std::string(static_cast<std::size_t>(4 * depth_), ' ') + text + '\n';
}

void Code::open(const std::string& text) {
    line(text + " {");
    ++depth_;
}

void Code::close() {
    --depth_;
    line("}");
}

void Code::close_to(int depth) {
    while (depth_ > depth) close();
}

Sum& Sum::add(const std::string& name, std::int64_t factor) {
    if (factor == 0) return *this;
    if (!empty()) text_ += " + ";
    text_ += name;
    if (factor != 1) text_ += " * " + std::to_string(factor);
    ++terms_;
    return *this;
}

Sum& Sum::add(const Sum& other, std::int64_t factor) {
    if (other.empty() || factor == 0) return *this;
    if (factor != 1 && other.terms_ > 1) return add("(" + other.text_ + ")", factor);
    if (factor != 1) return add(other.text_, factor);
    if (!empty()) text_ += " + ";
    text_ += other.text_;
    terms_ += other.terms_;
    return *this;
}

}  // namespace tilewright::cuda
