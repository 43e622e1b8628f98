import { useStore } from "zustand";
import { KEY_GROUPS, type KeyLine } from "../keys.ts";
import { settings } from "../settings.ts";
import { Modal } from "./modal.tsx";

/** Every key and what it does, and the switch that turns single keys off. */
export const KeyboardHelp = () => (
  <Modal id="keys" title="Keyboard">
    <p>Single keys act in the workbench, never while something is typed. Everything they do is a button too.</p>
    <ShortcutSwitch />
    <div className="key-groups">
      {KEY_GROUPS.map(({ title, lines }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl>
            {lines.map((line) => (
              <Line key={line.does} line={line} />
            ))}
          </dl>
        </section>
      ))}
    </div>
  </Modal>
);

const Line = ({ line: { keys, does } }: { readonly line: KeyLine }) => (
  <div>
    <dt>
      {keys.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </dt>
    <dd>{does}</dd>
  </div>
);

function ShortcutSwitch() {
  const shortcuts = useStore(settings, (state) => state.shortcuts);
  return (
    <div className="switch">
      <label htmlFor="single-keys">Single keys</label>
      <input id="single-keys" type="checkbox" role="switch" checked={shortcuts} onChange={(event) => settings.setState({ shortcuts: event.target.checked })} />
    </div>
  );
}
