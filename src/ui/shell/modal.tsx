import { useEffect, useId, useRef, type ReactNode } from "react";
import { useStore } from "zustand";
import { dialogClosed, dialogs, type DialogId } from "../dialog.ts";
import { Icon } from "../icon.tsx";

interface ModalProps {
  readonly id: DialogId;
  readonly title: string;
  readonly children: ReactNode;
}

/** Over everything else, which rests meanwhile; Esc closes it and focus goes back to where it was. */
export function Modal(props: ModalProps) {
  const isOpen = useStore(dialogs, ({ open }) => open === props.id);
  return isOpen ? <OpenModal {...props} /> : null;
}

/** What is marked with `data-first` has the focus at first. */
function OpenModal({ id, title, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>("[data-first]")?.focus();
  }, []);
  return (
    <dialog className="dialog dialog-text" ref={dialog} aria-labelledby={heading} onClose={() => dialogClosed(id)}>
      <div className="dialog-head">
        <h2 id={heading}>{title}</h2>
        <button className="btn btn-quiet btn-icon" type="button" aria-label="Close" onClick={() => dialog.current?.close()}>
          <Icon name="close" />
        </button>
      </div>
      <div className="dialog-body">{children}</div>
    </dialog>
  );
}
