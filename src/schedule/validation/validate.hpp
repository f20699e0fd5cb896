// validate(): the judge of schedules. Replays a schedule from the layer, the machine and the tile sizes alone, sharing
// only value types with the schedulers: it cuts the layer itself, and recounts bytes and cycles.
#pragma once

#include <string>
#include <vector>

#include "schedule/problem/schedule.hpp"
#include "schedule/schedulers/staying.hpp"

namespace tilewright::schedule {

enum class Fault {
    bad_problem,        ///< malformed machine, layer or tile sizes
    unknown_tile,       ///< a transfer of a non-existent tile
    unknown_operation,  ///< an execution of a non-existent operation
    unknown_core,
    unknown_channel,
    wrong_kind,  ///< an input or a weight written back
    negative_time,
    wrong_bytes,                  ///< a transfer not of its tile's bytes
    wrong_duration,               ///< a transfer or an operation of wrong duration
    out_of_memory,                ///< a block outside the scratchpad
    channel_busy,                 ///< two transfers at a time on one channel
    core_busy,                    ///< two operations at a time on one core
    transfer_beside_computation,  ///< under the rule `sum`
    repeated_operation,
    missing_operation,
    not_resident,      ///< an operand not at its address at the operation's start
    chain_order,       ///< operations on one output out of order, or at the same time
    lost_partial_sum,  ///< a partial sum not written back, not reloaded, or too early
    unfinished_store,  ///< an output stored before completion
    repeated_store,
    missing_store,
    overlapping_blocks,  ///< two live blocks share addresses
    wrong_latency,       ///< the claimed latency is not the last end
    wrong_traffic,       ///< the claimed traffic is not the sum of the transfers
    kept_tensor,         ///< a kept input loaded, a kept output stored, or one of their tiles with a block of its own
    // Of tensors that stay from layer to layer:
    unknown_step,      ///< a tensor of a non-existent producer or consumer, or read before it is made
    wrong_tensor,      ///< bytes differ from the staying output's
    not_what_is_read,  ///< the tensors found by a layer are not its input
    undeclared,        ///< a layer keeping its input or output without a tensor, or the reverse
    no_room,           ///< a tensor outside the scratchpad, or in the space of a layer's own tiles
    overlapping_tensors,
};

/// "unknown-tile" and the like.
const char* fault_name(Fault fault);

/// The place of an error in schedule.json: "transfers[3]", "executions[7]", "latency_cycles" or "".
struct Finding {
    Fault fault = Fault::bad_problem;
    std::string place;
    std::string message;
};

/// All errors in file order, at most `most` findings; empty for a valid schedule.
///
/// A block lives from the start of its load (an output: of its first operation) to the end of its last use. Rules:
/// blocks lie in the scratchpad and live ones do not overlap; every operand is at its address before and during the
/// operation; channels and cores do one thing at a time; every operation runs once, those of one output in order;
/// evicted partial sums come back; every output is stored once, complete; durations, latency and traffic are correct.
///
/// Tiles of a kept tensor have no block; kept tensors are judged with the network (validate_staying).
std::vector<Finding> validate(const Problem& problem, const Schedule& schedule, std::size_t most = 20);

/// All errors of tensors staying from layer to layer, at places "order[3]" and "staying[1]". Each step's layer declares
/// its kept tensors; NetworkStep::reads is ignored. Rules: a tensor is the whole output of its producer; until its last
/// consumer, it overlaps neither these layers' tiles nor other tensors; and a step's input has the tensor's size and
/// channels.
std::vector<Finding> validate_staying(const MultiNpu& machine, const std::vector<NetworkStep>& steps,
                                      const std::vector<StayingTensor>& tensors);

}  // namespace tilewright::schedule
