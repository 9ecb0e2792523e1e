import { expect, test } from "vitest";
import type { Attachment } from "../../wire.ts";
import { previewKind } from "./attachments-view.tsx";

const octets = "application/octet-stream";

test.each([
  ["image/png", "a", 1, "image"],
  ["image/svg+xml", "a.svg", 1, null],
  ["application/pdf", "a", 8_000_000, "pdf"],
  ["application/pdf", "a", 8_000_001, null],
  ['text/calendar; method="REQUEST"', "a", 1, "calendar"],
  ["text/html", "a.html", 1, "text"],
  ["text/csv", "a.csv", 1, "text"],
  ["message/rfc822", "a.eml", 1, "text"],
  ["application/problem+json", "a", 1, "text"],
  ["application/zip", "a.txt", 1, null],
  [octets, "a.pdf", 1, "pdf"],
  [octets, "a.ICS", 1, "calendar"],
  [octets, "a.csv", 1, "text"],
  [octets, "a.svg", 1, null],
])("previews %s named %s of %i bytes as %s", (...row) => {
  const [contentType, fileName, length, kind] = row;
  const attachment: Partial<Attachment> = { contentType, fileName, length };
  expect(previewKind(attachment as Attachment)).toBe(kind);
});
