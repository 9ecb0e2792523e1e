import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeMessageId, type ServerId } from "../core/ids.ts";
import { emailClients } from "./email-client.ts";
import { encodePreviewId, parsePreviewId } from "./preview-id.ts";
import { codePoint } from "../testing/code-point.test-aid.ts";

const messages = fc
  .record({ random: fc.nat(0xffffffff), receivedAt: fc.nat(2 ** 47 - 1), isSent: fc.boolean() })
  .map(({ random, receivedAt, isSent }) => {
    return encodeMessageId({
      server: "shop1234" as ServerId,
      direction: isSent ? "Sent" : "Received",
      receivedAt,
      random,
    });
  });

test("an id contains the message and the client, in any letter case", () => {
  fc.assert(
    fc.property(messages, fc.constantFrom(...emailClients), (message, client) => {
      const id = encodePreviewId({ message, client });
      expect(parsePreviewId(id)).toEqual({ message, client });
      expect(parsePreviewId(id.toUpperCase())).toEqual({ message, client });
      expect(encodeURIComponent(id)).toBe(id);
    }),
  );
});

const message = encodeMessageId({ server: "shop1234" as ServerId, direction: "Received", receivedAt: 1, random: 2 });

test.each([
  "",
  "-",
  message,
  `${message}-`,
  `${message}-no-such-client`,
  `${message}web-gmail-lightmode`,
  `${message}_web-gmail-lightmode`,
  `${message.slice(1)}-web-gmail-lightmode`,
  "00000000-0000-4000-8000-000000000000-web-gmail-lightmode",
  `${message}-web-gmail-lightmode-imagesblocked-imagesblocked`,
])("%j is not an id", (text) => {
  expect(parsePreviewId(text)).toBeUndefined();
});

test("parsing never throws", () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (text) => {
      expect(parsePreviewId(text)).toBeUndefined();
    }),
  );
});
