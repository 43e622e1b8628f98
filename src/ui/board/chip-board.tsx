import { Suspense } from "react";
import type { Observation } from "#core/trajectory.ts";
import { part } from "../part.tsx";

const BoardThumb = part(() => import("../sokoban/board-thumb.tsx"), "picture");

/** The board a turn led to; nothing where no board was seen. */
export const ChipBoard = ({ observation }: { readonly observation: Observation }) =>
  observation.kind === "board" && (
    <Suspense fallback={<span className="board-thumb" />}>
      <BoardThumb observation={observation} />
    </Suspense>
  );
