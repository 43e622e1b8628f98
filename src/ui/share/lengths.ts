import { LINK_LIMIT } from "#share/run-link.ts";

/** Chat programmes and mail cut longer addresses; the limits are theirs, and differ. */
const SAFE_ANYWHERE = 2_000;

/** How long a link is and where it can be pasted. */
export function lengthNote(link: string): string {
  const where = link.length <= SAFE_ANYWHERE
    ? "safe in any chat, mail or document"
    : `safe in a browser's address bar, in documents and on most sites; many chats and mails cut what is longer than ${SAFE_ANYWHERE}. Never longer than ${LINK_LIMIT} here`;
  return `${link.length} characters: ${where}.`;
}
