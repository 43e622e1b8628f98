import { createImportStore } from "#store/import-store.ts";
import { library, stored } from "./library.ts";

const breathe = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
/** Outlives the page's parts, so that looking elsewhere loses nothing. */
export const imports = createImportStore({ library, breathe });

export async function openFiles(files: readonly File[]): Promise<void> {
  if (files.length === 0) return;
  await imports.open(files);
  await stored.refresh();
}
