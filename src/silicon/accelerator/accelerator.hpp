// An accelerator by three kinds of numbers: its data sheet, at most four calibrated ones (and four of power), and the
// form of its generation's kernels under one engine.
//
//     const Accelerator h100 = accelerator_named(...);      // silicon/files
//     product_us(h100, Precision::bfloat16, {512, 14336, 4096});
//
// Times in us, sizes in bytes, rates per us. Values; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "silicon/accelerator/form.hpp"
#include "silicon/kernels/machine.hpp"

namespace tilewright::silicon {

struct DataSheet {
    double operations_per_us = 0.0;  ///< dense, 16 bits; a multiply-accumulate is two
    double fp8_factor = 2.0;         ///< on that rate
    double fp4_factor = 4.0;
    double memory_bytes_per_us = 0.0;
    double multiprocessors = 1.0;
    double clock_per_us = 0.0;
    double cache_bytes = 0.0;              ///< last level
    double exponentials_per_cycle = 16.0;  ///< of one multiprocessor
    double link_bytes_per_us = 0.0;        ///< to other devices, one direction
    double power_watts = 0.0;              ///< limit; 0: unknown

    bool operator==(const DataSheet&) const = default;
};

/// Of one machine, from measured rows.
struct CalibratedNumbers {
    double launch_us = 0.0;
    double bandwidth_share = 1.0;
    double rate_share = 1.0;
    double link_share = 1.0;

    bool operator==(const CalibratedNumbers&) const = default;
};

/// Of one machine, from its meter.
struct PowerNumbers {
    double idle_watts = 0.0;
    double pj_per_operation = 0.0;  ///< of 16 bits
    double pj_per_byte = 0.0;       ///< of the outermost memory
    double busy_watts = 0.0;        ///< above idle, whatever runs

    bool operator==(const PowerNumbers&) const = default;
};

struct Accelerator {
    DataSheet sheet;
    CalibratedNumbers calibrated;
    std::string rows;          ///< source of the calibrated numbers
    std::string inherited_of;  ///< the machine whose numbers stand in; "": its own
    std::optional<PowerNumbers> power;
    bool power_is_own = false;  ///< else of a relative
    Form form;

    double reached_bytes_per_us() const { return sheet.memory_bytes_per_us * calibrated.bandwidth_share; }
};

/// Factor of a precision on the 16-bit rate.
double rate_factor(const DataSheet& sheet, Precision precision);

// The general form of kernels (silicon/kernels), for a generation without a description of its kernels: usual tiles,
// operands at 64 bytes a clock, no cache of weights. Pure; thread-safe.

/// The machine by its data sheet and calibration alone. `unit_level`: the memory of one multiprocessor.
KernelMachine without_form(const Accelerator& machine, int unit_level = 0);

}  // namespace tilewright::silicon
