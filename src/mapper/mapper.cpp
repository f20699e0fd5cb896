#include "mapper/mapper.hpp"

namespace tilewright {

std::string_view stop_reason_text(StopReason reason) {
    switch (reason) {
        case StopReason::victory: return "no improvement for as many mappings as the victory condition asks";
        case StopReason::evaluations: return "the evaluations are used up";
        case StopReason::time: return "the time is up";
        case StopReason::interrupted: return "interrupted";
        case StopReason::fruitless: return "gave up finding a valid mapping";
        case StopReason::finished: return "all that it tries was tried";
        case StopReason::exhausted: return "every mapping was seen";
        case StopReason::empty_mapspace: return "the constraints leave no mapping";
        case StopReason::proven: return "proven: no mapping is better";
        case StopReason::bounded: return "no better mapping was found; what remains is bounded, not proven";
        case StopReason::solved: return "the program is solved";
        case StopReason::too_large: return "the space has more mappings than an exhaustive search may visit";
    }
    return "";
}

}  // namespace tilewright
