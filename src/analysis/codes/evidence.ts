/**
 * Scores the evidence that a candidate is a code. A label directly beside a number decides alone; without a label
 * several weak signs must add up.
 */
import type { Candidate } from "./candidates.ts";
import type { Context, Sentence, Span } from "./context.ts";
import { connector, connectorAfterLabel, listed, nextCell, type Cue } from "./cues.ts";

const enough = 5;
const weightOf = {
  labelBefore: 6,
  labelAfter: 5,
  connector: 2,
  connectorOnly: 1,
  connectorBeforeMixed: 3,
  labelOnLineBefore: 5,
  labelNear: 3,
  otherLabel: -6,
  aloneOnLine: 2,
  signingIn: 2,
  askedFor: 4,
  aloneInShortText: 3,
} as const;

const reachBefore = 80;
const reachAfter = 60;
const reachOfOther = 40;
const reachOfOtherAfter = 25;
// `enter 4821`: the verb directly before the number.
const reachOfVerb = 3;
// `open it on your phone and type in 884102`, but not `room type 884102`.
const clauseLengthMin = 10;
const labelLengthMax = 48;
// `código de pedido`, `code client`: two words that name one thing.
const compoundGapMax = 4;
const linesBack = 3;
const lineReach = 240;
const shortTextLengthMax = 200;

/** Whether the candidate is a code, judged by the text around it. */
export function isCode(candidate: Candidate, context: Context): boolean {
  if (candidate.needsLabel && isInCapitals(candidate, context)) return false;
  const sentence = context.sentence(candidate);
  if (isCounted(candidate, sentence) || isOffer(candidate, sentence)) return false;
  const label = weightOfLabel(candidate, sentence, context);
  if (candidate.needsLabel) return isLabelled(candidate, label, context);
  return label === 0 ? isIndicated(candidate, sentence, context) : candidate.likeness + label >= enough;
}

/** Whether a unit or a currency is directly beside the number. */
function isCounted(candidate: Span, { cues }: Sentence): boolean {
  return cues.some(
    (cue) =>
      ((cue.kind === "unit" || cue.kind === "money") && isRightAfter(cue, candidate)) ||
      (cue.kind === "money" && candidate.start - cue.end >= 0 && candidate.start - cue.end <= 1),
  );
}

function isRightAfter(cue: Span, candidate: Span): boolean {
  return cue.start - candidate.end >= 0 && cue.start - candidate.end <= 1;
}

/** Whether the word looks like a promotional code: `SAVE20`. */
function isOffer(candidate: Candidate, { cues }: Sentence): boolean {
  return cues.some((cue) => cue.kind === "offer") && /[A-Za-z]/.test(candidate.value);
}

const isNaming = (cue: Cue): boolean => cue.kind === "code" || namesOther(cue);

const namesOther = (cue: Cue): boolean => cue.kind === "other" || cue.kind === "offer";

/** Returns the weight of the nearest label in the same sentence; 0 if there is none. */
function weightOfLabel(candidate: Candidate, sentence: Sentence, context: Context): number {
  const { cues } = sentence;
  const nearest = cues.findLast(
    (cue) => cue.end <= candidate.start && isNaming(cue) && !namesAnother(cue, candidate, context),
  );
  if (nearest === undefined) return weightOfLabelAfter(candidate, cues, context);
  const between = context.typed.slice(nearest.end, candidate.start);
  if (namesOther(nearest)) return weightOfOtherBefore(candidate, { sentence, nearest, between });
  if (between.length > reachBefore) return 0;
  const connected = isConnected(candidate, between, context);
  const skipsAnother =
    connected && cues.some((cue) => isNaming(cue) && cue.start > nearest.start && cue.end <= candidate.start);
  if (!skipsAnother && !reaches(nearest, candidate, context)) return 0;
  return weightOf.labelBefore + (connected ? weightOf.connector : 0);
}

/** Whether the text after a label leads to the candidate: a verb, a colon, the next cell, or nothing before a word with a digit. */
function isConnected(candidate: Candidate, between: string, context: Context): boolean {
  if (connectorAfterLabel.test(between)) return true;
  if (nextCell.test(between)) return context.isAlone(candidate);
  return between === " " && candidate.needsLabel && /\d/.test(candidate.value);
}

interface OtherLabel {
  readonly sentence: Sentence;
  /** Nearest label before the candidate. */
  readonly nearest: Cue;
  /** Text between this label and the candidate. */
  readonly between: string;
}

/** Whether a label or a verb in the same clause overrides the label of another number: `PIN for your order: 271828`. */
function weightOfOtherBefore(candidate: Span, { sentence, nearest, between }: OtherLabel): number {
  const belongsToCode = sentence.cues.some((cue) => cue.kind === "code" && nearest.start - cue.end > compoundGapMax);
  if (belongsToCode && connector.test(between)) return weightOf.labelBefore;
  const isOverruled = between.length > clauseLengthMin && isAskedFor(candidate, sentence);
  return between.length <= reachOfOther && !isOverruled ? weightOf.otherLabel : 0;
}

