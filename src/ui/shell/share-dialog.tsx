import { useId, useState, type ComponentType, type KeyboardEvent } from "react";
import { LiveExport } from "../export/export-panel.tsx";
import { EvidenceTab, LinkTab } from "../share/link-tab.tsx";
import { Modal } from "./modal.tsx";

interface ShareTab {
  readonly title: string;
  readonly component: ComponentType;
}

/** In this order. */
const TABS = {
  link: { title: "Link", component: LinkTab },
  evidence: { title: "Link with evidence", component: EvidenceTab },
  file: { title: "File", component: LiveExport },
} as const satisfies Record<string, ShareTab>;

type TabId = keyof typeof TABS;
const ORDER: readonly TabId[] = ["link", "evidence", "file"];
const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1, Home: -ORDER.length, End: ORDER.length };

export function ShareDialog() {
  const id = useId();
  const [chosen, setChosen] = useState<TabId>("link");
  const { component: Tab } = TABS[chosen];
  /** One tab stop; arrows choose. */
  const press = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = ORDER[Math.abs(step) === 1 ? (ORDER.indexOf(chosen) + step + ORDER.length) % ORDER.length : step < 0 ? 0 : ORDER.length - 1] ?? chosen;
    setChosen(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <Modal id="share" title="Share">
      <div className="tabs share-tabs" role="tablist" aria-label="What to share" tabIndex={-1} onKeyDown={press}>
        {ORDER.map((tab) => (
          <button
            key={tab} className="tab" type="button" role="tab" id={`${id}-${tab}`} aria-selected={tab === chosen} aria-controls={`${id}-panel`}
            tabIndex={tab === chosen ? 0 : -1} onClick={() => setChosen(tab)}
          >
            {TABS[tab].title}
          </button>
        ))}
      </div>
      <div className="share-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        <Tab />
      </div>
    </Modal>
  );
}
