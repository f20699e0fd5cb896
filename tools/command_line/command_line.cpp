#include "command_line/command_line.hpp"

#include <CLI/CLI.hpp>

namespace tilewright {

struct CommandLine::Parser {
    CLI::App app;
};

CommandLine::CommandLine(const std::string& what) : parser_(std::make_unique<Parser>()) {
    parser_->app.description(what);
}

CommandLine::~CommandLine() = default;

namespace {

CLI::Option* add(CLI::App& app, const std::string& names, bool* target, const std::string& help) {
    return app.add_flag(names, *target, help);
}

template <class Value>
CLI::Option* add(CLI::App& app, const std::string& names, Value* target, const std::string& help) {
    return app.add_option(names, *target, help);
}

}  // namespace

void CommandLine::option(const std::string& names, Target target, const std::string& help, const Rule& rule) {
    CLI::Option* const added = std::visit([&](auto* value) { return add(parser_->app, names, value, help); }, target);
    if (rule.required) added->required();
    if (rule.positive) added->check(CLI::PositiveNumber);
    if (!rule.choices.empty()) added->check(CLI::IsMember(rule.choices));
}

std::optional<int> CommandLine::parse(int argc, const char* const* argv) {
    try {
        parser_->app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return parser_->app.exit(error) == 0 ? 0 : 2;
    }
    return std::nullopt;
}

}  // namespace tilewright
