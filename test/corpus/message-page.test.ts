import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { imageCountMax, linkCountMax, summaryLengthMax, visibleTextLengthMax } from "../../src/analysis/bounds.ts";
import { analysedLengthMax, contactCountMax, structuredFieldBytesMax } from "../../src/core/limits.ts";
import { prescanBytes } from "../../src/mime/parse-mail.ts";

const page = readFileSync(new URL("../../docs/reference/message.md", import.meta.url), "utf8");

test.each([
  ["first %s characters of the visible text", summaryLengthMax],
  ["up to %s of each field", contactCountMax],
  ["first %s bytes", prescanBytes],
  ["first %s UTF-16 code units of each body", analysedLengthMax],
  ["first %s of the visible text", visibleTextLengthMax],
  ["At most %s of each are listed", linkCountMax],
  ["At most %s of each are listed", imageCountMax],
  ["first %s KiB of a structured field", structuredFieldBytesMax / 1024],
])("message.md quotes the limit that the code applies: %s", (sentence, limit) => {
  expect(page).toContain(sentence.replace("%s", limit.toLocaleString("en")));
});
