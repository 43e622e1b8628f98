import { parentPort } from "node:worker_threads";
import { expose } from "comlink";
import nodeEndpoint from "comlink/dist/esm/node-adapter.mjs";
import { createComputeUnit } from "#engine/pool/compute-unit.ts";

if (parentPort !== null) expose(createComputeUnit(), nodeEndpoint(parentPort));
