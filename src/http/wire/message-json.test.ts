import fc from "fast-check";
import { expect, test } from "vitest";
import type { Message } from "../../core/message.ts";
import { isOnePiece, messageChunks } from "./message-json.ts";

const noText = { links: [], codes: [], body: null };
const noHtml = { ...noText, images: [] };
const messageOf = (fields: object): Message => ({ id: "1", ...fields, server: "abc" }) as unknown as Message;
const joined = (chunks: Iterable<Buffer>): string => Buffer.concat([...chunks]).toString("utf8");
const bytesOf = (text: string | null): Uint8Array | null => (text === null ? null : Buffer.from(text, "utf8"));

test("writes JSON equal to that of the whole message", () => {
  const body = fc.option(fc.string({ unit: "grapheme", maxLength: 50 }));
  fc.assert(
    fc.property(body, body, (html, text) => {
      const whole = messageOf({
        html: { ...noHtml, body: html },
        text: { ...noText, body: text },
        delivery: undefined,
      });
      const apart = messageOf({ html: noHtml, text: noText, delivery: undefined });
      const texts = { html: bytesOf(html), text: bytesOf(text) };
      expect(JSON.parse(joined(messageChunks({ message: apart, texts })))).toEqual(JSON.parse(JSON.stringify(whole)));
    }),
  );
});

test("writes large texts in chunks that split no character", () => {
  const body = `x${'żó👍🏽\0\n"'.repeat(40_000)}`;
  const texts = { html: null, text: bytesOf(body) };
  const chunks = [...messageChunks({ message: messageOf({ html: noHtml, text: noText }), texts })];
  expect((JSON.parse(joined(chunks)) as Message).text.body).toBe(body);
  expect(chunks.length).toBeGreaterThan(4);
});

test("is one chunk without large texts", () => {
  const opened = { message: messageOf({ html: noHtml, text: noText }), texts: { html: null, text: null } };
  expect(isOnePiece(opened)).toBe(true);
  expect([...messageChunks(opened)]).toHaveLength(1);
});
