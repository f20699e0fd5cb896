// A compiler's pass in C++ on the C functions: a handle that closes itself, points by name.
// Usage: pass_cpp RULES MACHINE NAME=VALUE...
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tilewright/tiles.h"

namespace {

std::string text_of(const char* path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

class TileChoice {
   public:
    TileChoice(const std::string& rules, const std::string& machine) {
        tw_tiles* opened = nullptr;
        check(tw_tiles_open(rules.data(), rules.size(), machine.data(), machine.size(), nullptr, 0, &opened, &error_));
        tiles_.reset(opened);
    }

    std::map<std::string, std::int64_t> ask(const std::map<std::string, std::int64_t>& given) {
        std::vector<std::int64_t> values;
        for (const std::string& name : names(0)) values.push_back(given.at(name));
        std::int64_t point[TW_MOST_CHOSEN];
        check(tw_tiles_ask(tiles_.get(), values.data(), values.size(), point, TW_MOST_CHOSEN, nullptr, &error_));
        std::map<std::string, std::int64_t> answer;
        const std::vector<std::string> chosen = names(1);
        for (std::size_t i = 0; i < chosen.size(); ++i) answer[chosen[i]] = point[i];
        return answer;
    }

   private:
    std::vector<std::string> names(int which) const {
        std::vector<std::string> all;
        const char* name = nullptr;
        for (std::size_t i = 0; tw_tiles_name(tiles_.get(), which, i, &name) == TW_DONE; ++i) all.emplace_back(name);
        return all;
    }
    void check(int status) const {
        if (status != TW_DONE) throw std::runtime_error(error_.text);
    }

    tw_error error_{sizeof(tw_error), {}, 0, 0, {}};
    std::unique_ptr<tw_tiles, void (*)(tw_tiles*)> tiles_{nullptr, tw_tiles_close};
};

}  // namespace

int main(int argc, char** argv) {
    try {
        TileChoice tiles(text_of(argv[1]), text_of(argv[2]));
        std::map<std::string, std::int64_t> given;
        for (int i = 3; i < argc; ++i) {
            const std::string text = argv[i];
            given[text.substr(0, text.find('='))] = std::stoll(text.substr(text.find('=') + 1));
        }
        for (const auto& [name, value] : tiles.ask(given))
            std::printf("%s=%lld\n", name.c_str(), static_cast<long long>(value));
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
