// VGG16's CONV11 under a row-stationary dataflow, with the tiles of input and output channels left open: the space of
// MAESTRO's Table 3 (RS-C11). docs/explore.md explores it.
Network vgg16_c11 {
  Layer CONV11 {
    Type: CONV
    Dimensions { K: 512, C: 512, R: 3, S: 3, Y: 14, X: 14 }
    Dataflow {
      TemporalMap(P_k,P_k) K;
      TemporalMap(P_c,P_c) C;
      SpatialMap(Sz(R),1) Y;
      TemporalMap(Sz(S),1) X;
      Cluster(Sz(R),P);
      SpatialMap(1,1) Y;
      SpatialMap(1,1) R;
      TemporalMap(Sz(S),Sz(S)) S;
    }
  }
}
