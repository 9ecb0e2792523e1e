import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultLimits } from "../../core/limits.ts";
import type { SnapshotOptions } from "../../core/snapshot.ts";
import { snapshotMessage } from "./snapshot-message.ts";

const email = { type: "Email", from: [], text: null } as const;
const known = [{ name: "recipient", value: "ada+7f3a@abcd1234.restante.example.com" }];

const snapshot = (raw: string, options: SnapshotOptions = {}): string =>
  snapshotMessage({ raw: Buffer.from(raw), message: email, known }, options, defaultLimits);

interface Sending {
  readonly code?: string;
  readonly token?: string;
  readonly order?: string;
  readonly date?: string;
  readonly port?: number;
  readonly to?: string;
  readonly body?: string;
}

/** Returns a mail as an application renders it, with what differs from one sending to the next. */
const mailOf = ({
  code = "804219",
  token = "9f86d081884c7d659a2feaa0c55ad015",
  order = "A-1234",
  date = "Tue, 01 Dec 2026 10:00:00 +0000",
  port = 34_567,
  to = "ada+7f3a@abcd1234.restante.example.com",
  body = "Confirm your address",
}: Sending = {}): string =>
  [
    'From: "Shop" <no-reply@shop.example>',
    `To: ${to}`,
    `Subject: Your code is ${code}`,
    `Date: ${date}`,
    `Message-ID: <${token}@shop.example>`,
    "Reply-To: help@shop.example",
    `List-Unsubscribe: <https://shop.example/unsubscribe?u=${token}>`,
    "X-Campaign: welcome",
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    "--b",
    'Content-Type: text/html; charset="utf-8"',
    "",
    `<p>Hello Ada,</p><p>your code is <b>${code}</b>. It ends on ${date.slice(5, 16)}.</p>
<p>Order ${order}, sent to ${to}</p>
<a href="http://127.0.0.1:${String(port)}/confirm?token=${token}&lang=en&order=${order}">${body}</a>
<img src="https://shop.example/logo.png" alt="Logo"><img src="data:image/png;base64,AAAA" alt="">`,
    "--b",
    "Content-Type: application/pdf",
    `Content-Disposition: attachment; filename="invoice_${order}.pdf"`,
    "",
    "%PDF",
    "--b--",
    "",
  ].join("\r\n");

describe("snapshotMessage", () => {
  test("shows header fields, text, links, images and attachments, with what differs masked", () => {
    expect(snapshot(mailOf(), { mask: [{ name: "order", value: "a-1234" }], headers: ["x-campaign"] })).toBe(
      `Subject: Your code is {*}
From: "Shop" <no-reply@shop.example>
Reply-To: help@shop.example
List-Unsubscribe: <https://shop.example/unsubscribe?u={*}>
x-campaign: welcome

## HTML
Hello Ada,
your code is {*}. It ends on {*}.
Order {order}, sent to {recipient}
Confirm your address

## Links
Confirm your address -> http://127.0.0.1:{port}/confirm?token={*}&lang=en&order={order}

## Images
Logo -> https://shop.example/logo.png
(no text) -> data:image/png

## Attachments
invoice {order}.pdf (application/pdf)
`,
    );
  });

  test("is equal for two sendings of the same mail", () => {
    const other = {
      code: "117204",
      token: "0a1b2c3d4e5f60718293a4b5c6d7e8f9",
      date: "Wed, 06 Jan 2027 23:59:59 +0000",
      port: 8080,
    };
    const of = (sending: Sending): string => snapshot(mailOf(sending));
    expect(of(other)).toBe(of({}));
  });

  test.each<[string, Sending]>([
    ["a word of a link", { body: "Confirm your e-mail" }],
    ["the recipient by name", { to: "eve@other.example" }],
  ])("differs when the mail differs in %s", (_, sending) => {
    expect(snapshot(mailOf(sending))).not.toBe(snapshot(mailOf()));
  });

  test("masks a value in URLs as applications encode it", () => {
    const raw = (value: string) => `Subject: x\r\n\r\nhttps://shop.example/?name=${value}&lang=en\r\n`;
    const options = { mask: [{ name: "customer", value: "Ada King" }] };
    for (const encoded of ["Ada%20King", "Ada+King", "ada%20king"]) {
      expect(snapshot(raw(encoded), options)).toContain("https://shop.example/?name={customer}&lang=en");
    }
  });

  test("masks a value only where it is a word of its own", () => {
    const options = { mask: [{ name: "name", value: "Ada" }] };
    expect(snapshot("Subject: Ada of Canada\r\n\r\n", options)).toBe("Subject: {name} of Canada\n");
  });

  test("shows an SMS by its text and links", () => {
    const message = {
      type: "SMS",
      from: [],
      text: { body: "Your code is 804219: https://shop.example/c/9f86d081884c7d65" },
    } as const;
    expect(snapshotMessage({ raw: new Uint8Array(), message, known: [] }, {}, defaultLimits)).toBe(
      "SMS\n\n## Text\nYour code is {*}: https://shop.example/c/{*}\n\n## Links\nhttps://shop.example/c/{*}\n",
    );
  });

  test("never throws, and ends with one line feed, for any bytes and values", () => {
    const values = fc.array(fc.record({ name: fc.constantFrom("a", "b"), value: fc.string({ minLength: 1 }) }));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.string(), values, (bytes, html, mask) => {
        const raw = Buffer.concat([Buffer.from(`Content-Type: text/html\r\n\r\n${html}`), bytes]);
        const text = snapshotMessage({ raw, message: email, known }, { mask }, defaultLimits);
        expect(text).toMatch(/^$|[^\n]\n$/);
        expect(text).not.toMatch(/[\u{10f000}-\u{10fffd}]/u);
      }),
      { numRuns: 50 },
    );
  });
});
