import { expose } from "comlink";
import { createComputeUnit } from "#engine/pool/compute-unit.ts";

expose(createComputeUnit());
