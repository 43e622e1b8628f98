import type { ForkEdit } from "#store/fork-store.ts";
import { actionLabel, labelText, observationText } from "../action-label.ts";

/** "Refund #2", or "answer order: #9". */
export const editText = (edit: ForkEdit): string => (edit.kind === "action" ? labelText(actionLabel(edit.action)) : `answer ${observationText(edit.observation)}`);
