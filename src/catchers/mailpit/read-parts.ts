import { Problem } from "../../core/errors.ts";
import { attachmentDisposition } from "../../http/files/content-disposition.ts";
import { readMailHead } from "../../operations/mailboxes/open-mail.ts";
import { describeAttachments, type DescribedAttachment } from "../../operations/messages/get-transcript.ts";
import { getAttachment } from "../../operations/messages/get-message.ts";
import { type CatcherCall, type CatcherRoute, catcherRoutes } from "../catcher.ts";
import { badRequest } from "../read-json.ts";
import { readingContext, requireHead, requireMail } from "../received-message.ts";
import { fileResponse, plainHeaders, sendSource } from "../responses.ts";
import { blankThumbnail } from "./blank-thumbnail.ts";
import { resolveId } from "./get-message.ts";
import { rawHeaders, withEnvelope } from "./raw-headers.ts";
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
