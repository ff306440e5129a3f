/** Confidence as pixels, one a position. */

import { cividis } from "./colors.mjs";
import { MASKED } from "./fold.mjs";

const DRAFT_ALPHA = 110;

/** A branch's confidences as one row of pixels: written tokens solid, candidates faint, the rest clear. */
export function pixelRow(branch) {
  const row = new Uint8ClampedArray(4 * branch.token.length);
  branch.token.forEach((token, p) => {
    const written = token !== MASKED;
    if (!written && branch.seen[p] < 0) return;
    const colour = cividis(written ? branch.confidence[p] : branch.draftConfidence[p]);
    row.set([...colour, written ? 255 : DRAFT_ALPHA], 4 * p);
  });
  return row;
}
