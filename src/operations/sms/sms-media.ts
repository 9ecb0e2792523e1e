/** Media of an MMS: attachments where the service may fetch them, else URLs among the facts of its provider. */
import { smsMediaBytesMax } from "../../core/limits.ts";
import type { Attachment } from "../../core/message.ts";
import type { SmsMedia } from "../../providers/sms.ts";
import type { Context } from "../context.ts";
import type { FetchedMedia } from "../services/reading/sms-record.ts";

/** Names of facts of the media at a position: its URL, and why it was not fetched. */
const urlFact = (at: number): string => `MediaUrl${String(at)}`;
const refusalFact = (at: number): string => `MediaError${String(at)}`;

/**
 * Fetches media one after the other, at most `smsMediaBytesMax` bytes of all. Never rejects for media that cannot be fetched:
 * facts have every URL, and the reason for each that is not among `media`.
 */
export async function fetchMedia(
  context: Pick<Context, "fetchMedia">,
  urls: readonly string[],
): Promise<{ readonly media: readonly FetchedMedia[]; readonly facts: Readonly<Record<string, string>> }> {
  const media: FetchedMedia[] = [];
  const facts: Record<string, string> = {};
  let bytesMax = smsMediaBytesMax;
  for (const [at, url] of urls.entries()) {
    facts[urlFact(at)] = url;
    const fetched = await context.fetchMedia(url, bytesMax);
    if ("refusal" in fetched) facts[refusalFact(at)] = fetched.refusal;
    else {
      bytesMax -= fetched.bytes.byteLength;
      const { contentType, bytes } = fetched;
      media.push({ contentType, fileName: fileNameOf(url, at), base64: Buffer.from(bytes).toString("base64") });
    }
  }
  return { media, facts };
}

/** Returns the media that the facts of an SMS name, with its attachments, which are in the order of the fetched ones. */
export function mediaOf(
  metadata: Readonly<Record<string, string>>,
  attachments: readonly Pick<Attachment, "id" | "contentType">[],
): readonly SmsMedia[] {
  const media: SmsMedia[] = [];
  let fetchedCount = 0;
  for (let at = 0; ; at += 1) {
    const url = metadata[urlFact(at)];
    if (url === undefined) return media;
    const attachment = metadata[refusalFact(at)] === undefined ? (attachments[fetchedCount++] ?? null) : null;
    media.push({ url, attachment });
  }
}

function fileNameOf(url: string, at: number): string {
  const last = URL.parse(url)?.pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last) || `media${String(at)}`;
  } catch {
    // Invalid percent-encoding.
    return last;
  }
}
