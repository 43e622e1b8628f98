import { createWorkbench } from "#store/workbench.ts";
import { pageAddress } from "#ui/address.ts";
import { mount, readRecording } from "#ui/mount.tsx";
import { followSettings } from "#ui/settings.ts";
import { pageVisibility } from "#ui/visibility.ts";
import "#ui/styles/index.css";
import { createFakeTrainer, type FakeTrainer } from "./fake-trainer.ts";

declare global {
  /** Set by the harness; how a test brings the page into a state. */
  var trainer: FakeTrainer;
}

globalThis.trainer = createFakeTrainer();
followSettings();
const workbench = createWorkbench({
  visibility: pageVisibility,
  recording: readRecording(),
  address: pageAddress,
  connect: (listener) => globalThis.trainer.connect(listener),
  drawSeed: () => 4217,
});
mount(workbench);
workbench.links.open();
