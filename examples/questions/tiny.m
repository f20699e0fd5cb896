num_pes: 16
l1_size_cstr: 16
l2_size_cstr: 256
noc_bw_cstr: 16
