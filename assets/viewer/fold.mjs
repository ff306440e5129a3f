/**
 * The fold: events in, what every branch held after each step out.
 *
 * It follows `blockbatch.trace.Rows` and adds what a picture needs: how each token came, with which confidence, at
 * which step, and the candidates that masked positions last saw. Positions count from the end of the prompt; a branch
 * is named by its block size.
 */

export const MASKED = -1;
export const HOW = { masked: 0, commit: 1, forced: 2, merge: 3, copy: 4 };
const KEYFRAME_EVERY = 8;
const STRUCTURE = new Set(["config", "add", "drop", "resize"]);

/** One branch after a step. Arrays are indexed by position. */
export class Branch {
  constructor(size, length) {
    this.size = size;
    this.window = [0, 0];
    this.decoded = 0;
    this.done = false;
    this.forward = false;
    this.token = new Int32Array(length).fill(MASKED);
    this.was = new Int32Array(length).fill(MASKED); // the token that the present one, or mask, took the place of
    this.how = new Uint8Array(length);
    this.confidence = new Float64Array(length); // of the token when it was written; compared with thresholds, so exact
    this.since = new Int32Array(length).fill(-1); // the step that wrote the token
    this.source = new Int32Array(length); // the branch it was taken from, for merges and copies
    this.draft = new Int32Array(length).fill(MASKED); // best candidate of the most recent forward there
    this.draftConfidence = new Float64Array(length);
    this.seen = new Int32Array(length).fill(-1); // the step of that forward
    this.seenBy = new Int32Array(length); // the branch that it was of: before a resize, or an add, one of another name
    this.entropy = new Float32Array(length); // in nats, of that forward
  }

  clone(size = this.size) {
    const copy = Object.assign(Object.create(Branch.prototype), this, { size, window: [...this.window] });
    for (const name of ARRAYS) copy[name] = this[name].slice();
    return copy;
  }

  write(position, token, how, confidence, step, source = 0) {
    this.was[position] = this.token[position];
    this.token[position] = token;
    this.how[position] = how;
    this.confidence[position] = confidence;
    this.since[position] = step;
    this.source[position] = source;
  }
}

const ARRAYS = [
  "token", "was", "how", "confidence", "since", "source", // of what is written
  "draft", "draftConfidence", "seen", "seenBy", "entropy", // of the forward that last looked there
];

/** What stood on all branches after a step, and the settings in force. */
export class Frame {
  constructor(header) {
    this.step = -1;
    this.counts = header.config.variant === "latest"; // whether consensus commits add to `decoded`
    this.config = { ...header.config };
    this.branches = new Map();
    for (const size of sizesOf(header.config)) this.branches.set(size, new Branch(size, header.config.gen_length));
  }

  clone() {
    const copy = Object.assign(Object.create(Frame.prototype), this, { config: { ...this.config } });
    copy.branches = new Map([...this.branches].map(([size, branch]) => [size, branch.clone()]));
    return copy;
  }

  /** Branches in ascending block size, as the decoder keeps them. */
  get ordered() {
    return [...this.branches.values()].sort((a, b) => a.size - b.size);
  }

  /** The branch that has decoded most, the first on a tie. */
  get leader() {
    return this.ordered.reduce((best, branch) => (branch.decoded > best.decoded ? branch : best));
  }

  /** Let a step happen, or only its first `until` happenings (see `happenings`). */
  apply(step, until = Infinity) {
    this.step = step.index;
    this.until = until;
    for (const happening of happenings(step).slice(0, until)) {
      if (happening.type === "forward") this.forward(step);
      else if (STRUCTURE.has(happening.type)) this.restructure(happening);
      else this.happen(happening);
    }
  }

  forward(step) {
    for (const state of step.branches) this.enter(state);
    for (const candidates of step.candidates) {
      // The first forward is of one branch for all, whose rows are still equal.
      if (step.kind === "init") for (const branch of this.branches.values()) this.look(branch, candidates);
      else this.look(this.branches.get(candidates.branch), candidates);
    }
  }

