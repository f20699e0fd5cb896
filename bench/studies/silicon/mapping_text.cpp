#include "mapping_text.hpp"

#include <cctype>
#include <sstream>
#include <stdexcept>

namespace tilewright::silicon_study {
namespace {

[[noreturn]] void refuse(const std::string& word) { throw std::runtime_error("not a mapping: '" + word + "'"); }

// "K16X"
TextLoop loop_of(const std::string& word) {
    TextLoop loop;
    std::size_t end = 0;
    if (word.size() < 2 || std::isdigit(static_cast<unsigned char>(word[1])) == 0) refuse(word);
    loop.dimension = word[0];
    loop.extent = std::stoll(word.substr(1), &end);
    const std::string rest = word.substr(1 + end);
    if (rest != "" && rest != "X" && rest != "Y") refuse(word);
    loop.spatial = !rest.empty();
    return loop;
}

// "L2[WI]"
TextLevel level_of(const std::string& word) {
    const std::size_t close = word.find(']');
    if (word.size() < 4 || word[0] != 'L' || word[2] != '[' || close == std::string::npos) refuse(word);
    return {word[1] - '0', word.substr(3, close - 3), {}};
}

}  // namespace

std::vector<TextLevel> parse_mapping(const std::string& text) {
    std::vector<TextLevel> levels;
    std::istringstream in(text);
    for (std::string word; in >> word;) {
        if (word == "-") continue;
        if (word[0] == 'L' && word.find('[') != std::string::npos)
            levels.push_back(level_of(word));
        else if (levels.empty())
            refuse(word);
        else
            levels.back().loops.push_back(loop_of(word));
    }
    if (levels.empty()) refuse(text);
    return levels;
}

}  // namespace tilewright::silicon_study
