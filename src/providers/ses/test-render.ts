import { randomUUID } from "node:crypto";
import { encodeUnstructured } from "../../mime/compose/header-text.ts";
import { readableDate } from "../../mime/compose/original.ts";
import type { RenderedTemplate } from "./templates.ts";

/** Returns the mail that `TestRenderTemplate` shows: header fields, then the rendered parts unencoded. */
export function renderedMail({ subject, text, html }: RenderedTemplate, now: number): string {
  const boundary = `----=_Part_${randomUUID()}`;
  const part = (type: string, content: string | null): readonly string[] =>
    content === null
      ? []
      : [`--${boundary}`, `Content-Type: text/${type}; charset=UTF-8`, "Content-Transfer-Encoding: 8bit", "", content];
  return [
    `Date: ${readableDate(now)}`,
    `Message-ID: <${randomUUID()}@email.amazonses.com>`,
    `Subject: ${encodeUnstructured(subject)}`,
    "MIME-Version: 1.0",
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    "",
    ...part("plain", text),
    ...part("html", html),
    `--${boundary}--`,
  ].join("\r\n");
}
