/** Rendering of mail that is handed to an application; runs in a worker process for large mails. */
import { withoutQuotedHtml, splitReply } from "../../../analysis/reply-content.ts";
import { judgeSpam } from "../../../analysis/spam/judge-spam.ts";
import { readFacts } from "../../../analysis/mail-facts.ts";
import type { Contact } from "../../../core/message.ts";
import { readOriginal } from "../../../mime/compose/original.ts";
import { type Mail, parseMail } from "../../../mime/parse-mail.ts";
import type { MimeLimits } from "../../../mime/source.ts";
import type {
  CallbackRequest,
  CallbackSecrets,
  CallbackSigning,
  InboundAddress,
  InboundMail,
} from "../../../providers/callbacks.ts";
import { inboundShapes } from "../../../providers/inbound-shapes.ts";

/** Facts of an inbound mail beside its bytes. */
export type InboundFacts = Pick<InboundMail, "id" | "receivedAt" | "envelope" | "recipient" | "clientIp">;

/** Request to render; survives structured cloning. */
export interface InboundJob {
  readonly facts: InboundFacts;
  /** Name of the shape. */
  readonly shape: string;
  readonly options: CallbackSecrets;
  readonly signing: CallbackSigning;
  /** Whether the signature or the credentials are altered. */
  readonly isForged: boolean;
}

/** Returns the request that hands over a mail. Rejects for an unknown shape. */
export async function renderInbound(raw: Uint8Array, job: InboundJob, limits: MimeLimits): Promise<CallbackRequest> {
  const shape = await inboundShapes[job.shape]?.();
  if (shape === undefined) throw new Error(`unknown shape of inbound mail: ${job.shape}`);
  const request = shape.render(inboundMailOf(raw, job.facts, limits), job.options, job.signing);
  return job.isForged ? shape.forge(request) : request;
}

/** Returns the parts of a mail that shapes of inbound mail use. */
export function inboundMailOf(raw: Uint8Array, facts: InboundFacts, limits: MimeLimits): InboundMail {
  const mail = parseMail(raw, limits);
  const original = readOriginal(raw, mail, facts.receivedAt);
  const { text, signature } = splitReply(original.text ?? "");
  const { score, rules } = judgeSpam({ ...readFacts(raw, limits), receivedAt: facts.receivedAt });
  return {
    ...facts,
    raw,
    from: addressesOf(mail.from),
    to: addressesOf(mail.to),
    cc: addressesOf(mail.cc),
    bcc: addressesOf(mail.bcc),
    replyTo: mail.replyTo[0]?.email ?? "",
    subject: mail.subject,
    date: fieldOf(mail, "date"),
    messageId: mail.messageId ?? "",
    text: original.text ?? "",
    html: original.html ?? "",
    strippedText: text,
    strippedSignature: signature,
    strippedHtml: withoutQuotedHtml(original.html ?? ""),
    headers: mail.headers.map(({ field, value }) => [field, value] as const),
    rawHeaders: rawHeadersOf(raw),
    attachments: original.attachments.map(({ fileName, contentType, contentId, isInline, content }, position) => ({
      fileName: fileName === null || fileName === "" ? `attachment${String(position + 1)}` : fileName,
      contentType: contentType.split(";", 1)[0] ?? contentType,
      contentId: contentId ?? null,
      isInline: isInline ?? false,
      content,
    })),
    spam: { score, report: rules.map((rule) => `${String(rule.score)} ${rule.rule}`).join("\n") },
    verdicts: { spf: "none", dkim: "none", dmarc: "none" },
  };
}

function addressesOf(contacts: readonly Contact[]): readonly InboundAddress[] {
  return contacts.flatMap(({ name, email }) => (email === null || email === "" ? [] : [{ name, address: email }]));
}

function fieldOf({ headers }: Mail, name: string): string {
  return headers.find(({ field }) => field.toLowerCase() === name)?.value ?? "";
}

/** Returns the bytes before the first empty line, as text. */
function rawHeadersOf(raw: Uint8Array): string {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const ends = [bytes.indexOf("\r\n\r\n"), bytes.indexOf("\n\n")].filter((at) => at !== -1);
  const end = ends.length === 0 ? bytes.length : Math.min(...ends);
  return bytes.toString("utf8", 0, end);
}
