/**
 * Teach mode: the lesson's cards over the run chosen for it, with the knobs put away.
 *
 * The lesson borrows the viewer: it shows a run of its own with a player of its own, and gives back the visitor's run,
 * cursor, replay and settings as they were. Where a live run is going on, it says so and borrows nothing.
 */

import { bringIntoView, calm, el, icon, say } from "./dom.mjs";
import { Player } from "./player.mjs";
import { Runs } from "./runs.mjs";
import { lessonCards } from "./teachcards.mjs";
import { cellKey } from "./whatif.mjs";

const KEYS = { PageDown: 1, n: 1, PageUp: -1, p: -1 };
const CHOICES = ["a", "b", "c"];
const RIGHT = "M1 5.4 2.4 4 4.2 5.8 8 1.6 9.2 3 4.2 8.6z";
const WRONG = "M1.4 2.6 2.6 1.4 5 3.8 7.4 1.4 8.6 2.6 6.2 5 8.6 7.4 7.4 8.6 5 6.2 2.6 8.6 1.4 7.4 3.8 5z";

export class Teacher {
  constructor(viewer) {
    Object.assign(this, { viewer, parts: viewer.parts, kept: null, text: "", wanted: false, cards: [] });
    const { lessonLeave, lessonBack, lessonNext } = this.parts;
    lessonLeave.addEventListener("click", () => this.leave());
    lessonBack.addEventListener("click", () => this.turn(-1));
    lessonNext.addEventListener("click", () => this.turn(1));
    document.addEventListener("blockbatch:teach", () => (this.kept ? this.leave() : this.enter()));
    document.addEventListener("blockbatch:lesson", ({ detail }) => detail.text && this.arrived(detail.text));
    document.addEventListener("keydown", (event) => this.key(event), true);
  }

  /** Whether the lesson, or a word about why there is none, is on screen. */
  get open() {
    return !this.parts.lesson.hidden;
  }

  get card() {
    return this.kept ? this.cards[this.index] : null;
  }

  /** The cells that the card is about, as the grids ring them; null while no lesson is given. */
  get rings() {
    const { card } = this;
    if (!card) return null;
    const kind = card.question && this.answered === null ? "asked" : "told";
    return new Map(card.cells.map(([branch, position]) => [cellKey({ branch, position }), kind]));
  }

  enter() {
    if (this.busy) {
      const advice = "The lesson would take its place. Wait until it has ended, or stop it; nothing is lost.";
      this.tell("A run is going on", advice);
      return;
    }
    this.wanted = true;
    if (this.text) this.arrived(this.text);
    else {
      this.tell("The lesson", "Its run is on its way.");
      document.dispatchEvent(new CustomEvent("blockbatch:ask-lesson"));
    }
  }

  get busy() {
    return this.viewer.runs.live || this.viewer.runs.coming;
  }

  /** The run of the lesson came from the server. */
  arrived(text) {
    this.text = text;
    if (!this.wanted || this.kept) return;
    if (this.busy) this.enter();
    else this.begin();
  }

  begin() {
    this.wanted = false;
    this.kept = borrow(this.viewer, this.text);
    const { session, shown } = this.viewer.runs;
    this.cards = lessonCards(shown.recording, { right: Boolean(session.story), contrast: session.contrast });
    this.given = new Map();
    this.present();
    this.show(0);
    this.parts.lessonNext.focus();
  }

  /** Something else is to be shown: a lesson ends, while a word about a run that goes on may stay. */
  giveWay() {
    if (this.kept) this.leave();
  }

  /** Put the visitor's own run and place back, to the letter. */
  leave() {
    if (!this.open) return;
    this.wanted = false;
    this.parts.lesson.hidden = true;
    const { kept } = this;
    this.kept = null;
    this.outline(null);
    this.present();
    if (kept) giveBack(this.viewer, kept);
  }

  /** Tell the page whether the lesson is on screen. */
  present() {
    const teaching = Boolean(this.kept);
    document.body.classList.toggle("bb-teaching", teaching);
    document.dispatchEvent(new CustomEvent("blockbatch:teaching", { detail: { open: this.open } }));
    this.viewer.announce();
  }

  /** A word where no card can be shown. */
  tell(title, text) {
    this.fill({ title, text, question: null }, "");
    this.parts.lessonTurn.hidden = true;
    this.present();
    this.parts.lessonLeave.focus();
  }

  turn(direction) {
    const index = this.index + direction;
    if (!this.card) return;
    if (index === this.cards.length) this.leave();
    else if (index >= 0) this.show(index);
  }

  show(index) {
    this.index = index;
    this.answered = this.given.get(index) ?? null;
    const { card } = this;
    this.fill(card, `${index + 1} of ${this.cards.length}`);
    this.parts.lessonTurn.hidden = false;
    this.parts.lessonBack.disabled = !index;
    say(this.parts.lessonNext, index === this.cards.length - 1 ? "Finish" : "Next");
    this.parts.lessonBar.style.setProperty("--done", `${(100 * (index + 1)) / this.cards.length}%`);
    this.goTo(this.answered === null ? card.at : card.question.then);
    this.outline(card.part);
  }

