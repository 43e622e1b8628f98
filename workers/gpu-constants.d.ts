/** The WebGPU constants that lib.dom and lib.webworker of TypeScript 7 leave out; @webgpu/types has them where there is no DOM library. */
declare const GPUBufferUsage: Readonly<
  Record<
    "MAP_READ" | "MAP_WRITE" | "COPY_SRC" | "COPY_DST" | "INDEX" | "VERTEX" | "UNIFORM" | "STORAGE" | "INDIRECT" | "QUERY_RESOLVE",
    number
  >
>;
declare const GPUMapMode: Readonly<Record<"READ" | "WRITE", number>>;
declare const GPUShaderStage: Readonly<Record<"VERTEX" | "FRAGMENT" | "COMPUTE", number>>;
