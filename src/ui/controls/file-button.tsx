import { useRef, type ReactNode } from "react";

interface FileButtonProps {
  /** Of the button, as it is read. */
  readonly children: ReactNode;
  /** What is chosen: the name of the field behind the button. */
  readonly label: string;
  /** Endings and types that the chooser offers; others can be chosen all the same. */
  readonly accept?: string;
  readonly multiple?: boolean;
  readonly disabled?: boolean;
  readonly className?: string;
  readonly onFiles: (files: readonly File[]) => void;
}

/** Opens the system's chooser; the same file can be chosen again. */
export function FileButton({ children, label, onFiles, disabled = false, className = "btn", ...field }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button className={className} type="button" disabled={disabled} onClick={() => input.current?.click()}>
        {children}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
        {...field}
      />
    </>
  );
}
