#include "codegen/cuda/code.hpp"

#include <cctype>
#include <set>

namespace tilewright::cuda {
namespace {

// Words with another meaning in a kernel or in C++.
std::set<std::string> reserved() {
    return {"i",        "in",        "sum",      "shared",   "thread",   "stream",   "error",    "grid",
            "block",    "launch",    "kernel",   "int",      "long",     "short",    "char",     "float",
            "double",   "bool",      "void",     "auto",     "for",      "do",       "while",    "if",
            "else",     "switch",    "case",     "default",  "break",    "goto",     "return",   "this",
            "new",      "const",     "class",    "struct",   "union",    "enum",     "using",    "namespace",
            "static",   "extern",    "signed",   "unsigned", "and",      "or",       "not",      "xor",
            "bitand",   "bitor",     "compl",    "and_eq",   "or_eq",    "xor_eq",   "not_eq",   "try",
            "catch",    "throw",     "template", "typename", "typedef",  "operator", "delete",   "sizeof",
            "public",   "private",   "true",     "false",    "inline",   "volatile", "register", "asm",
            "export",   "friend",    "mutable",  "virtual",  "explicit", "alignas",  "alignof",  "concept",
            "requires", "constexpr", "decltype", "noexcept", "nullptr",  "dim3",     "main",     "tile",
            "step",     "point",     "base",     "at",       "linux",    "unix"};
}

// Without underscores, so that "k_tile" is always a loop over k.
std::string unique(std::string wanted, std::set<std::string>& taken) {
    std::erase(wanted, '_');
    std::string name = wanted;
    for (int n = 2; !taken.insert(name).second; ++n) name = wanted + std::to_string(n);
    return name;
}

}  // namespace

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

std::string identifier(const std::string& text) {
    std::string name;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = byte < 0x80 && std::isalnum(byte) != 0;
        if (plain)
            name += static_cast<char>(std::tolower(byte));
        else if (!name.empty() && name.back() != '_')
            name += '_';
    }
    while (!name.empty() && name.back() == '_') name.pop_back();
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name.insert(0, "x");
    return name;
}

std::string comment(const std::string& text) {
    std::string line;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        line += byte < 0x20 || byte >= 0x7f || c == '\\' || c == '?' ? '_' : c;
    }
    return line;
}

Names names_for(const Einsum& einsum) {
    std::set<std::string> taken = reserved();
    Names names;
    for (const Dimension& dimension : einsum.dimensions)
        names.dimensions.push_back(unique(identifier(dimension.name), taken));
    for (const Tensor& tensor : einsum.tensors) names.tensors.push_back(unique(identifier(tensor.name), taken));
    return names;
}

}  // namespace tilewright::cuda
