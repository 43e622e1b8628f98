/** Licence texts of what is bundled, read from the packages themselves, so that they are the ones of the versions in use. */
const TEXTS = import.meta.glob<string>(
  [
    "../../../node_modules/{react,react-dom,scheduler,zustand,comlink,valibot,fflate,idb,recharts,clsx,decimal.js-light,es-toolkit,eventemitter3,immer}/LICENSE*",
    "../../../node_modules/{react-redux,redux,redux-thunk,reselect,tiny-invariant,use-sync-external-store,victory-vendor,internmap}/LICENSE*",
    "../../../node_modules/@reduxjs/toolkit/LICENSE*",
    "../../../node_modules/d3-{array,color,ease,format,interpolate,path,scale,shape,time,time-format,timer}/LICENSE*",
  ],
  { query: "?raw", import: "default", eager: true, exhaustive: true },
);

export interface Licence {
  readonly library: string;
  readonly text: string;
}

export const LICENCES: readonly Licence[] = Object.entries(TEXTS)
  .map(([path, text]) => ({ library: path.replace(/^.*node_modules\//, "").replace(/\/LICENSE[^/]*$/i, ""), text }))
  .toSorted((a, b) => a.library.localeCompare(b.library));
