/** The recorded runs that these tests read, with what the Python side makes of each. Both come from test_viewer.py. */

import { readFileSync } from "node:fs";

import { Recording } from "../../../assets/viewer/recording.mjs";

const cases = JSON.parse(readFileSync(process.env.BLOCKBATCH_VIEWER_CASES, "utf8"));

/** [{name, records, recording, expected}], each recording complete. */
export const runs = cases.map(({ name, trace, expected }) => {
  const records = readFileSync(trace, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return { name, records, recording: record(records), expected };
});

export function record([header, ...rest]) {
  const recording = new Recording(header);
  for (const line of rest) recording.add(line);
  return recording;
}
