/** Transcripts of sessions and of requests: commands and replies with relative times, without secrets and message data. */
import type { Clock } from "./clock.ts";
import type { FaultHit } from "./fault.ts";

/** Speaker of an entry; `service` for notes about what is not on the wire, or left out. */
export type TranscriptSpeaker = "client" | "server" | "service";

/** Entry of a transcript. */
interface TranscriptEntry {
  /** Milliseconds since the start of the session. */
  readonly at: number;
  readonly from: TranscriptSpeaker;
  /** One line without its line end. */
  readonly text: string;
  /** True for a command that arrived before the reply to the previous one. */
  readonly isPipelined: boolean;
}

/** Client of a request of HTTP, which has no session of its own. */
interface TranscriptPeer {
  /** `HTTP/1.1`. */
  readonly protocol: string;
  readonly clientAddress: string;
  /** Null without TLS. */
  readonly tls: string | null;
}

/** Transcript as it was stored. */
interface Transcript {
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** Null for a session of SMTP, which the message describes. */
  readonly peer: TranscriptPeer | null;
  readonly entries: readonly TranscriptEntry[];
}

/** Kind of an encoded entry: `>` a command, `+` a pipelined one, `<` a line of a reply, `*` a note. */
export type EntryKind = ">" | "+" | "<" | "*";

const kinds: Readonly<Record<EntryKind, Omit<TranscriptEntry, "at" | "text">>> = {
  ">": { from: "client", isPipelined: false },
  "+": { from: "client", isPipelined: true },
  "<": { from: "server", isPipelined: false },
  "*": { from: "service", isPipelined: false },
};

/** Longest text of an entry, in characters; the rest is replaced by an ellipsis. */
const entryLengthMax = 1000;

/** Returns the first line of an encoded transcript; `peer` for a request of HTTP. */
export function encodeStart(startedAt: number, peer?: TranscriptPeer): string {
  const members = peer === undefined ? [] : [peer.protocol, peer.clientAddress, peer.tls ?? ""];
  return `${Math.trunc(startedAt)}@${members.join("|")}\n`;
}

/** Returns an entry as a line. */
export function encodeEntry(atMs: number, kind: EntryKind, text: string): string {
  const shown = text.length > entryLengthMax ? `${text.slice(0, entryLengthMax)}…` : text;
  return `${Math.max(0, Math.round(atMs))}${kind}${shown}\n`;
}

/** Decodes a transcript; lines that are no entries are ignored. */
export function decodeTranscript(encoded: string): Transcript {
  const [first = "", ...lines] = encoded.split("\n");
  const entries = lines.flatMap((line): TranscriptEntry[] => {
    const [, at = "", kind = "", text = ""] = /^(\d{1,15})([>+<*])(.*)$/.exec(line) ?? [];
    return kind === "" ? [] : [{ at: Number(at), ...kinds[kind as EntryKind], text }];
  });
  const [, startedAt = "0", members = ""] = /^(\d{1,15})@(.*)$/.exec(first) ?? [];
  const [protocol = "", clientAddress = "", tls = ""] = members.split("|");
  const peer = members === "" ? null : { protocol, clientAddress, tls: tls === "" ? null : tls };
  return { startedAt: Number(startedAt), peer, entries };
}

/** Request as its transcript shows it. */
export interface TranscribedRequest {
  readonly peer: TranscriptPeer;
  readonly method: string;
  /** Path with the query string. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Bytes of the body, or its JSON value. */
  readonly body: unknown;
  /** Key of the request, which is masked wherever it occurs; null without one. */
  readonly key: string | null;
  /** Status of the response to a request that stores a message, `202 Accepted`. */
  readonly success: string;
}

/** Message whose transcript is encoded. */
export interface TranscribedMessage {
  /** Messages that the request stores, which share the length of the body. */
  readonly count: number;
  /** Whether the request concerns one server only; else its body is left out, so that no server sees mail of another. */
  readonly isOwn: boolean;
  /** Faults that applied to the message. */
  readonly hits: readonly FaultHit[];
}

/** Header fields that are shown; of others only the names, because they may contain secrets. */
const shownFields: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "amz-sdk-invocation-id",
  "amz-sdk-request",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "date",
  "expect",
  "host",
  "idempotency-key",
  "origin",
  "transfer-encoding",
  "user-agent",
  "x-amz-content-sha256",
  "x-amz-date",
  "x-amz-target",
  "x-amz-user-agent",
  "x-batch-validation",
  "x-request-id",
]);
const fieldCountMax = 50;
const fieldLengthMax = 300;
const targetLengthMax = 900;
/** Bytes of a body that are read, and characters of it that are shown. */
const bodyBytesMax = 4096;
const bodyLengthMax = 2048;
/** Least number of characters of a body that are shown when a request stores many messages. */
const bodyLengthMin = 256;
/** Characters in which the bodies of all messages of one request are shown. */
const bodiesLengthMax = 64 * 1024;
/** Strings of a JSON value are cut at this length. */
const stringLengthMax = 400;
/** Shorter keys are no secrets; masking them would make the text unreadable. */
const keyLengthMin = 6;
const masked = "[masked]";

