// Numbers for people: grouped digits, SI prefixes, shares, sizes. Machines read report.json instead.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright {

/// 1234567 -> "1,234,567"
std::string count_text(std::int64_t count);

/// As above; a fractional count (bypassed memories can rescale traffic) gets two decimals.
std::string count_text(double count);

/// Four significant digits; scientific below 0.001 and from 1000 on: "258.0", "8.187e+05". Zero is "0".
std::string figure_text(double value);

/// Four significant digits and an SI prefix: si_text(1.5e-6, "J") -> "1.5 uJ". Zero is "0 J".
std::string si_text(double value, const std::string& unit);

/// 1234567 pJ -> "1.235 uJ"
std::string energy_text(double energy_pj);

/// 1234567 um2 -> "1.235 mm2"; below 0.1 mm2 in um2.
std::string area_text(double area_um2);

/// 0.4567 -> "45.7 %"
std::string share_text(double share);

/// '#' for each full 1/width of the share, rounded to the nearest; at least one '#' for a non-zero share.
std::string bar(double share, int width);

/// At most four significant digits, no trailing zeros: "0.2", "17.04".
std::string short_number(double value);

/// "384 B", "128 KiB", "1.5 MiB"
std::string size_text(double bytes);

}  // namespace tilewright
