#include "differences.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tilewright::golden {
namespace {

std::string number_text(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

constexpr double kLastDigit = 1e-14;

bool nearly_equal(double a, double b) {
    return std::abs(a - b) <= Differences::kTolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

}  // namespace

void Differences::count(const std::string& name, std::int64_t ours, const nlohmann::json& theirs) {
    if (theirs.is_number_integer() && theirs.get<std::int64_t>() == ours) return;
    if (theirs.is_number_float() && theirs.get<double>() == static_cast<double>(ours)) return;
    all_.push_back({name, std::to_string(ours), theirs.dump()});
}

void Differences::exactly(const std::string& name, double ours, const nlohmann::json& theirs) {
    if (theirs.is_number() && theirs.get<double>() == ours) return;
    all_.push_back({name, number_text(ours), theirs.dump()});
}

void Differences::ratio(const std::string& name, double ours, const nlohmann::json& theirs) {
    if (theirs.is_number() && std::abs(ours - theirs.get<double>()) <= kLastDigit * std::abs(ours)) return;
    all_.push_back({name, number_text(ours), theirs.dump()});
}

void Differences::close(const std::string& name, double ours, const nlohmann::json& theirs) {
    if (theirs.is_number() && nearly_equal(ours, theirs.get<double>())) return;
    all_.push_back({name, number_text(ours), theirs.dump()});
}

void Differences::text(const std::string& name, const std::string& ours, const std::string& theirs) {
    if (ours != theirs) all_.push_back({name, ours, theirs});
}

void Differences::problem(const std::string& name, const std::string& what) { all_.push_back({name, what, ""}); }

std::string to_text(const std::vector<Difference>& differences, std::size_t most) {
    std::string text;
    for (std::size_t i = 0; i < std::min(most, differences.size()); ++i) {
        const Difference& difference = differences[i];
        if (i > 0) text += "; ";
        if (difference.theirs.empty())
            text += difference.name + ": " + difference.ours;
        else
            text += difference.name + ": ours " + difference.ours + ", theirs " + difference.theirs;
    }
    if (differences.size() > most) text += "; ... (" + std::to_string(differences.size() - most) + " more)";
    return text;
}

}  // namespace tilewright::golden
