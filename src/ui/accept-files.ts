const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") === true;
const isField = (target: EventTarget | null): boolean => target instanceof Element && target.matches("input, textarea, [contenteditable]");

/** What document and window have in common, with its types. */
interface FilePlace {
  addEventListener<K extends "dragover" | "dragleave" | "drop" | "paste">(type: K, listener: (event: DocumentEventMap[K]) => void, options: AddEventListenerOptions): void;
}

/**
 * Anywhere on the page: a file dropped beside its place would make the browser leave; pasted ones too, but not into fields. Text that is
 * dragged or pasted is left alone.
 * @param at a part of the page listens at the document, what takes the rest at the window, which hears later
 * @returns what ends it
 */
export function acceptFiles(
  onFiles: (files: readonly File[]) => void, onOver: (isOver: boolean) => void = () => {}, at: FilePlace = document,
): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  at.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    onOver(true);
  }, { signal });
  at.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) onOver(false);
  }, { signal });
  at.addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    // What a part of the page has taken for itself, such as a level to play, is no file for this.
    const isTaken = event.defaultPrevented;
    event.preventDefault();
    onOver(false);
    if (!isTaken) onFiles([...(event.dataTransfer?.files ?? [])]);
  }, { signal });
  at.addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0 || event.defaultPrevented || isField(event.target)) return;
    event.preventDefault();
    onFiles(files);
  }, { signal });
  return () => ending.abort();
}
