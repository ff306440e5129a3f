import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { askUntil } from "../../../assets/viewer/until.mjs";

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
});

test("what is there already is not asked for", () => {
  askUntil(() => true, assert.fail);
});

test("what was lost is asked for again until it is there, and then no more", () => {
  let asked = 0;
  askUntil(() => asked === 3, () => (asked += 1));
  assert.equal(asked, 1, "at once");
  for (let n = 0; n < 10; n += 1) mock.timers.tick(2000);
  assert.equal(asked, 3);
});
