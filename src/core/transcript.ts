/** Transcripts of sessions and of requests: commands and replies with relative times, without secrets and message data. */

/** Speaker of an entry; `service` for notes about what is not on the wire, or left out. */
export type TranscriptSpeaker = "client" | "server" | "service";

/** Entry of a transcript. */
export interface TranscriptEntry {
  /** Milliseconds since the start of the session. */
  readonly at: number;
  readonly from: TranscriptSpeaker;
  /** One line without its line end. */
  readonly text: string;
  /** True for a command that arrived before the reply to the previous one. */
  readonly isPipelined: boolean;
}

/** Client of a request of HTTP, which has no session of its own. */
export interface TranscriptPeer {
  /** `HTTP/1.1`. */
  readonly protocol: string;
  readonly clientAddress: string;
  /** Null without TLS. */
  readonly tls: string | null;
}

/** Transcript as it was stored. */
export interface Transcript {
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
export const entryLengthMax = 1000;

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
