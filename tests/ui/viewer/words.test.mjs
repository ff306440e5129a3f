import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { FILLS } from "../../../assets/viewer/fills.mjs";
import { FIGURES, HINTS } from "../../../assets/viewer/hints.mjs";
import { figures } from "../../../assets/viewer/metrics.mjs";
import { MARKS } from "../../../assets/viewer/recording.mjs";
import { LEGEND } from "../../../assets/viewer/shapes.mjs";
import { glossary, WORDS } from "../../../assets/viewer/words.mjs";
import { runs } from "./traces.mjs";

const markup = readFileSync(new URL("../../../assets/viewer/viewer.html", import.meta.url), "utf8");

test("every word has a name of its own and one sentence", () => {
  const names = glossary().map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const { name, meaning } of glossary()) assert.match(meaning, /^[A-Z0-9].*\.$/, name);
});

test("the glossary ties the screen's words to the paper's and the code's", () => {
  const tied = (key) => [WORDS[key].name, WORDS[key].paper];
  assert.deepEqual(["merge", "sync", "refresh", "forwards", "commit_threshold"].map(tied), [
    ["consensus commit", "merge"],
    ["leader reset", "sync"],
    ["full recompute", "refresh"],
    ["forwards", "NFE"],
    ["commit threshold", "\u03c4"],
  ]);
});

test("marks, fills, legends and figures take their sentences from the glossary", () => {
  for (const kind of MARKS) assert.deepEqual(LEGEND[kind], [WORDS[kind].name, WORDS[kind].meaning]);
  const meanings = Object.values(WORDS).map(({ meaning }) => meaning);
  for (const fill of Object.values(FILLS)) assert.ok(meanings.includes(fill.meaning), fill.name);
  for (const [, word] of markup.matchAll(/data-word="(\w+)"/g)) assert.ok(WORDS[word], word);
  const { recording } = runs[0];
  for (const { label } of figures(recording, recording.frame(0))) assert.ok(WORDS[FIGURES[label]], label);
});

test("every control of the viewer explains itself", () => {
  const explained = Object.keys(HINTS).join();
  for (const [tag, , part] of markup.matchAll(/<(button|select|input|canvas)[^>]*?data-part="(\w+)"[^>]*>/g)) {
    const own = tag.includes(" title=") || explained.includes(`[data-part=${part}]`);
    const later = ["loop", "whatCommit", "whatMerge"].includes(part); // drawLoop gives it one, or the label has one
    assert.ok(own || later, tag);
  }
});
