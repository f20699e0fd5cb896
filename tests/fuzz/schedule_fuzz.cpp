// Any bytes as schedule.json: findings or an InputError, nothing else. Large layers are only read.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "libfyaml_leaks.hpp"
#include "native/schedule.hpp"
#include "schedule/validation/validate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tilewright;
    constexpr std::int64_t kLargest = 4096;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const yaml::Node root = yaml::parse_text(text, "fuzz.json");
        const std::vector<native::LayerScheduleFile> layers = native::read_schedules(root);
        const native::NetworkOrderFile order = native::read_order(root, layers);
        schedule::validate_staying(layers.front().layer.problem.machine, order.steps, order.staying);
        for (const native::LayerScheduleFile& one : layers) {
            const schedule::Problem& problem = one.layer.problem;
            bool sound = problem_with(problem.layer).empty();
            for (const std::int64_t tile : problem.tiling.value) sound = sound && tile > 0;
            if (sound && schedule::operation_count(problem) > kLargest) continue;
            schedule::validate(problem, one.layer.schedule);
        }
    } catch (const InputError&) {
    } catch (const OverflowError&) {
    }
    return 0;
}
