/** Anywhere on the page: a file dropped beside its place would make the browser leave; pasted ones too, but not into fields. @returns what ends it */
export function acceptFiles(onFiles: (files: readonly File[]) => void, onOver: (isOver: boolean) => void): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  addEventListener("dragover", (event) => {
    event.preventDefault();
    onOver(true);
  }, { signal });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) onOver(false);
  }, { signal });
  addEventListener("drop", (event) => {
    event.preventDefault();
    onOver(false);
    onFiles([...(event.dataTransfer?.files ?? [])]);
  }, { signal });
  addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    onFiles(files);
  }, { signal });
  return () => ending.abort();
}
