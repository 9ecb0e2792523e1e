import { decodeStrictBase64 } from "../../core/strict-base64.ts";
import type { DraftAttachment } from "../email.ts";
import { invalidField, PostmarkRejection, texts } from "./errors.ts";
import type { Fields } from "./fields.ts";

/** Extensions of files that the API rejects: https://postmarkapp.com/developer/user-guide/send-email-with-api */
const forbiddenExtensions: ReadonlySet<string> = new Set(
  (
    "vbs exe bin bat chm com cpl crt hlp hta inf ins isp jse lnk mdb pcd pif reg scr sct shs vbe vba wsf wsh wsl msc " +
    "msi msp mst"
  ).split(" "),
);

/** Reads `Attachments`; throws rejections with code 403 and 411. */
export function readAttachments(fields: Fields): readonly DraftAttachment[] {
  return fields.objects("Attachments").map(readAttachment);
}

function readAttachment(fields: Fields): DraftAttachment {
  const fileName = fields.text("Name");
  const content = decodeStrictBase64((fields.text("Content") ?? "").replaceAll(/\s/g, ""));
  if (fileName === null || content === null) throw invalidField("Attachments");
  const extension = /\.([^.]*)$/.exec(fileName)?.[1]?.toLowerCase() ?? "";
  if (forbiddenExtensions.has(extension)) throw new PostmarkRejection(411, texts.attachmentType);
  const contentId = fields.text("ContentID")?.replace(/^cid:/i, "") ?? null;
  return {
    fileName,
    contentType: fields.text("ContentType") ?? "application/octet-stream",
    content,
    contentId,
    isInline: contentId !== null,
  };
}
