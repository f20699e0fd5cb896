Constant T 4; // tile
num_pes: 16
Network n {
  Layer a { Type: CONV Stride { X: 2, Y: 2 } Dimensions { K: 4, C: 6, R: 3, S: 3, Y: 9, X: 9 }
    Dataflow { SpatialMap(1,1) K; TemporalMap(8+Sz(S)-1,T) X'; Cluster(Sz(R),P); SpatialMap(1,1) Y; SpatialMap(1,1) R } }
}
