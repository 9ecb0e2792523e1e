import { readVisibleText } from "../../analysis/visible-reader.ts";
import type { Principal } from "../../core/api-key.ts";
import { FairQueue } from "../../core/fair-queue.ts";
import { foldText, unfoldedIndex } from "../../core/fold.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { type Marks, noMarks } from "../../core/marks.ts";
import { mainTurns } from "../../core/shared-turns.ts";
import type { MarkedMessage } from "../../store/mark-store.ts";
import type { Context } from "../context.ts";
import { codesOf, type EmailBodies } from "../services/reading/email-bodies.ts";
import { decodeDetail, decodeExcerpt, needsRaw, showBodies } from "../services/reading/stored-detail.ts";
import type { BodyReading } from "../services/reading/stored-detail.ts";
import { callerOf, openMessageId } from "../services/security/access.ts";

/** Excerpt of a message, which list rows show beside its summary: what its content implies, and its marks. */
export interface MessageExcerpt extends Content, Marks {
  readonly id: MessageId;
  /** Number of the last change of the marks; 0 when there was none. */
  readonly sequence: number;
}

/** Part of an excerpt that never changes. */
interface Content {
  /** Distinct one-time codes in order of appearance, HTML before text. */
  readonly codes: readonly string[];
  /** Size of the raw mail in bytes; 0 for SMS. */
  readonly sizeBytes: number;
  /** Number of attachments that are shown within the text. */
  readonly inline: number;
  /** Names of the first attachments, the beginning of long ones. */
  readonly files: readonly string[];
  /** Tags that a provider's API was given, at most ten; those of {@link Marks} are apart. */
  readonly providerTags: readonly string[];
}

/** Messages that are read concurrently over all requests; one turn of the event loop reads no more. */
const readCountMax = 4;
const turns = new FairQueue({
  runningCountMax: readCountMax,
  waitingPerKeyCountMax: 500,
  waitingCountMax: 5000,
});

/**
 * Returns excerpts of several messages in the requested order, without deleted ones. Rejects with `not_found` when the
 * principal may not access one of the ids, and as {@link showBodies} does.
 */
export async function excerptMessages(
  context: Context,
  principal: Principal,
  idTexts: readonly string[],
): Promise<readonly MessageExcerpt[]> {
  const ids = idTexts.map((text) => openMessageId(principal, text));
  const reading = { bodies: context.bodies, caller: callerOf(principal, context) };
  const contents: (Content & { readonly id: MessageId })[] = [];
  for (const id of ids) {
    const { key, signal } = reading.caller;
    const content = await turns.run(key, async () => contentAt(context, id, reading), signal);
    if (content !== undefined) contents.push({ id, ...content });
  }
  const marked = await readMarks(context, ids);
  return contents.map((content) => {
    const { marks, sequence } = marked.get(content.id) ?? { marks: noMarks, sequence: 0 };
    return { ...content, ...marks, sequence };
  });
}

/** Reads the marks of messages, those of each server together. */
async function readMarks(
  { store }: Context,
  ids: readonly MessageId[],
): Promise<ReadonlyMap<MessageId, MarkedMessage>> {
  const byServer = Map.groupBy(ids, (id) => decodeMessageId(id).server);
  const marked = await Promise.all(Array.from(byServer, async ([server, own]) => store.marks.readMarks(server, own)));
  return new Map(marked.flat().map((one) => [one.id, one]));
}

async function contentAt({ store }: Context, id: MessageId, reading: BodyReading): Promise<Content | undefined> {
  // The embedded store reads and decompresses on this thread: at most a few messages in each turn of the event loop.
  await mainTurns.next();
  const bytes = await store.getDetail(id);
  if (bytes === undefined) return undefined;
  const { codes, sizeBytes: notedBytes, inline, files, tags: providerTags } = decodeExcerpt(bytes);
  const parts = { inline, files, providerTags };
  if (codes !== null) return { codes, sizeBytes: notedBytes, ...parts };
  const raw = await store.getRaw(id);
  if (raw === undefined) return undefined;
  const sizeBytes = raw.byteLength;
  return { codes: codesOf(await showBodies(decodeDetail(bytes), raw, reading)), sizeBytes, ...parts };
}