  fill({ title, text, question }, count) {
    const { lesson, lessonCount, lessonTitle, lessonText, lessonQuestion, lessonOptions } = this.parts;
    lesson.hidden = false;
    say(lessonCount, count);
    say(lessonTitle, title);
    say(lessonText, text);
    lessonQuestion.hidden = lessonOptions.hidden = !question;
    say(lessonQuestion, question?.text ?? "");
    lessonOptions.replaceChildren(...(question?.options ?? []).map((option, index) => this.option(option, index)));
    this.mark(question);
  }

  option(text, index) {
    const button = el("button", "bb-option");
    button.type = "button";
    button.append(el("kbd", "", CHOICES[index]), el("span", "", text));
    button.addEventListener("click", () => this.answer(index));
    return button;
  }

  /** Take a guess; the first one counts. */
  answer(index) {
    const { question } = this.card;
    if (!question || this.answered !== null || index >= question.options.length) return;
    this.answered = index;
    this.given.set(this.index, index);
    this.mark(question);
    this.goTo(question.then);
    bringIntoView(this.parts.lessonAnswer);
  }

  /** Show by shape and word which option is right, and whether the guess was. */
  mark(question) {
    const { lessonAnswer, lessonOptions } = this.parts;
    const done = Boolean(question) && this.answered !== null && this.kept;
    lessonAnswer.hidden = !done;
    lessonAnswer.replaceChildren();
    if (!done) return;
    const right = this.answered === question.answer;
    [...lessonOptions.children].forEach((button, index) => {
      const kind = index === question.answer ? "right" : index === this.answered ? "wrong" : "other";
      button.dataset.kind = kind;
      button.setAttribute("aria-disabled", "true");
      if (kind === "other") return;
      button.append(sign(kind), el("span", "bb-unseen", kind === "right" ? ", the right one" : ", your guess"));
    });
    lessonAnswer.dataset.kind = right ? "right" : "wrong";
    const verdict = el("b", "", right ? "Right. " : "Not this time. ");
    lessonAnswer.append(sign(right ? "right" : "wrong"), verdict, el("span", "", question.reveal));
  }

  /** Go to a place of the run and point at the card's cell. */
  goTo({ step, until }) {
    const { viewer, card } = this;
    viewer.player.stopAt({ step, until });
    const first = viewer.recording.frame(step).ordered[0].size;
    viewer.lookAt(card.branch ?? first, card.position ?? 0);
    viewer.spoken = false; // the card is read already
  }

  /** Outline a part of the page, and scroll to what the card is about: where the card stands beside it, else to the card. */
  outline(name) {
    this.outlined?.classList.remove("bb-outlined");
    this.outlined = name && this.parts[name];
    this.outlined?.classList.add("bb-outlined");
    if (!this.kept) return;
    const { lesson, scroll } = this.parts;
    const beside = getComputedStyle(lesson).position === "sticky";
    if (beside) bringIntoView(this.outlined ?? scroll);
    else lesson.scrollIntoView({ block: "start", behavior: calm() ? "auto" : "smooth" });
  }

  /** The lesson's own keys go before the page's. */
  key(event) {
    const asked = event.target?.closest?.("dialog[open], input:not([type=range]), textarea, select");
    if (!this.open || asked || event.ctrlKey || event.metaKey || event.altKey) return;
    const choice = CHOICES.indexOf(event.key);
    if (event.key === "Escape") this.leave();
    else if (KEYS[event.key] && this.card) this.turn(KEYS[event.key]);
    else if (choice >= 0 && this.card) this.answer(choice);
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}

function sign(kind) {
  return icon(kind === "right" ? RIGHT : WRONG, `bb-shape bb-sign-${kind}`);
}

/** Let the viewer show the lesson's run; returns all that `giveBack` needs. */
function borrow(viewer, text) {
  const { runs, comparison, cursor, player, whatIf, grid, parts } = viewer;
  player.pause();
  const kept = {
    fields: { runs, comparison, cursor: { ...cursor }, player, unplaced: viewer.unplaced, startPlaying: false },
    asked: { ...whatIf.asked },
    follow: grid.follow,
    left: parts.scroll.scrollLeft,
    fill: parts.fill.value,
    top: window.scrollY,
  };
  viewer.runs = new Runs();
  viewer.runs.feed(text);
  viewer.player = new Player(() => viewer.moved());
  viewer.player.speed = player.speed;
  Object.assign(viewer, { comparison: null, startPlaying: false, unplaced: false });
  whatIf.reset();
  parts.fill.value = "confidence";
  viewer.grow(false);
  viewer.setFollow(false);
  return kept;
}

function giveBack(viewer, { fields, asked, follow, left, fill, top }) {
  Object.assign(viewer, fields);
  viewer.whatIf.asked = asked;
  viewer.parts.fill.value = fill;
  viewer.parts.speed.value = viewer.player.speed;
  viewer.grid.follow = follow;
  viewer.announce();
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      viewer.parts.scroll.scrollLeft = left;
      window.scrollTo({ top, behavior: "instant" });
    }),
  );
}
