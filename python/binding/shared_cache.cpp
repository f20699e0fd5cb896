#include "shared_cache.hpp"

#include <fmt/format.h>

#include <utility>

namespace tilewright::python {
namespace {

// Copies of a machine share what they hold.
std::string whole_key(const NamedMachine& machine, const std::string& key) {
    return fmt::format("{} {} {}", static_cast<const void*>(&machine.machine.architecture()), machine.name, key);
}

}  // namespace

SharedCache::SharedCache(std::optional<std::filesystem::path> directory)
    : answers_({.directory = std::move(directory), .warn = [this](const std::string& text) {
                    const std::lock_guard lock(mutex_);
                    warnings_.push_back(text);
                }}) {}

std::int64_t SharedCache::found() const {
    const std::lock_guard lock(mutex_);
    return answers_.found() + found_in_reports_;
}

std::shared_ptr<report::Report> SharedCache::report(const NamedMachine& machine, const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto known = reports_.find(whole_key(machine, key));
    if (known == reports_.end()) return nullptr;
    found_in_reports_ += static_cast<std::int64_t>(known->second.report->layers.size());
    return known->second.report;
}

void SharedCache::keep(const NamedMachine& machine, const std::string& key, std::shared_ptr<report::Report> report) {
    const std::lock_guard lock(mutex_);
    reports_.insert_or_assign(whole_key(machine, key), Known{machine.machine, std::move(report)});
}

std::vector<std::string> SharedCache::take_warnings() {
    const std::lock_guard lock(mutex_);
    return std::exchange(warnings_, {});
}

}  // namespace tilewright::python
