import assert from "node:assert/strict";
import { test } from "node:test";

import { happenings } from "../../../assets/viewer/fold.mjs";
import { fit, linkTo, readLink } from "../../../assets/viewer/link.mjs";
import { filled, fileName } from "../../../assets/viewer/saving.mjs";
import { unshared } from "../../../assets/viewer/share.mjs";
import { runs } from "./traces.mjs";

const [A, B] = ["0123456789abcdef".repeat(2), "f".repeat(32)];
const PAGE = "http://127.0.0.1:7860/some/path/?__theme=dark&__sign=secret&step=3#part";
const place = { step: 4, event: 2, branch: 8, position: 0, cell: "b", fill: "entropy" };
const search = (link) => new URL(link).search;

test("a link restores its runs and its place, and takes nothing else along", () => {
  const link = linkTo(PAGE, [A, B], place);
  assert.deepEqual(readLink(search(link)), { runs: [A, B], place });
  assert.ok(link.startsWith("http://127.0.0.1:7860/some/path/?"));
  for (const foreign of ["secret", "__theme", "#"]) assert.ok(!link.includes(foreign));
  const alone = { ...place, event: null, cell: "a" };
  assert.deepEqual(readLink(search(linkTo(PAGE, [A], alone))), { runs: [A], place: alone });
});

test("a link to a run alone shows its start", () => {
  const start = { step: 0, event: null, branch: null, position: null, cell: "a", fill: "confidence" };
  assert.deepEqual(readLink(`?run=${A}&utm_source=elsewhere`), { runs: [A], place: start });
});

test("an address without a link asks for nothing", () => {
  for (const other of ["", "?", "?__theme=dark&view=api"]) assert.equal(readLink(other), null);
});

test("what is malformed is one sentence that names it", () => {
  const bad = {
    run: ["", "x", A.toUpperCase(), `${A}0`, "../../etc/passwd"],
    against: ["0"],
    step: ["0", "-1", "1.5", "1e3", "last", "0x1", " 1", "10000000"],
    event: ["0"],
    branch: ["0", "eight"],
    position: ["-1", "01", "\u0661"],
    cell: ["c", "A"],
    fill: ["colour", "<script>", "constructor", "confidence,step"],
  };
  for (const [name, values] of Object.entries(bad))
    for (const value of values) {
      const given = new URLSearchParams({ run: A, [name]: value });
      assert.match(readLink(`?${given}`).problem, new RegExp(`^This link cannot be followed: its ${name} is not `), value);
    }
  assert.match(readLink(`?run=${A}&run=${B}`).problem, /its run is not/);
  assert.match(readLink("?step=3").problem, /names no run/);
});

test("a place that the run has is left as it is", () => {
  for (const { recording } of runs) {
    const step = recording.steps.length - 1;
    const [branch] = recording.frame(step).branches.keys();
    const event = happenings(recording.steps[step]).length;
    const there = { step, event, branch, position: recording.length - 1, cell: "a", fill: "step" };
    assert.deepEqual(fit(there, [recording]), { place: there, says: "" });
  }
});

test("a place beyond the run is moved into it, in one sentence", () => {
  const { recording } = runs[0];
  const count = recording.steps.length;
  const last = [...recording.frame(count - 1).branches.keys()].at(-1);
  const base = { step: 0, event: null, branch: null, position: null, cell: "a", fill: "step" };
  const fitted = (changes) => fit({ ...base, ...changes }, [recording]);
  assert.equal(fitted({ step: 9999, branch: last }).place.step, count - 1);
  assert.equal(fitted({ step: 9999 }).says, `The link goes to step 10000, but there are ${count}: the last is shown.`);
  assert.equal(fitted({ branch: 777 }).place.branch, null);
  assert.match(fitted({ branch: 777 }).says, /block 777, which this run does not have/);
  assert.equal(fitted({ position: 99999 }).place.position, recording.length - 1);
  assert.match(fitted({ position: 99999 }).says, /position 99999 of/);
  assert.equal(fitted({ event: 99999 }).place.event, null);
  assert.equal(fitted({ cell: "b" }).place.cell, "a", "there is no run B");
});

test("of two runs the longer one sets how far a link may go", () => {
  const [long, short] = runs.map((run) => run.recording).sort((a, b) => b.steps.length - a.steps.length);
  const step = long.steps.length - 1;
  const there = { step, event: null, branch: null, position: null, cell: "b", fill: "step" };
  assert.deepEqual(fit(there, [short, long]), { place: there, says: "" });
  assert.deepEqual(fit(there, [long, short]), { place: there, says: "" });
});

test("what is put into a saved page cannot end the element it stands in", () => {
  const page = 'before <script type="application/json" id="bb-runs">null</script> after $& null';
  const data = { runs: [{ text: "</script><img src=x onerror=broken()> <!-- $& $1 null", name: "\u2028" }], place: null };
  const html = filled(page, data);
  const [, inside] = /id="bb-runs">(.*?)<\/script>/s.exec(html);
  assert.deepEqual(JSON.parse(inside), data);
  assert.ok(!inside.includes("<"));
  assert.ok(html.endsWith("</script> after $& null"));
  const twice = filled(page + page, data);
  assert.equal(twice, html + page, "only the first slot is filled");
});

test("files are named after the runs in them, whatever those are called", () => {
  const run = (id) => ({ recording: { header: { run: id } } });
  assert.equal(fileName([run("0123-ab_c")]), "blockbatch-0123-ab_c");
  assert.equal(fileName([run('../../x"<b>')]), "blockbatch-xb");
  assert.equal(fileName([run("a".repeat(99)), run("b".repeat(99))]), `blockbatch-${"a".repeat(20)}-${"b".repeat(20)}`);
});

test("why a run cannot be shared is so: only one that goes on is waited for", () => {
  const [whole, part] = [{ recording: { end: {} } }, { recording: { end: null } }];
  assert.equal(unshared([whole, whole], false), "");
  assert.match(unshared([whole, part], true), /still going on/);
  assert.match(unshared([part, whole], false), /pinned while it went on.*unpin/);
});