/** Request for passages: ids of messages, and the terms that their texts contain. */
export interface PassagesRequest {
  readonly ids: readonly string[];
  /** In any letter case; the first one that a text contains determines its passage. */
  readonly terms: readonly string[];
}

/** Part of the text of a message around a term. */
export interface Passage {
  readonly id: MessageId;
  /** On one line, with an ellipsis at each end that is not the end of the text. */
  readonly text: string;
}

/** UTF-16 units of each body that are read; terms beyond have no passage. */
const passageBodyLengthMax = 256 * 1024;
/** UTF-16 units before the term and after its beginning; the end of a line of a list is not visible. */
const lengths = { before: 24, after: 136 };
/** Messages that are read concurrently over all requests. */
const passageTurns = new FairQueue({ runningCountMax: 2, waitingPerKeyCountMax: 500, waitingCountMax: 5000 });

/**
 * Returns the passage of each message whose text, or else the address of one of its links, contains a term, in the requested
 * order. Rejects with `not_found` when the principal may not access one of the ids, and as {@link showBodies} does.
 */
export async function findPassages(
  context: Context,
  principal: Principal,
  { ids: idTexts, terms: given }: PassagesRequest,
): Promise<readonly Passage[]> {
  const ids = idTexts.map((text) => openMessageId(principal, text));
  const terms = given.map(foldText).filter((term) => term !== "");
  const reading = { bodies: context.bodies, caller: callerOf(principal, context) };
  const passages: Passage[] = [];
  for (const id of ids) {
    const { key, signal } = reading.caller;
    const found = await passageTurns.run(key, async () => readBodiesOf(context, id, reading), signal);
    const text = found === undefined ? null : passageIn(found, terms);
    if (text !== null) passages.push({ id, text });
  }
  return passages;
}

async function readBodiesOf({ store }: Context, id: MessageId, reading: BodyReading): Promise<EmailBodies | undefined> {
  // As for excerpts: few messages in each turn of the event loop.
  await mainTurns.next();
  const bytes = await store.getDetail(id);
  if (bytes === undefined) return undefined;
  const detail = decodeDetail(bytes);
  const raw = needsRaw(detail) ? await store.getRaw(id) : new Uint8Array();
  return raw === undefined ? undefined : showBodies(detail, raw, reading);
}

function passageIn({ html, text }: EmailBodies, terms: readonly string[]): string | null {
  const readers = [
    () => text.body?.slice(0, passageBodyLengthMax) ?? "",
    () => readVisibleText(html.body?.slice(0, passageBodyLengthMax) ?? ""),
    () => [...html.links, ...text.links].map(({ href }) => href).join("\n"),
  ];
  for (const read of readers) {
    const found = passageAround(read(), terms);
    if (found !== null) return found;
  }
  return null;
}

/** Returns the passage around the first of the folded terms that a text contains; null when it contains none. */
export function passageAround(text: string, terms: readonly string[]): string | null {
  const folded = foldText(text);
  const at = terms.map((term) => folded.indexOf(term)).find((index) => index >= 0);
  if (at === undefined) return null;
  const start = unfoldedIndex(text, at);
  const from = start <= lengths.before ? 0 : wordStart(text, start - lengths.before, start);
  const end = Math.min(text.length, start + lengths.after);
  // A surrogate pair at an end may be cut.
  const whole = text.slice(from, end).replaceAll(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
  const shown = whole.toWellFormed().replaceAll(/\s+/g, " ").trim();
  return `${from > 0 ? "…" : ""}${shown}${end < text.length ? "…" : ""}`;
}

/** Returns the beginning of the first word within a range, or the beginning of the range. */
function wordStart(text: string, from: number, end: number): number {
  const gap = text.slice(from, end).search(/\s\S/);
  return gap < 0 ? from : from + gap + 1;
}
