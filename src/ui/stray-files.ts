import { acceptFiles } from "./accept-files.ts";

/** From now on files that no part of the page takes are opened among the runs: the browser would leave the page for them, and the run be lost. */
export const takeStrayFiles = (): (() => void) =>
  acceptFiles((files) => {
    location.hash = "#/runs";
    void import("./library/open-files.ts").then(({ openFiles }) => openFiles(files));
  }, undefined, window);
