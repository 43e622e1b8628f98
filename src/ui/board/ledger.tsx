import type { Ledger } from "#store/credit-board.ts";
import { fixed, signed } from "../format.ts";

/** Below this a gap is rounding. */
const CLOSED = 0.005;

/** Values from below nothing to above everything that an outcome can be, as a place from left to right. */
const LOW = -0.5;
const HIGH = 1.5;
const place = (value: number): number => (100 * (Math.min(HIGH, Math.max(LOW, value)) - LOW)) / (HIGH - LOW);
const at = (value: number): string => `${place(value).toFixed(1)}%`;

export const ledgerText = ({ start, sum, outcome, gap }: Ledger): string =>
  Math.abs(gap) < CLOSED
    ? `closes: start ${fixed(start)} and credits ${signed(sum)} make the outcome, ${outcome}`
    : `start ${fixed(start)} and credits ${signed(sum)} make ${fixed(start + sum)}, the outcome is ${outcome}: a gap of ${signed(gap)}`;

/** Tick: start value; square: outcome, filled for 1; dashed arrow: how far start and credits together end from it. */
export function LedgerStrip({ ledger }: { readonly ledger: Ledger }) {
  const { start, sum, outcome, gap } = ledger;
  const isClosed = Math.abs(gap) < CLOSED;
  const end = start + sum;
  const isOff = end < LOW || end > HIGH;
  return (
    <div className="strip ledger" title={ledgerText(ledger)}>
      <svg className="bar" aria-hidden="true">
        <line className="ledger-line" x1={at(start)} x2={at(outcome)} y1="50%" y2="50%" />
        <line className="ledger-line" x1={at(start)} x2={at(start)} y1="10%" y2="90%" />
        {!isClosed && (
          <>
            <line className="ledger-gap" x1={at(outcome)} x2={at(end)} y1="50%" y2="50%" />
            <svg className="ledger-tip" x={at(end)} y="50%">
              <path d={end > outcome ? "M-4-3.5 0 0-4 3.5" : "M4-3.5 0 0 4 3.5"} />
              {isOff && <path d={end > outcome ? "M-8-3.5-4 0-8 3.5" : "M8-3.5 4 0 8 3.5"} />}
            </svg>
          </>
        )}
        <svg className="ledger-out" x={at(outcome)} y="50%">
          <rect className={outcome === 1 ? "is-one" : undefined} x="-3" y="-3" width="6" height="6" />
        </svg>
      </svg>
      <span className="strip-num">
        <span className="vh">{ledgerText(ledger)}</span>
        <b aria-hidden="true">{isClosed ? "closes" : signed(gap)}</b>
      </span>
    </div>
  );
}
