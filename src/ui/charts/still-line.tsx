import { Curve, type CurveProps } from "recharts";

/** A line that is never animated: without `pathRef` nobody measures its length, which would lay the page out at every drawing. */
export const stillLine = ({ pathRef: _unused, ...line }: CurveProps) => <Curve {...line} fill="none" />;
