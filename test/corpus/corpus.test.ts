import { describe, expect, it } from "vitest";
import { defaultLimits } from "../../src/core/limits.ts";
import type { Contact } from "../../src/core/message.ts";
import { decodeBytes, decodedLength, joinTexts } from "../../src/mime/body-content.ts";
import { parseMail } from "../../src/mime/parse-mail.ts";
import { corpus } from "./corpus.ts";
import type { Expectation } from "./corpus-mail.ts";

const written = (contacts: readonly Contact[]): string[] =>
  contacts.map(({ name, email }) => (name === "" ? (email ?? "") : `${name} <${email ?? ""}>`));

/** Returns the parsed mail, reduced to the members of the expectation. */
function parsed(raw: Buffer, expected: Expectation): Expectation {
  const mail = parseMail(raw, defaultLimits);
  const all: Required<Expectation> = {
    subject: mail.subject,
    from: written(mail.from),
    to: written(mail.to),
    cc: written(mail.cc),
    text: joinTexts(raw, mail.textParts),
    html: joinTexts(raw, mail.htmlParts),
    attachments: mail.attachments.map((part, index) => ({
      contentType: part.mediaType,
      fileName: part.fileName ?? "",
      ...(expected.attachments?.[index]?.contentId === undefined ? {} : { contentId: part.contentId }),
      ...(expected.attachments?.[index]?.bytes === undefined ? {} : { bytes: Buffer.from(decodeBytes(raw, part)) }),
    })),
    defects: mail.defects,
  };
  return Object.fromEntries(Object.entries(all).filter(([member]) => member in expected));
}

describe("parsing the corpus", () => {
  it.each(corpus)("reads $name", ({ raw, expected }) => {
    expect(parsed(raw, expected)).toEqual(expected);
  });

  it("has unique names", () => {
    expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length);
  });

  it.each(corpus)("returns the length of every attachment of $name without decoding it", ({ raw }) => {
    for (const part of parseMail(raw, defaultLimits).attachments) {
      expect(decodedLength(raw, part)).toBe(decodeBytes(raw, part).length);
    }
  });
});
