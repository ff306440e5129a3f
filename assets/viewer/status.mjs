/** What the status chip says. */

const STOPS = {
  eos: ["finished", "finished"],
  complete: ["finished", "finished"],
  stopped: ["stopped", "stopped"],
  failed: ["failed", "failed"],
};

/** {state, text}: recorded, queued, live, paused, finished, stopped or failed, in a few words. */
export function statusOf(session, recording) {
  const status = session?.status ?? "recorded";
  if (status === "queued") return { state: "queued", text: `queued, place ${session.place}` };
  if (status === "failed") return { state: "failed", text: "failed" };
  if (status === "recorded")
    return { state: "recorded", text: session?.name ? `recorded \u00b7 ${session.name}` : "recorded" };
  if (recording?.end) {
    const [state, text] = STOPS[recording.end.stop];
    return { state, text };
  }
  return { state: status, text: status };
}
