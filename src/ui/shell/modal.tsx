import { useEffect, useId, useRef, type ReactNode } from "react";
import { useStore } from "zustand";
import { dialogClosed, dialogs, type DialogId } from "../dialog.ts";
import { Icon } from "../icon.tsx";

interface DialogProps {
  readonly title: string;
  /** As wide as running text, or as what is in it. */
  readonly size: "text" | "wide" | "fitted";
  readonly onClose: () => void;
  readonly children: ReactNode;
}

const SIZES: Readonly<Record<DialogProps["size"], string>> = { text: "dialog dialog-text", wide: "dialog", fitted: "dialog dialog-fitted" };

/** Over everything else, which rests meanwhile; Esc closes it and focus goes back to where it was. What is marked with `data-first` has it at first. */
export function Dialog({ title, size, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>("[data-first]")?.focus();
  }, []);
  return (
    <dialog className={SIZES[size]} ref={dialog} aria-labelledby={heading} onClose={onClose}>
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

interface ModalProps {
  readonly id: DialogId;
  readonly title: string;
  readonly children: ReactNode;
}

/** One of the dialogs of which one is open at a time. */
export function Modal({ id, title, children }: ModalProps) {
  const isOpen = useStore(dialogs, ({ open }) => open === id);
  return isOpen ? (
    <Dialog title={title} size="text" onClose={() => dialogClosed(id)}>
      {children}
    </Dialog>
  ) : null;
}
