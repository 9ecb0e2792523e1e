import fc from "fast-check";
import { expect, test } from "vitest";
import type { Code } from "../../../core/message.ts";
import { readBodies, type BodyRequest, type EmailBodies } from "./email-bodies.ts";
import { decodeDetail, decodeExcerpt, encodeDetail, showBodies, type StoredDetail } from "./stored-detail.ts";
import { codePoint } from "../../../testing/code-point.test-aid.ts";

const readHere = async (request: BodyRequest): Promise<EmailBodies> => readBodies(request);

function detailWith(codes: readonly string[], body = ""): StoredDetail {
  const found: readonly Code[] = codes.map((value) => ({ value }));
  const none = { links: [], images: [], body: null };
  const attachments = [{ fileName: "a.pdf" }];
  const message = { attachments, html: { ...none, codes: found }, text: { ...none, codes: found, body } };
  const rest = { htmlParts: [], textParts: [], parts: [], session: null };
  return { message: message as unknown as StoredDetail["message"], ...rest };
}

test("the excerpt contains distinct codes and the size, for any message", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: codePoint })), fc.string(), fc.nat(), (codes, body, sizeBytes) => {
      const hostile = [...codes, ',"message":{}', '"},"message":'];
      const bytes = encodeDetail(detailWith(hostile, body), sizeBytes);
      expect(decodeExcerpt(bytes)).toEqual({
        codes: [...new Set(hostile)],
        sizeBytes,
        inline: 0,
        files: ["a.pdf"],
        tags: [],
      });
      expect(decodeDetail(bytes).message.text?.body).toBe(body);
    }),
  );
});

test("parses only the start of a large detail", () => {
  const bytes = encodeDetail(detailWith(["482913"], "x".repeat(1000)), 1000);
  expect(decodeExcerpt(bytes.subarray(0, 200))).toEqual({
    codes: ["482913"],
    sizeBytes: 1000,
    inline: 0,
    files: ["a.pdf"],
    tags: [],
  });
});

test("has no codes for bodies that are not analysed yet", () => {
  const { message, ...rest } = detailWith([]);
  const detail = { message: { ...message, html: null, text: null }, ...rest };
  expect(decodeExcerpt(encodeDetail(detail, 7))).toEqual({
    codes: null,
    sizeBytes: 7,
    inline: 0,
    files: ["a.pdf"],
    tags: [],
  });
});

test("shows the stored results of the analysis", async () => {
  const raw = Buffer.from("Your code is 804219");
  const place = {
    bodyStart: 0,
    bodyEnd: raw.length,
    transferEncoding: "identity",
    charset: null,
    flow: "fixed",
  } as const;
  const stored = { ...detailWith(["482913"]), textParts: [place] };
  const text = { links: [], images: [], codes: [{ value: "482913" }], body: "Your code is 804219" };
  const message = { ...stored.message, text: { ...text, body: null } };
  const reading = { bodies: { read: readHere }, caller: { key: "one" } };
  expect((await showBodies({ ...stored, message }, raw, reading)).text).toEqual(text);
  const unread = { ...stored, message: { ...message, html: null, text: null } };
  expect((await showBodies(unread, raw, reading)).text.codes).toEqual([{ value: "804219" }]);
});
