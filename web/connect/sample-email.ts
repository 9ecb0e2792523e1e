import { strings } from "../strings.ts";
import type { EmailFields } from "../wire.ts";

/** Returns an email with a code, a link and an attachment, for a server without messages. */
export function sampleEmail(): EmailFields {
  const { subject, text, html, file, content } = strings.first.sampleContent;
  return { subject, text, html, attachments: [{ fileName: file, contentType: "text/csv", content: btoa(content) }] };
}
