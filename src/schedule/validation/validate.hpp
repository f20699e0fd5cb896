// validate(): the judge of schedules. It replays a schedule from the layer, the machine and the tile sizes alone and
// shares no code with the schedulers beyond the values: it cuts the layer itself, and recounts bytes and cycles.
#pragma once

#include <string>
#include <vector>

#include "schedule/problem/schedule.hpp"
#include "schedule/schedulers/staying.hpp"

namespace tilewright::schedule {

enum class Fault {
    bad_problem,        ///< the machine, the layer or the tile sizes are malformed
    unknown_tile,       ///< a transfer of a tile that there is not
    unknown_operation,  ///< an execution of an operation that there is not
    unknown_core,
    unknown_channel,
    wrong_kind,  ///< an input or a weight that is written back
    negative_time,
    wrong_bytes,                  ///< a transfer that does not move its tile
    wrong_duration,               ///< a transfer or an operation that takes more or less time than it does
    out_of_memory,                ///< a block that does not lie in the scratchpad
    channel_busy,                 ///< two transfers at a time on one channel
    core_busy,                    ///< two operations at a time on one core
    transfer_beside_computation,  ///< under the rule `sum`
    repeated_operation,
    missing_operation,
    not_resident,      ///< an operand that is not at its address when the operation starts
    chain_order,       ///< operations on one output out of order, or at the same time
    lost_partial_sum,  ///< a partial sum that was not written back, or not read again, or too early
    unfinished_store,  ///< an output stored before it was complete
    repeated_store,
    missing_store,
    overlapping_blocks,  ///< two live blocks share addresses
    wrong_latency,       ///< the claimed latency is not the last end
    wrong_traffic,       ///< the claimed traffic is not the sum of the transfers
    kept_tensor,         ///< a kept input is loaded, a kept output stored, or one of their tiles has a block of its own
    // Of tensors that stay from layer to layer:
    unknown_step,      ///< a tensor made or read by a layer that there is not, or read before it is made
    wrong_tensor,      ///< its bytes are not those of the output that stays
    not_what_is_read,  ///< the tensors that a layer finds there are not its input
    undeclared,        ///< a layer that keeps its input or output while no tensor says so, or the other way round
    no_room,           ///< a tensor that does not lie in the scratchpad, or in what a layer uses for its own tiles
    overlapping_tensors,
};

/// "unknown-tile" and the like.
const char* fault_name(Fault fault);

/// Where something is wrong, as a place in schedule.json: "transfers[3]", "executions[7]", "latency_cycles" or "".
struct Finding {
    Fault fault = Fault::bad_problem;
    std::string place;
    std::string message;
};

/// Everything that is wrong, in the order of the file, at most `most` findings; empty when the schedule holds.
///
/// A block lives from the start of the load (an output: of the operation) that fills it to the end of its last use.
/// What holds: blocks lie in the scratchpad and live ones do not overlap; every operand is at its address from before
/// the operation starts until it ends; channels and cores do one thing at a time; every operation runs once, those of
/// one output in order; partial sums that leave come back; every output is stored once, complete; durations, latency
/// and traffic are what they should be.
///
/// Tiles of a tensor that is kept have no block; what is kept has to be judged with the network (validate_staying).
std::vector<Finding> validate(const Problem& problem, const Schedule& schedule, std::size_t most = 20);

/// Everything that is wrong with tensors that stay from layer to layer, as places "order[3]" and "staying[1]".
/// Each step's layer says what it keeps; NetworkStep::reads is not looked at. What holds: a tensor is the whole output
/// of the step that makes it; from that step to the last that reads it, it lies where neither the tiles of these layers
/// nor other tensors are; and what a step reads there has the size and the channels of its input.
std::vector<Finding> validate_staying(const MultiNpu& machine, const std::vector<NetworkStep>& steps,
                                      const std::vector<StayingTensor>& tensors);

}  // namespace tilewright::schedule
