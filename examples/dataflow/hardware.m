num_pes: 16
noc_bw_cstr: 16
NoC_NumHops: 1