/** Whether the number that belongs to a word such as "order" was before this one. */
function namesAnother(cue: Cue, candidate: Span, context: Context): boolean {
  if (!namesOther(cue)) return false;
  return /\d/.test(context.typed.slice(cue.end, Math.min(cue.end + reachOfOtherAfter, candidate.start)));
}

/** Whether the label also applies to this candidate although others are between them, as in a list. */
function reaches(label: Span, candidate: Span, context: Context): boolean {
  if (!context.hasCandidate({ start: label.end, end: candidate.start })) return true;
  const between = context.typed.slice(label.end, candidate.start);
  const gap = between.slice(/^.*[0-9A-Z-]/s.exec(between)?.[0].length ?? 0);
  return listed.test(gap);
}

function weightOfLabelAfter(candidate: Span, cues: readonly Cue[], context: Context): number {
  const after = cues.find((cue) => cue.start >= candidate.end && isNaming(cue));
  if (after === undefined) return 0;
  const isSignBetween = (cue: Cue): boolean =>
    cue.kind === "sign" && cue.start >= candidate.end && cue.end <= after.start;
  if (namesOther(after) && cues.some(isSignBetween)) return 0;
  const distance = after.start - candidate.end;
  if (namesOther(after)) return distance <= reachOfOtherAfter ? weightOf.otherLabel : 0;
  if (distance > reachAfter || context.hasCandidate({ start: candidate.end, end: after.start })) return 0;
  // `… 55012093, enter code 58204119`: the word belongs to the number after it.
  if (context.hasCandidate({ start: after.end, end: after.end + 3 })) return 0;
  return weightOf.labelAfter;
}

/** Whether a form that ordinary words have too is directly after a label, or alone below one. */
function isLabelled(candidate: Candidate, label: number, context: Context): boolean {
  if (label >= weightOf.labelBefore + (candidate.likeness > 0 ? 0 : weightOf.connector)) return true;
  return (
    label === 0 && context.isAlone(candidate) && weightOfLinesBefore(candidate, context) >= weightOf.labelOnLineBefore
  );
}

// A word in capitals in a sentence that is not in capitals: `your code is INVALID`.
const statusWords: ReadonlySet<string> = new Set(
  (
    "ABOVE ALREADY ALWAYS ATTACHED BELOW BEEN BLOCKED CONFIDENTIAL CORRECT DISABLED ENABLED EXPIRED EXPIRES FREE HERE " +
    "HIDDEN INCLUDED INCORRECT INVALID LOCKED MISSING MUST NEEDED NEVER NONE NULL ONLY PERSONAL PRIVATE READY REQUIRED " +
    "SECRET SENT TEMPORARY THIS UNKNOWN USED VALID VERY WILL WITH WRONG YOUR"
  ).split(" "),
);

/** Returns whether capitals have no meaning here: the whole line is in capitals, or the candidate is one word of several. */
function isInCapitals(candidate: Candidate, context: Context): boolean {
  if (statusWords.has(candidate.value)) return true;
  const line = context.line(candidate.start) ?? candidate;
  const before = context.typed.slice(Math.max(line.start, candidate.start - lineReach), candidate.start);
  const after = context.typed.slice(candidate.end, Math.min(line.end, candidate.end + lineReach));
  if (/^ [A-Z]{2}/.test(after) || /[A-Z]{4} $/.test(before)) return true;
  return /[A-Z]{2}/.test(before + after) && !/[a-z]/.test(before + after);
}

/**
 * Returns whether the form of a candidate without a label and the weak signs around it are enough: the lines above and below,
 * other sentences, the whole of a short text. The signs that are found fastest are added first, because most numbers have few.
 */
function isIndicated(candidate: Candidate, sentence: Sentence, context: Context): boolean {
  const readsLinesBefore = context.isAlone(candidate) || isBelowLabel(candidate, context);
  const before = readsLinesBefore ? weightOfLinesBefore(candidate, context) : 0;
  if (before < 0) return false;
  const missing = enough - candidate.likeness - before - weightOfTone(candidate, sentence, context);
  if (missing <= 0) return true;
  const nearMax = before === 0 && mayHaveLabelNearby(candidate, sentence, context) ? weightOf.labelNear : 0;
  if (missing > nearMax + weightOf.signingIn) return false;
  const near = nearMax > 0 && isLabelledNearby(sentence, context) ? nearMax : 0;
  return missing <= near || (missing <= near + weightOf.signingIn && mentionsSignIn(candidate, sentence, context));
}

/** Four digits in a sentence without labels may be a time, a house number or a year. */
function mayHaveLabelNearby(candidate: Candidate, sentence: Sentence, context: Context): boolean {
  return context.isAlone(candidate) || candidate.likeness > 0 || isAskedFor(candidate, sentence);
}

