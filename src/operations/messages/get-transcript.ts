import { build, orNull, refer, type ValueOf } from "../../core/schema.ts";
import type { Principal } from "../../core/api-key.ts";
import { notFound } from "../../core/errors.ts";
import { decodeTranscript, type TranscriptSpeaker } from "../../core/transcript.ts";
import type { Context } from "../context.ts";
import { inspectStored } from "../services/inspection/inspect-stored.ts";
import type { MailFile, MailFiles } from "../services/reading/mail-files.ts";
import {
  decodeDetail,
  decodeExcerpt,
  type StoredAttachment,
  type StoredDetail,
} from "../services/reading/stored-detail.ts";
import { callerOf, openMessageId, orNotFound } from "../services/security/access.ts";

/** Schema of an entry of a transcript. */
export const transcriptEntrySchema = build.object(
  {
    at: build.integer({ description: "Milliseconds since the start of the session." }),
    from: build.enum(["client", "server", "service"], {
      description: "Speaker; `service` for notes about what is not on the wire, or left out.",
    }),
    text: build.string({ description: "Line without its line end; secrets are masked." }),
    pipelined: build.boolean({ description: "Whether the command arrived before the reply to the previous one." }),
  },
  { $id: "TranscriptEntry" },
);

/** Schema of the transcript of a session. */
export const transcriptSchema = build.object(
  {
    message: build.string({ description: "Id of the message." }),
    protocol: build.string({
      description:
        "Protocol as in trace fields, such as `ESMTPSA` (RFC 3848), or the version of HTTP, such as `HTTP/1.1`.",
    }),
    clientAddress: build.string({ description: "IP address of the client." }),
    tls: orNull(build.string({ description: "TLS protocol and cipher, or `TLS` for HTTP; null without TLS." })),
    startedAt: build.string({ format: "date-time", description: "Start of the session, UTC." }),
    entries: build.array(refer(transcriptEntrySchema), { description: "Commands and replies, in order." }),
  },
  { $id: "Transcript" },
);

/** Transcript of the session or request that delivered a message, as the API shows it. */
export type ShownTranscript = ValueOf<typeof transcriptSchema>;

/** Returns the transcript of the session or request that delivered a message. Rejects with `not_found` when there is none. */
export async function getTranscript(context: Context, principal: Principal, idText: string): Promise<ShownTranscript> {
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

/** Attachment of a message, and its place in the mail. */
export interface DescribedAttachment extends StoredAttachment, MailFile {}

/** Attachments of a message, and what its HTML shows as text. */
export interface DescribedMessage extends Pick<MailFiles, "textOfHtml" | "hasCrlf"> {
  /** In MIME order; empty for an SMS. */
  readonly attachments: readonly DescribedAttachment[];
  /** Size of the raw mail in bytes; 0 for an SMS. */
  readonly sizeBytes: number;
}

/** Describes the attachments of a message. Rejects with `not_found`, and as the inspector does when the mail is large. */
export async function describeAttachments(
  context: Context,
  principal: Principal,
  idText: string,
): Promise<DescribedMessage> {
  const id = openMessageId(principal, idText);
  const bytes = orNotFound(await context.store.getDetail(id), "Message");
  const { message } = decodeDetail(bytes);
  const { sizeBytes } = decodeExcerpt(bytes);
  if (sizeBytes === 0) return { attachments: [], textOfHtml: null, hasCrlf: { text: false, html: false }, sizeBytes };
  const inspection = { kind: "files" } as const;
  const { files, textOfHtml, hasCrlf } = await inspectStored(
    context,
    { id, sizeBytes, inspection },
    callerOf(principal, context),
  );
  const attachments = message.attachments.flatMap((attachment, index) => {
    const file = files[index];
    return file === undefined ? [] : [{ ...attachment, ...file }];
  });
  return { attachments, textOfHtml, hasCrlf, sizeBytes };
}
