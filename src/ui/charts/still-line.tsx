import { Curve, type CurveProps } from "recharts";

/** A line that is never animated: the default shape lets its length be measured, which lays the page out, with every drawing. */
export const stillLine = ({ type, points, connectNulls, stroke, strokeWidth, strokeDasharray, className }: CurveProps) => (
  <Curve {...{ type, points, connectNulls, stroke, strokeWidth, strokeDasharray, className }} fill="none" />
);