  enter(state) {
    const branch = this.branches.get(state.branch);
    if (branch)
      Object.assign(branch, { window: state.window, decoded: state.decoded, done: state.done, forward: state.forward });
  }

  look(branch, { branch: by, positions, counts, tokens, probabilities, entropy }) {
    let first = 0;
    positions.forEach((position, index) => {
      branch.draft[position] = tokens[first];
      branch.draftConfidence[position] = probabilities[first];
      branch.seen[position] = this.step;
      branch.seenBy[position] = by;
      branch.entropy[position] = entropy[index];
      first += counts[index];
    });
  }

  restructure(event) {
    const { type, branch, source, size } = event;
    if (type === "config") this.config[event.field] = event.new;
    if (type === "add") this.branches.set(branch, this.branches.get(source).clone(branch));
    if (type === "drop") this.branches.delete(branch);
    if (type === "resize") {
      this.branches.set(size, this.branches.get(branch).clone(size));
      this.branches.delete(branch);
    }
  }

  happen(event) {
    const branch = this.branches.get(event.branch);
    if (event.type === "commit") {
      branch.write(event.position, event.token, event.forced ? HOW.forced : HOW.commit, event.probability, this.step);
      branch.decoded += 1;
    } else if (event.type === "merge") {
      branch.write(event.position, event.token, HOW.merge, event.probability, this.step, event.source);
      if (this.counts) branch.decoded += 1;
    } else if (event.type === "sync") {
      this.copy(branch, this.branches.get(event.leader), event.positions);
    }
  }

  copy(branch, leader, positions) {
    for (const p of positions) {
      const how = leader.token[p] === MASKED ? HOW.masked : HOW.copy;
      branch.write(p, leader.token[p], how, leader.confidence[p], this.step, leader.size);
    }
    branch.decoded = leader.decoded;
    branch.done = leader.done;
  }
}

/** Frames of a run that may still grow; a frame is found from the keyframe before it. */
export class Frames {
  constructor(header) {
    this.steps = [];
    this.keyframes = [new Frame(header)];
    this.head = this.keyframes[0].clone();
    this.cached = null;
  }

  push(step) {
    this.steps.push(step);
    this.head.apply(step);
    if (this.steps.length % KEYFRAME_EVERY === 0) this.keyframes.push(this.head.clone());
  }

  /** The frame after step `n`; -1 gives the start. Callers must not write to it, and not keep it: the run may grow. */
  at(n) {
    if (this.head.step === n) return this.head;
    if (this.cached?.step === n) return this.cached;
    const frame = this.nearest(n).clone();
    for (let step = frame.step + 1; step <= n; step += 1) frame.apply(this.steps[step]);
    this.cached = frame;
    return frame;
  }

  /** The latest frame known that is not after step `n`: a keyframe, or the one that was asked for last. */
  nearest(n) {
    const keyframe = this.keyframes[Math.floor((n + 1) / KEYFRAME_EVERY)];
    const { cached } = this;
    return cached && cached.step <= n && cached.step > keyframe.step ? cached : keyframe;
  }

  /** The frame inside step `n`, when its first `until` happenings have happened. */
  within(n, until) {
    const frame = this.at(n - 1).clone();
    frame.apply(this.steps[n], until);
    return frame;
  }
}

/** What happens in a step, in order: changes of settings and branches, the forward, then its other events. */
export function happenings(step) {
  const changes = step.events.filter((event) => STRUCTURE.has(event.type));
  const others = step.events.filter((event) => !STRUCTURE.has(event.type));
  return [...changes, { type: "forward", kind: step.kind }, ...others];
}

/** The block sizes of a config; a baseline has one. */
export function sizesOf(config) {
  return config.block_sizes ?? [config.block_size];
}
