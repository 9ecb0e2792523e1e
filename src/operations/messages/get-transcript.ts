import type { Principal } from "../../core/api-key.ts";
import { notFound } from "../../core/errors.ts";
import type { MessageId } from "../../core/ids.ts";
import { decodeTranscript, type TranscriptSpeaker } from "../../core/transcript.ts";
import type { Context } from "../context.ts";
import { decodeDetail, type StoredDetail } from "../services/reading/stored-detail.ts";
import { openMessageId, orNotFound } from "../services/security/access.ts";

/** Entry of a transcript as the API shows it. */
export interface ShownTranscriptEntry {
  readonly at: number;
  readonly from: TranscriptSpeaker;
  readonly text: string;
  readonly pipelined: boolean;
}

/** Transcript of the session or request that delivered a message, as the API shows it. */
export interface ShownTranscript {
  readonly message: MessageId;
  readonly protocol: string;
  readonly clientAddress: string;
  readonly tls: string | null;
  /** ISO 8601 in UTC. */
  readonly startedAt: string;
  readonly entries: readonly ShownTranscriptEntry[];
}

/** Returns the transcript of the session or request that delivered a message. Rejects with `not_found` when there is none. */
export async function getTranscript(
  context: Pick<Context, "store">,
  principal: Principal,
  idText: string,
): Promise<ShownTranscript> {
  const id = openMessageId(principal, idText);
  const detail = decodeDetail(orNotFound(await context.store.getDetail(id), "Message"));
  const transcript = showTranscript(detail);
  if (transcript === null) {
    throw notFound("Transcript");
  }
  return transcript;
}

/** Returns the transcript of a stored message; null without one. */
export function showTranscript({ message, session, transcript }: StoredDetail): ShownTranscript | null {
  if (transcript === undefined) return null;
  const { startedAt, peer, entries } = decodeTranscript(transcript);
  const described = session ?? peer;
  if (described === null) return null;
  const { protocol, clientAddress, tls } = described;
  return {
    message: message.id,
    protocol,
    clientAddress,
    tls,
    startedAt: new Date(startedAt).toISOString(),
    entries: entries.map(({ at, from, text, isPipelined }) => ({ at, from, text, pipelined: isPipelined })),
  };
}

const speakers: Readonly<Record<TranscriptSpeaker, string>> = { client: "C:", server: "S:", service: "*" };

/** Returns a transcript as text: one line for each entry, with its time in milliseconds. */
export function transcriptText({ protocol, clientAddress, tls, startedAt, entries }: ShownTranscript): string {
  const heading = `${protocol} ${protocol.startsWith("HTTP") ? "request" : "session"} of ${clientAddress}, ${tls ?? "without TLS"}, started at ${startedAt}`;
  const width = Math.max(...entries.map(({ at }) => String(at).length), 1);
  const lines = entries.map(({ at, from, text, pipelined }) => {
    return `${String(at).padStart(width)} ms  ${pipelined ? "C+" : speakers[from].padEnd(2)} ${text}`;
  });
  return `${[heading, "", ...lines].join("\n")}\n`;
}
