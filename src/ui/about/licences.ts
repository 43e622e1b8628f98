/** Licence texts of what is bundled, read from the packages themselves, so that they are the ones of the versions in use. */
const TEXTS = import.meta.glob<string>(
  [
    "../../../node_modules/{react,react-dom,scheduler,zustand,comlink,valibot,fflate,idb,recharts,es-toolkit,eventemitter3,immer}/LICENSE*",
    "../../../node_modules/{react-redux,redux,redux-thunk,reselect,tiny-invariant,use-sync-external-store,victory-vendor,internmap}/LICENSE*",
    "../../../node_modules/@reduxjs/toolkit/LICENSE*",
    "../../../node_modules/clsx/license",
    "../../../node_modules/decimal.js-light/LICENCE.md",
    // The interpreter of the JavaScript sandbox; the second text has that of QuickJS itself, in Bellard's version.
    "../../../node_modules/quickjs-emscripten-core/LICENSE*",
    "../../../node_modules/@jitl/{quickjs-ffi-types,quickjs-wasmfile-release-sync}/LICENSE*",
    // The service worker, and what talks to it.
    "../../../node_modules/workbox-{core,expiration,precaching,routing,strategies,window}/LICENSE*",
    "../../../node_modules/d3-{array,color,ease,format,interpolate,path,scale,shape,time,time-format,timer}/LICENSE*",
  ],
  { query: "?raw", import: "default", eager: true, exhaustive: true },
);

export interface Licence {
  readonly library: string;
  readonly text: string;
}

/** Its package has no text of its own: the notice that its files begin with, and the licence that it names. */
const ONNXRUNTIME: Licence = {
  library: "onnxruntime-web",
  text: `ONNX Runtime Web
Copyright (c) Microsoft Corporation. All rights reserved.
Licensed under the MIT License.

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

Its WebAssembly has further libraries in it, among them Protocol Buffers, FlatBuffers, Abseil and Eigen: their notices stand in ThirdPartyNotices.txt of its source, https://github.com/microsoft/onnxruntime.
`,
};

export const LICENCES: readonly Licence[] = Object.entries(TEXTS)
  .map(([path, text]) => ({ library: path.replace(/^.*node_modules\//, "").replace(/\/LICEN[CS]E[^/]*$/i, ""), text }))
  .concat(ONNXRUNTIME)
  .toSorted((a, b) => a.library.localeCompare(b.library));