/** Whether the candidate starts a line and the line above ends in a colon. */
function isBelowLabel(candidate: Span, context: Context): boolean {
  const line = context.line(candidate.start);
  const above = context.line(candidate.start, -1);
  if (line === null || above === null) return false;
  const startsLine = context.typed.slice(line.start, candidate.start).trim().length < 2;
  return startsLine && /[:：]\s*$/.test(context.typed.slice(Math.max(0, above.end - 8), above.end));
}

/**
 * Returns the weight of weak signs that only count together: a line or cell of its own, the verb before it, a short text with
 * no other number.
 */
function weightOfTone(candidate: Candidate, sentence: Sentence, context: Context): number {
  const alone = context.isAlone(candidate);
  const connected = connector.test(context.typed.slice(sentence.start, candidate.start));
  const isLikely = /^\d+$/.test(candidate.value) ? candidate.likeness >= 2 : alone;
  return (
    (alone ? weightOf.aloneOnLine : 0) +
    (connected ? weightOfConnector(candidate) : 0) +
    (isAskedFor(candidate, sentence) ? weightOf.askedFor : 0) +
    ((connected || isLikely) && isOnlyNumberOfShortText(candidate, context) ? weightOf.aloneInShortText : 0)
  );
}

/** Whether a verb directly before the candidate asks to type it in. */
function isAskedFor(candidate: Span, { cues }: Sentence): boolean {
  return cues.some(
    (cue) => cue.kind === "type" && cue.end <= candidate.start && candidate.start - cue.end <= reachOfVerb,
  );
}

/** Returns whether letters and digits alternate, as in `… is G3H1Y2`, and no label says otherwise. */
function weightOfConnector({ value, likeness }: Candidate): number {
  const isShortMixed = likeness >= 2 && value.length <= 6 && !/^\d+$/.test(value);
  return isShortMixed ? weightOf.connectorBeforeMixed : weightOf.connectorOnly;
}

function weightOfLinesBefore(candidate: Span, context: Context): number {
  let distance = 0;
  for (let offset = -1; distance < linesBack && offset > -50; offset--) {
    const line = context.line(candidate.start, offset);
    if (line === null || line.start >= candidate.start) return 0;
    const tail = { start: Math.max(line.start, line.end - lineReach), end: line.end };
    if (isListItem(tail, context)) continue;
    distance++;
    const weight = weightOfLineBefore(tail, distance, context);
    if (weight !== 0) return weight;
  }
  return 0;
}

/** Whether the line contains only another candidate, as in a list of recovery codes. */
function isListItem(line: Span, context: Context): boolean {
  return (
    context.hasCandidate(line) && !/[\p{L}]{2}/u.test(context.typed.slice(line.start, line.end).replace(/[A-Z]/g, ""))
  );
}

function weightOfLineBefore(line: Span, distance: number, context: Context): number {
  const naming = context.cuesIn(line).filter(isNaming);
  const code = naming.findLast((cue) => cue.kind === "code");
  if (code !== undefined && !context.hasCandidate({ start: code.end, end: line.end })) {
    return distance === 1 ? weightOf.labelOnLineBefore : weightOf.labelNear;
  }
  const isLabel = distance === 1 && naming.length > 0 && line.end - line.start <= labelLengthMax;
  return isLabel && !/\d/.test(context.typed.slice(line.start, line.end)) ? weightOf.otherLabel : 0;
}

/** Whether another sentence of the line, or the line below, mentions a code without containing one. */
function isLabelledNearby(sentence: Span, context: Context): boolean {
  const line = context.line(sentence.end - 1) ?? sentence;
  const below = context.line(sentence.start, 1);
  const places: Span[] = [
    { start: Math.max(line.start, sentence.start - lineReach), end: sentence.start },
    { start: sentence.end, end: Math.min(line.end, sentence.end + lineReach) },
  ];
  if (below !== null) places.push({ start: below.start, end: Math.min(below.end, below.start + lineReach) });
  return places.some(
    (place) =>
      place.end > place.start &&
      !context.hasCandidate(place) &&
      context.cuesIn(place).some((cue) => cue.kind === "code"),
  );
}

function mentionsSignIn(candidate: Span, sentence: Span, context: Context): boolean {
  const line = context.line(candidate.start) ?? sentence;
  for (const near of [line, context.line(candidate.start, -1), context.line(candidate.start, 1)]) {
    if (near === null) continue;
    const start = Math.max(near.start, near === line ? candidate.start - lineReach : near.end - lineReach);
    const end = Math.min(near.end, near === line ? candidate.end + lineReach : start + lineReach);
    if (context.cuesIn({ start, end }).some((cue) => cue.kind === "sign")) return true;
  }
  return false;
}

function isOnlyNumberOfShortText(candidate: Candidate, context: Context): boolean {
  const { typed } = context;
  return typed.length <= shortTextLengthMax && !context.hasOtherThan(candidate);
}
