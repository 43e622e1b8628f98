import { connectTrainer } from "#protocol/connect.ts";
import { createWorkbench } from "#store/workbench.ts";
import { pageAddress } from "./address.ts";
import { mount, readRecording } from "./mount.tsx";
import { followSettings } from "./settings.ts";
import { pageVisibility } from "./visibility.ts";
import "./styles/index.css";

followSettings();
const workbench = createWorkbench({
  visibility: pageVisibility,
  recording: readRecording(),
  address: pageAddress,
  connect: (listener) => connectTrainer(listener),
  drawSeed: () => crypto.getRandomValues(new Uint32Array(1))[0] ?? 1,
});
mount(workbench);
workbench.links.open();
void import("./stray-files.ts").then(({ takeStrayFiles }) => takeStrayFiles(), () => undefined);
