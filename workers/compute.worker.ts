import { expose } from "comlink";
import { computeService } from "#trainer/compute-service.ts";

expose(computeService());
