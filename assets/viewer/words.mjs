/**
 * The words on screen: what each means in one sentence, and what the paper (arXiv 2605.29233) and the code call it
 * where that is another word. The glossary, the texts on hover and the rail's knobs (ui/words.py) all read them here, so
 * what stands between the first brace and the last is plain JSON.
 */
export const WORDS = {
  "branch": {
    "name": "branch",
    "paper": "branch",
    "code": "branch",
    "meaning": "A decoder with a block size of its own, a row of tokens and a cache; all branches share every forward."
  },
  "block": {
    "name": "block size",
    "paper": "block size s",
    "code": "block_sizes",
    "meaning": "How many positions a branch works on at a time: a small block is careful and slow, a large one bold and sometimes wrong."
  },
  "window": {
    "name": "active window",
    "paper": "window",
    "code": "window",
    "meaning": "The cells a branch works on; nothing outside may be committed by it."
  },
  "masked": {
    "name": "masked",
    "code": "MASKED",
    "meaning": "No token yet, and no forward of this branch has looked here."
  },
  "draft": {
    "name": "draft",
    "paper": "candidate",
    "code": "candidates",
    "meaning": "No token yet; the best candidate stands faint, its confidence as the bar beneath."
  },
  "now": {
    "name": "written now",
    "meaning": "Written in the step shown."
  },
  "confidence": {
    "name": "confidence",
    "paper": "confidence",
    "code": "probability",
    "meaning": "How probable the model held a token when it was written, or holds a draft: its softmax probability, from 0 to 1."
  },
  "commit": {
    "name": "committed",
    "paper": "commit",
    "code": "Commit",
    "meaning": "Written by a branch itself: its confidence reached the commit threshold, or it was the most confident of its window."
  },
  "forced": {
    "name": "forced",
    "code": "Commit.forced",
    "meaning": "Committed below the threshold, because it was the most confident of its window: so every denoise writes something."
  },
  "merge": {
    "name": "consensus commit",
    "paper": "merge",
    "code": "Merge",
    "meaning": "A branch takes over a token that another branch already holds, because it gives that token a high enough probability itself (the paper's merge)."
  },
  "leader": {
    "name": "leader",
    "paper": "leader",
    "code": "Branches.leader",
    "meaning": "The branch that has decoded most, the smaller block on a tie; the star stands beside it."
  },
  "sync": {
    "name": "leader reset",
    "paper": "sync",
    "code": "Sync",
    "meaning": "A branch too far behind starts again from a copy of the branch that has decoded most (the paper's sync)."
  },
  "refresh": {
    "name": "full recompute",
    "paper": "refresh",
    "code": "Refresh",
    "meaning": "All keys and values are computed afresh over the full sequence (the paper's refresh)."
  },
  "knob": {
    "name": "knob moved",
    "code": "ConfigChange, Add, Drop, Resize",
    "meaning": "A setting or the set of branches was changed during the run, from this step on."
  },
  "eos": {
    "name": "end of text",
    "paper": "EOS",
    "code": "Eos",
    "meaning": "A branch holds an end-of-text token in its window."
  },
  "corners": {
    "name": "corner marks",
    "code": "Merge, Sync",
    "meaning": "A diamond where consensus committed the token, a triangle where a leader reset copied it."
  },
  "commit_threshold": {
    "name": "commit threshold",
    "paper": "\u03c4",
    "code": "commit_threshold",
    "meaning": "A branch commits every candidate in its window at or above this probability."
  },
  "merge_threshold": {
    "name": "merge threshold",
    "paper": "merge threshold",
    "code": "merge_threshold",
    "meaning": "A branch takes over another's token if it gives that token more than this."
  },
  "sync_threshold": {
    "name": "sync threshold",
    "paper": "sync threshold",
    "code": "sync_threshold",
    "meaning": "A branch more than this many tokens behind is reset to the leader."
  },
  "refresh_kind": {
    "name": "refresh",
    "paper": "refresh",
    "code": "refresh",
    "meaning": "When all keys and values are computed afresh."
  },
  "refresh_interval": {
    "name": "refresh interval",
    "paper": "refresh interval",
    "code": "refresh_interval",
    "meaning": "Tokens a branch moves on before it asks for a full recompute."
  },
  "temperature": {
    "name": "temperature",
    "code": "temperature",
    "meaning": "0 takes the most probable token; more samples more freely."
  },
  "preset": {
    "name": "preset",
    "code": "variant",
    "meaning": "The paper's rules, those of its newest code, or the paper's with options that save forwards."
  },
  "stop_at_text_end": {
    "name": "stop at text end",
    "code": "stop_at_text_end",
    "meaning": "End as soon as a branch holds an end of text with nothing masked before it."
  },
  "eos_in_order": {
    "name": "end of text in order",
    "code": "eos_in_order",
    "meaning": "A branch commits an end of text only once all before it is written."
  },
  "forced_reach": {
    "name": "forced reach",
    "code": "forced_reach",
    "meaning": "In how many of the first masked positions a token may be forced; 0 is anywhere in the window."
  },
  "joint_threshold": {
    "name": "joint threshold",
    "code": "joint_threshold",
    "meaning": "The first masked tokens are committed together while the product of their confidences is above this; 1 is never."
  },
  "lookahead": {
    "name": "lookahead",
    "code": "lookahead",
    "meaning": "How many rows that the leader may come to hold a forward computes beside the one that it holds; 0 is none."
  },
  "settle_windows": {
    "name": "settle windows",
    "code": "settle_windows",
    "meaning": "A forward also computes what a branch has filled and left since its last one, now with all its tokens known."
  },
  "length": {
    "name": "length",
    "code": "gen_length",
    "meaning": "Number of positions to fill in."
  },
  "seed": {
    "name": "seed",
    "code": "seed",
    "meaning": "Fixes what is sampled where the temperature is above 0."
  },
  "forwards": {
    "name": "forwards",
    "paper": "NFE",
    "code": "Totals.forwards",
    "meaning": "Model calls so far, each counted once, however many branches take part in it."
  },
  "init": {
    "name": "first forward",
    "paper": "init",
    "code": "init",
    "meaning": "One forward over the prompt and all masked positions, made once for all branches."
  },
  "denoise": {
    "name": "denoise",
    "paper": "denoise",
    "code": "denoise",
    "meaning": "A forward over the active windows alone; everything else is read from the cache."
  },
  "ahead": {
    "name": "step computed ahead",
    "code": "Ahead",
    "meaning": "A step that needs no forward: the leader committed just what the forward before had tried, so its result is known."
  },
  "packed": {
    "name": "packed tokens",
    "code": "Segment",
    "meaning": "The windows of all branches laid end to end as one input, without padding, so that one forward serves them all."
  },
  "tokens_per_forward": {
    "name": "tokens per forward",
    "code": "tokens_per_forward",
    "meaning": "Tokens of the answer, its end-of-text token not counted, divided by forwards: more is faster."
  },
  "wall_time": {
    "name": "wall time",
    "code": "milliseconds",
    "meaning": "Time by the clock: of the model, of the rules of consensus, and of making this record."
  },
  "copied": {
    "name": "tokens copied",
    "code": "Sync.gained",
    "meaning": "How far all leader resets together brought branches forward, in decoded tokens."
  },
  "decoded": {
    "name": "decoded",
    "code": "decoded",
    "meaning": "Tokens a branch has committed itself or got by a reset; whoever has most leads."
  },
  "agreement": {
    "name": "agreement",
    "code": "agreement",
    "meaning": "Whether the branches that hold a token here hold the same one; a bar shows how many do where they part."
  },
  "agreement_share": {
    "name": "agreement of all",
    "code": "metrics.agreement",
    "meaning": "Of the positions at which every branch holds a token, the share at which all hold the same."
  },
  "entropy": {
    "name": "entropy",
    "code": "entropy",
    "meaning": "How undecided the branch's most recent forward was here, over the whole vocabulary, in nats."
  },
  "step_of_commit": {
    "name": "step of commit",
    "code": "Branch.since",
    "meaning": "When the token was written into this row, early dark and late light."
  },
  "step": {
    "name": "step",
    "code": "Step",
    "meaning": "One forward and all that follows it until the next: commits, consensus commits, resets."
  },
  "baseline": {
    "name": "baseline",
    "paper": "Fast-dLLM, dual cache",
    "code": "BaselineConfig",
    "meaning": "A decoder with one fixed block size, left to right, for contrast."
  }
};

/** The words of the glossary in its order: [{name, paper, code, meaning}], a word the others share left empty. */
export function glossary() {
  return Object.values(WORDS).map(({ name, paper = "", code = "", meaning }) => ({ name, paper, code, meaning }));
}
