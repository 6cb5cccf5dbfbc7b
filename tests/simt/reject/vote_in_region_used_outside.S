# expect: 5
# A vote inside a region speaks for the lanes of that pass only.
    .include "macros.inc"
    kernel case_kernel
    split t2, t1
    beqz t1, 1f
1:  vote_any t4, t0
    join t2
    beqz t4, 2f
    sw t0, 0(a0)
2:  ret
    end_kernel case_kernel
