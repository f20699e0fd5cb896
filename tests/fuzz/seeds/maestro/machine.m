Accelerator { PE { NumPEs: 8; VectorWidth: 4; MultiPrecision: INT8; AddPrecision: 2 } Buffer { GlobalL2: 2048; LocalL1: 64 }
  NoC { Bandwidth: 64; AvgLatency: 2; Multicast: false } }
Dataflow d { Cluster(P_size) -> TemporalMap 1 1 N }
Network m { Layer g { Type: GEMM Density { Input: 12.5 } Dimensions { M: 6, N: 8, K: 10 } } }
