#include "inputs/file_names.hpp"

#include <algorithm>
#include <cctype>

namespace tilewright::cli {

std::string plain_file_name(const std::string& name) {
    constexpr std::size_t kLongest = 200;  // file systems take 255 bytes
    std::string plain = name.substr(0, kLongest);
    std::replace_if(
        plain.begin(), plain.end(),
        [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '-' && c != '_'; }, '_');
    return plain.starts_with('.') ? "_" + plain : plain;
}

std::string FileNames::apart(const std::string& name) {
    std::string one = name;
    for (int i = 2; !taken_.insert(one).second; ++i) one = name + "_" + std::to_string(i);
    return one;
}

}  // namespace tilewright::cli
