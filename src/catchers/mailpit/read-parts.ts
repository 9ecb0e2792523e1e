import { Problem } from "../../core/errors.ts";
import type { Message } from "../../core/message.ts";
import { attachmentDisposition } from "../../http/files/file-response.ts";
import { readMailHead } from "../../operations/mailboxes/open-mail.ts";
import { getAttachment } from "../../operations/services/reading/get-message.ts";
import { describeAttachments, type DescribedAttachment } from "../../operations/messages/get-transcript.ts";
import { type CatcherCall, type CatcherRoute, catcherRoutes } from "../catcher.ts";
import { badRequest } from "../read-json.ts";
import { readingContext, requireHead, requireMail } from "../received-message.ts";
import { fileResponse, plainHeaders, sendSource } from "../responses.ts";
import { resolveId } from "./message.ts";
import { json } from "./shapes.ts";

const path = "/api/v1/message/:id";
const missingPart = "part not found";

/** Routes of the source and the parts of a message. */
export const partRoutes: readonly CatcherRoute[] = catcherRoutes("read", {
  [`GET ${path}/headers`]: async (call) => {
    const id = await resolveId(call);
    const head = await readMailHead(call.context, id);
    const { detail } = await requireHead(call, id);
    if (head === undefined) throw new Problem("not_found");
    return json(withEnvelope(rawHeaders(head), detail.message));
  },
  [`GET ${path}/raw`]: async (call) => {
    const id = await resolveId(call);
    const download = call.query.get("dl") === "1" ? { "content-disposition": attachmentDisposition(`${id}.eml`) } : {};
    return sendSource(call, await requireMail(call, id), { headers: { ...plainHeaders, ...download } });
  },
  [`GET ${path}/part/:part`]: async (call) => {
    const { id, fileName, contentType } = await findPart(call);
    const { bytes } = await getAttachment(readingContext(call), call.principal, id);
    return fileResponse(fileName, contentType, bytes);
  },
  [`GET ${path}/part/:part/thumb`]: async (call) => {
    // Images of mails are not decoded, so every thumbnail is the one that Mailpit sends for files that are no images.
    const { fileName } = await findPart(call).catch((error: unknown) => {
      // Mailpit has another status here than for the part itself.
      if (error instanceof Problem && error.message === missingPart) throw badRequest(missingPart);
      throw error;
    });
    return fileResponse(fileName, "image/jpeg", blankThumbnail);
  },
});

/** Returns the part that the path names. Throws `not_found`. */
async function findPart(call: CatcherCall): Promise<DescribedAttachment> {
  const id = await resolveId(call);
  const { attachments } = await describeAttachments(readingContext(call), call.principal, id);
  const found = attachments.find(({ partId }) => partId === call.params["part"]);
  if (found === undefined) throw new Problem("not_found", { text: missingPart });
  return found;
}

/** Values by canonical field names, in the order of the names. */
type Headers = Readonly<Record<string, readonly string[]>>;

/**
 * Returns the fields of a header section by their canonical names, as Go's textproto reads them: unfolded, not decoded. Names
 * are in the order of their UTF-16 code units; lines that are no fields are left out. Linear in the section.
 */
function rawHeaders(head: Uint8Array): Headers {
  const fields = new Map<string, string[]>();
  let current: string[] | undefined;
  for (const line of Buffer.from(head)
    .toString("utf8")
    .split(/\r\n|\n/)) {
    if (/^[ \t]/.test(line)) {
      const continued = line.trim();
      const last = current?.pop();
      if (last !== undefined) current?.push(last === "" ? continued : `${last} ${continued}`);
      continue;
    }
    const [, name, value = ""] = /^([!-9;-~]+):(.*)$/s.exec(line) ?? [];
    if (name === undefined) continue;
    const canonical = canonicalName(name);
    current = fields.get(canonical) ?? [];
    current.push(value.trim());
    fields.set(canonical, current);
  }
  return inOrder(fields);
}

function inOrder(fields: Iterable<readonly [string, readonly string[]]>): Headers {
  return Object.fromEntries([...fields].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Returns fields with those that Mailpit adds to a mail on receipt: Return-Path, and Bcc for recipients of the envelope that no
 * field names.
 */
function withEnvelope(headers: Headers, { bcc, metadata }: Pick<Message, "bcc" | "metadata">): Headers {
  const fields = new Map(Object.entries(headers));
  if (!fields.has("Return-Path") && metadata.mailFrom !== null) fields.set("Return-Path", [`<${metadata.mailFrom}>`]);
  const hidden = bcc.flatMap(({ email }) => (email === null || email === "" ? [] : [email]));
  if (!fields.has("Bcc") && hidden.length > 0) fields.set("Bcc", [hidden.join(", ")]);
  return inOrder(fields);
}

/** Returns a field name with capitals at the start and after hyphens. */
function canonicalName(name: string): string {
  return name.toLowerCase().replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}

/** White JPEG of 180 × 120 pixels: one grey component, whose blocks after the first one are all equal to it. */
const blankThumbnail: Uint8Array = Buffer.from(
  "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI" +
    "CAgICAgICAgICAgICAj/wAALCAB4ALQBAREA/8QAFQABAQAAAAAAAAAAAAAAAAAAAAf/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/9oA" +
    "CAEBAAA/AL+" +
    "A".repeat(114) +
    "D//2Q==",
  "base64",
);
