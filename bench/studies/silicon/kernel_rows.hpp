// Measured layers of a machine of kernels, from the JSON that study.py makes of public files and of the lists of
// kernels of a software.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "silicon/kernels/attention.hpp"
#include "silicon/kernels/machine.hpp"
#include "silicon/kernels/product.hpp"

namespace tilewright::silicon_study {

using Work = std::variant<silicon::Product, silicon::Stream, silicon::Attention>;

struct KernelRow {
    Work work;
    double measured_us = 0.0;
};

/// {"product": {"rows": 1, "columns": 2, "depth": 3}, "us": 4.5}, or "stream" or "attention". Throws what
/// nlohmann::json throws for another form.
KernelRow kernel_row(const nlohmann::json& given);

/// As the software runs it.
double predicted_us(const Work& work, const silicon::KernelMachine& machine);

/// Of the data sheet: one launch for free, everything at full rate, each word moved once.
double roofline_us(const Work& work, silicon::KernelMachine machine);

}  // namespace tilewright::silicon_study
