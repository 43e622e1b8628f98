import { useEffect, useState } from "react";
import type { ExhibitRecording } from "#run/gallery/recording.ts";
import type { ExhibitId } from "#run/gallery/registry.ts";

const loading = new Map<ExhibitId, Promise<ExhibitRecording>>();

async function load(id: ExhibitId): Promise<ExhibitRecording> {
  const response = await fetch(`recordings/gallery/${id}.json`);
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  const recording: ExhibitRecording = await response.json();
  if (recording.format !== "turnwise-exhibit" || recording.version !== 1 || recording.id !== id) throw new Error("the file is no recording of this exhibit");
  return recording;
}

function recordingOf(id: ExhibitId): Promise<ExhibitRecording> {
  const known = loading.get(id) ?? load(id);
  loading.set(id, known);
  // Tried again the next time.
  known.catch(() => loading.delete(id));
  return known;
}

interface Loaded {
  readonly recording: ExhibitRecording | null;
  readonly fault: string | null;
}

export function useRecording(id: ExhibitId): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({ recording: null, fault: null });
  useEffect(() => {
    let isWanted = true;
    recordingOf(id).then(
      (recording) => isWanted && setLoaded({ recording, fault: null }),
      (error: unknown) => isWanted && setLoaded({ recording: null, fault: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      isWanted = false;
    };
  }, [id]);
  return loaded;
}