/** Names of secrets in JSON, forms and query strings, from the part that identifies them, with their values. */
const secrets =
  /((?:secret|passw|token|api_?-?key|signature|credential|authoriz)[\w.-]{0,64}|\bsig)(?:("\s{0,8}:\s{0,8}")(?:[^"\\]|\\.)*|=[^&\s"]*)/gis;
/** Content in Base64. */
const encodedRuns = /(?<![\w+/-])[\w+/-]{200,}={0,2}/g;
const encodedBlockLength = 100;
const encodedBlock = new RegExp(String.raw`[\w+/-]{${String(encodedBlockLength)}}`, "y");

/** Transcript of one request, encoded for each message that it stores. */
export class RequestTranscript {
  readonly #request: TranscribedRequest;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #startedAt: number;
  readonly #startedMs: number;
  #shownBody: string | undefined;

  constructor(request: TranscribedRequest, clock: Pick<Clock, "now" | "monotonicMs">) {
    this.#request = request;
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#startedMs = clock.monotonicMs();
  }

  /**
   * Returns the transcript of a message that is about to be stored. Its response is the status that follows when that
   * succeeds; the body of the response is made later, and no part of it. A lost or replaced response is absent.
   */
  encode({ count, isOwn, hits }: TranscribedMessage): string {
    const { peer, success } = this.#request;
    const elapsedMs = this.#clock.monotonicMs() - this.#startedMs;
    const note = (text: string): string => encodeEntry(elapsedMs, "*", text);
    const isLost = hits.some(({ action }) => action === "lose-reply");
    return [
      encodeStart(this.#startedAt, peer),
      ...this.#head(),
      ...(isOwn ? this.#body(count) : [note("[body left out: the request concerns several servers]")]),
      ...hits.map(({ stage, action }) => note(`[fault at ${stage}: ${action}]`)),
      isLost ? "" : encodeEntry(elapsedMs, "<", `${peer.protocol} ${success}`),
    ].join("");
  }

  #head(): readonly string[] {
    const { method, target, headers, peer } = this.#request;
    const fields = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
    const lines = fields.slice(0, fieldCountMax).map(({ name, value }) => {
      const shown = shownFields.has(name) ? this.#mask(String(value).slice(0, fieldLengthMax)) : masked;
      return `${name.slice(0, fieldLengthMax)}: ${oneLine(shown)}`;
    });
    const left = fields.length - lines.length;
    const more = left > 0 ? [encodeEntry(0, "*", `[${String(left)} further header fields left out]`)] : [];
    const first = `${method} ${oneLine(this.#mask(target.slice(0, targetLengthMax)))} ${peer.protocol}`;
    return [first, ...lines].map((line) => encodeEntry(0, ">", line)).concat(more, encodeEntry(0, ">", ""));
  }

  #body(count: number): readonly string[] {
    const whole = this.#shownBody ?? withoutEncoded(this.#mask(textOf(this.#request)));
    // Of a single message, nothing is kept until its commit.
    if (count > 1) this.#shownBody = whole;
    const lengthMax = Math.max(bodyLengthMin, Math.min(bodyLengthMax, Math.floor(bodiesLengthMax / count)));
    const shown = whole.slice(0, lengthMax);
    const lines = shown === "" ? [] : shown.split(/\r?\n/).flatMap(chunksOf);
    const { body } = this.#request;
    const isCut = shown.length < whole.length || (body instanceof Uint8Array && body.length > bodyBytesMax);
    const size = body instanceof Uint8Array ? ` of ${String(body.length)} bytes` : "";
    const note = isCut ? [encodeEntry(0, "*", `[rest of the body${size} left out]`)] : [];
    return [...lines.map((line) => encodeEntry(0, ">", line)), ...note];
  }

  #mask(text: string): string {
    const key = this.#request.key ?? "";
    const named = text.replaceAll(secrets, (_all, name: string, colon = "=") => name + String(colon) + masked);
    const forms = key.length < keyLengthMin ? [] : new Set([key, encodeURIComponent(key.toWellFormed())]);
    return Array.from(forms).reduce((shown, form) => shown.replaceAll(form, masked), named);
  }
}

/** Returns the part of a body that is read, as text; without its end when that could be a part of the key. */
function textOf({ body, key }: TranscribedRequest): string {
  if (body === undefined) return "";
  if (!(body instanceof Uint8Array)) return JSON.stringify(body, shortenString).slice(0, bodyBytesMax);
  const text = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, bodyBytesMax)).toString("utf8");
  return body.length > bodyBytesMax ? text.slice(0, -Math.max(1, key?.length ?? 0)) : text;
}

function shortenString(_name: string, value: unknown): unknown {
  return typeof value === "string" && value.length > stringLengthMax
    ? `${value.slice(0, stringLengthMax)}[${String(value.length - stringLengthMax)} characters]`
    : value;
}

/** Shortens content in Base64. Looks at one block in a hundred characters first, because most bodies have none. */
function withoutEncoded(text: string): string {
  for (let at = 0; at < text.length; at += encodedBlockLength) {
    encodedBlock.lastIndex = at;
    if (encodedBlock.test(text)) return text.replaceAll(encodedRuns, shortened);
  }
  return text;
}

function shortened(run: string): string {
  return `${run.slice(0, 40)}[${String(run.length - 40)} characters]`;
}

function chunksOf(line: string): readonly string[] {
  const text = oneLine(line);
  const count = Math.max(1, Math.ceil(text.length / entryLengthMax));
  return Array.from({ length: count }, (_, at) => text.slice(at * entryLengthMax, (at + 1) * entryLengthMax));
}

/** Replaces control characters, which would break the line of an entry. */
function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is replaced
  return text.replaceAll(/[\u0000-\u0008\u000a-\u001f\u007f\u2028\u2029]/g, "\ufffd").toWellFormed();
}
