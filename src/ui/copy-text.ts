/** @returns whether the browser let the page: not where it is forbidden, nor on a page that is not secure */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
