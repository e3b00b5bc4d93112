// The fields of Matmul's tiling struct, in their order: the host and the kernel lay out the same.
#pragma once

#define KW_CUBE_TILING(F)                                                                                                     \
  F(usedCoreNum) F(M) F(N) F(Ka) F(Kb) F(singleCoreM) F(singleCoreN) F(singleCoreK) F(baseM) F(baseN) F(baseK) F(depthA1)     \
  F(depthB1) F(stepM) F(stepN) F(isBias) F(transLength) F(iterateOrder) F(shareMode) F(shareL1Size) F(shareL0CSize)           \
  F(shareUbSize) F(batchM) F(batchN) F(singleBatchM) F(singleBatchN) F(stepKa) F(stepKb) F(depthAL1CacheUB)                   \
  F(depthBL1CacheUB) F(dbL0A) F(dbL0B) F(dbL0C) F(ALayoutInfoB) F(ALayoutInfoS) F(ALayoutInfoN) F(ALayoutInfoG)               \
  F(ALayoutInfoD) F(BLayoutInfoB) F(BLayoutInfoS) F(BLayoutInfoN) F(BLayoutInfoG) F(BLayoutInfoD) F(CLayoutInfoB)             \
  F(CLayoutInfoS1) F(CLayoutInfoN) F(CLayoutInfoG) F(CLayoutInfoS2) F(BatchNum) F(mxTypePara)
