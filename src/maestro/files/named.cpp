#include "maestro/files/named.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "maestro/files/document.hpp"

namespace tilewright::maestro {

const std::vector<NamedDataflow>& named_dataflows() {
    static const std::vector<NamedDataflow> kAll{
        {"nlr", "no local reuse (Table 2, with R and S whole): input channels in parallel",
         "TemporalMap(1,1) K; TemporalMap(Sz(R),1) Y; TemporalMap(Sz(S),1) X; SpatialMap(1,1) C"},
        {"ws", "weight stationary (Table 2, its three rows as rows of the output): output columns in parallel",
         "TemporalMap(1,1) K; TemporalMap(1,1) C; TemporalMap(3,3) Y'; SpatialMap(1,1) X'"},
        {"shidiannao", "output stationary (Table 2): output columns in parallel, one row at a time",
         "TemporalMap(1,1) K; TemporalMap(1,1) C; TemporalMap(Sz(R),1) Y; SpatialMap(Sz(S),1) X"},
        {"rs", "row stationary (Table 2, with Fig. 7's cluster): rows of image and filter meet in a cluster",
         "TemporalMap(1,1) K; TemporalMap(1,1) C; SpatialMap(1,1) Y'; TemporalMap(1,1) X'; Cluster(Sz(R),P); "
         "SpatialMap(1,1) Y; SpatialMap(1,1) R"},
        {"nvdla", "weight stationary (Table 2, one output at a time): output channels outside, input channels inside",
         "SpatialMap(1,1) K; TemporalMap(P_cluster_size,P_cluster_size) C; TemporalMap(1,1) Y'; TemporalMap(1,1) X'; "
         "Cluster(P_cluster_size,P); SpatialMap(1,1) C"},
        {"kcp_ws", "as in the public files *_kcp_ws.m: output channels outside, 64 input channels inside",
         "SpatialMap(1,1) K; TemporalMap(64,64) C; TemporalMap(Sz(R),1) Y; TemporalMap(Sz(S),1) X; Cluster(64,P); "
         "SpatialMap(1,1) C"},
        {"xp_ws", "as in the public files *_xp_ws.m: output columns in parallel",
         "TemporalMap(1,1) K; TemporalMap(1,1) C; TemporalMap(Sz(R),1) Y; SpatialMap(Sz(S),1) X"},
        {"yxp_os", "as in the public files *_yxp_os.m: output rows outside, columns inside",
         "TemporalMap(1,1) K; SpatialMap(Sz(R),1) Y; TemporalMap(8+Sz(S)-1,8) X; TemporalMap(1,1) C; Cluster(8,P); "
         "SpatialMap(Sz(S),1) X"},
        {"ykp_os", "as in the public files *_ykp_os.m: output rows outside, 16 output channels inside",
         "TemporalMap(16,16) K; SpatialMap(Sz(R),1) Y; TemporalMap(Sz(S),1) X; TemporalMap(1,1) C; Cluster(16,P); "
         "SpatialMap(1,1) K"},
        {"nlr-literal", "NLR as Table 2 prints it: the filter moves apart from the image",
         "TemporalMap(1,1) K; TemporalMap(1,1) C; TemporalMap(1,1) Y; TemporalMap(1,1) R; TemporalMap(1,1) S; "
         "SpatialMap(1,1) X"},
        {"ws-literal", "WS as Table 2 prints it: skips output rows",
         "TemporalMap(1,1) K; TemporalMap(1,1) C; TemporalMap(3,3) Y; SpatialMap(3,1) X"},
        {"rs-literal", "RS as Table 2 prints it: the units of a cluster do the same",
         "TemporalMap(1,1) K; TemporalMap(1,1) C; SpatialMap(Sz(R),1) Y; Cluster(Sz(R)); TemporalMap(Sz(S),1) X"},
        {"nvdla-literal", "NVDLA as Table 2 prints it: tiles of one row and column make no output",
         "TemporalMap(64,64) C; TemporalMap(1,1) Y; TemporalMap(1,1) X; Cluster(P_cluster_size,L); SpatialMap(1,1) K"},
    };
    return kAll;
}

dataflow::Dataflow named_dataflow(const std::string& name) {
    std::vector<std::string> names;
    for (const NamedDataflow& one : named_dataflows()) {
        if (one.name == name) return read("Dataflow " + one.name + " { " + one.text + " }", one.name).dataflows.at(0);
        names.push_back(one.name);
    }
    throw InputError(ErrorCode::unknown_name, {},
                     "unknown dataflow '" + name + "'; the names are " + list_words(names) + did_you_mean(name, names));
}

}  // namespace tilewright::maestro
