import { parentPort } from "node:worker_threads";
import { expose } from "comlink";
import nodeEndpoint from "comlink/dist/esm/node-adapter.mjs";
import { computeService } from "#trainer/compute-service.ts";

if (parentPort !== null) expose(computeService(), nodeEndpoint(parentPort));
