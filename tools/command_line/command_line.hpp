// The command line of a test driver, a study or a checking tool.
//
//     std::uint64_t seed = 1;
//     CommandLine line("Compares the model with the oracle");
//     line.option("--seed", &seed, "which family of nests");
//     if (const std::optional<int> status = line.parse(argc, argv)) return *status;
//
// Options and words in any order, --name=value or --name value, -v value, `--` ends the options: getopt_long's rules,
// as those of `tilewright` itself, whose tools/tilewright/options/options.hpp also makes help, completion and the
// manual page.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tilewright {

class CommandLine {
   public:
    /// Where parse() puts a value; a bool takes none. A vector collects every occurrence.
    using Target =
        std::variant<bool*, int*, std::int64_t*, std::uint64_t*, double*, std::string*, std::filesystem::path*,
                     std::vector<std::string>*, std::vector<std::filesystem::path>*, std::optional<std::uint64_t>*>;
    struct Rule {
        std::vector<std::string> choices = {};  ///< the only values; empty: any
        bool required = false;
        bool positive = false;  ///< a number above zero
    };

    /// `what`: the first line of --help.
    explicit CommandLine(const std::string& what);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    /// `names`: "--seed", "-v,--verbose", or "DIR" for a word without dashes.
    void option(const std::string& names, Target target, const std::string& help = "") {
        option(names, target, help, Rule{});
    }
    void option(const std::string& names, Target target, const std::string& help, const Rule& rule);

    /// The exit status when the program has to end here: 0 after --help, 2 after a mistake that was printed.
    std::optional<int> parse(int argc, const char* const* argv);

   private:
    struct Parser;
    std::unique_ptr<Parser> parser_;
};

}  // namespace tilewright
