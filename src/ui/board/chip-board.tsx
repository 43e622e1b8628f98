import { lazy, Suspense } from "react";
import type { Observation } from "#core/trajectory.ts";

const BoardThumb = lazy(() => import("../sokoban/board-thumb.tsx"));

/** The board a turn led to; nothing where no board was seen. */
export const ChipBoard = ({ observation }: { readonly observation: Observation }) =>
  observation.kind === "board" && (
    <Suspense fallback={<span className="board-thumb" />}>
      <BoardThumb observation={observation} />
    </Suspense>
  );
