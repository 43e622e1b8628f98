import { adamw } from "./adamw/index.ts";
import { attention } from "./attention/index.ts";
import { attentionBackward } from "./attention-backward/index.ts";
import { embed } from "./embed/index.ts";
import { embedBackward } from "./embed-backward/index.ts";
import { gatherRows } from "./gather-rows/index.ts";
import { matmul } from "./matmul/index.ts";
import { matmulGradient } from "./matmul-gradient/index.ts";
import { reduceShards } from "./reduce-shards/index.ts";
import { rmsNorm } from "./rms-norm/index.ts";
import { rmsNormBackward } from "./rms-norm-backward/index.ts";
import { rmsNormGainGradient } from "./rms-norm-gain-gradient/index.ts";
import { sampleToken } from "./sample-token/index.ts";
import { squaredNorm } from "./squared-norm/index.ts";
import { storeKv } from "./store-kv/index.ts";
import { tokenGradient } from "./token-gradient/index.ts";
import { tokenKl } from "./token-kl/index.ts";
import { tokenLoss } from "./token-loss/index.ts";
import { tokenStats } from "./token-stats/index.ts";
import { transpose } from "./transpose/index.ts";
import type { KernelDefinition } from "../kernel.ts";

/** Every kernel; the parity test loops over this list. */
export const KERNELS: readonly KernelDefinition[] = [
  adamw, attention, attentionBackward, embed, embedBackward, gatherRows, matmul, matmulGradient, reduceShards, rmsNorm,
  rmsNormBackward, rmsNormGainGradient, sampleToken, squaredNorm, storeKv, tokenGradient, tokenKl, tokenLoss, tokenStats, transpose,
];
