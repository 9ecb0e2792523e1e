import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isNetwork } from "../../core/ip-address.ts";
import { parsePhoneNumber, parseSmsSender } from "../../core/phone-number.ts";
import { readTag } from "../../core/marks.ts";
import { readWebhookSecret } from "../../core/standard-webhooks.ts";
import { readPattern } from "../../operations/callbacks/target-schema.ts";
import { parseTotpSecret } from "../../operations/services/security/one-time-password.ts";
import { readAddress } from "../../operations/sending/allowed-recipients.ts";
import { parseInstant } from "./date.ts";
import type { SchemaShape } from "../../core/schema.ts";
import {
  addressPattern,
  baseUrl,
  emailAddress,
  instantText,
  ipNetwork,
  phoneNumber,
  smsSender,
  tagText,
  totpSecret,
  webhookSecret,
  webUrl,
} from "../../core/text-schemas.ts";

/** Returns whether a text matches a schema: its formats are those of a reader's own tests. */
const matches = ({ pattern, maxLength = Infinity, anyOf, format }: SchemaShape, text: string): boolean => {
  if (anyOf !== undefined) return anyOf.some((choice) => matches(choice, text));
  if (format === "date") return /^\d{4}-\d{2}-\d{2}$/.test(text);
  if (format === "date-time") return /^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/.test(text);
  return text.length <= maxLength && new RegExp(pattern ?? "", "u").test(text);
};

/** Returns whether a reader takes a text: neither undefined nor an error. */
const isRead = (read: (text: string) => unknown, text: string): boolean => {
  try {
    return read(text) !== undefined;
  } catch {
    return false;
  }
};

const isWebUrl = (text: string): true | undefined =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? "") && !text.includes(" ") ? true : undefined;
const whsec = (byteCount: number): string => `whsec_${Buffer.alloc(byteCount, 7).toString("base64")}`;

const rows: readonly (readonly [string, SchemaShape, (text: string) => unknown, string])[] = [
  [
    "webUrl",
    webUrl(),
    isWebUrl,
    "http://127.0.0.1:3000/x https://a.example http://[::1]:80/ http://[2001:db8::1] HTTP://localhost http://my_app:65535?q#r ftp://a http:// a http://a:65536 http://[1]",
  ],
  [
    "emailAddress",
    emailAddress(),
    (text) => readAddress("to", text),
    "a@b.c a+b.c@d-e.f x@127.0.0.1 a a@ @b a@b@c a@-b a@b- a..b@c .a@b a%b@c a@1.2 a@b.",
  ],
  ["addressPattern", addressPattern(), readPattern, "*@app.example support@app.example * *@ *a@b.c @b.c"],
  [
    "phoneNumber",
    phoneNumber(),
    parsePhoneNumber,
    "+15550100 +447700900123 +1(555)010-0123 +999555010012 +15 15550100 +2105550100 +0123456789 +1234567890123456",
  ],
  [
    "smsSender",
    smsSender(),
    (text) => parseSmsSender(text)?.value,
    "+15550100 12345 123456789 12 Acme ACME-SHOP-12 ACME-SHOP-123 é 1_2 A&B",
  ],
  [
    "totpSecret",
    totpSecret(),
    parseTotpSecret,
    "ONSWG4TFOQYTEMY= jbsw-y3dp otpauth://totp/A:b?secret=ABCDEFGH&issuer=A otpauth://totp/x?digits=6&secret=AB otpauth://totp/x otpauth://hotp/x?secret=AB A 01 =",
  ],
  [
    "ipNetwork",
    ipNetwork(),
    (text) => isNetwork(text) || undefined,
    "10.0.0.0/8 192.0.2.1 ::1 fe80::1/64 2001:db8::/32 1:2:3:4:5:6:7:8 ::ffff:192.0.2.1 64:ff9b::192.0.2.1 1::2:3.4.5.6 :: 10.0.0 1.2.3.4/33 ::/129 1::2::3 01.2.3.4 1:2:3:4:5:6:7:8:9",
  ],
  [
    "webhookSecret",
    webhookSecret(),
    readWebhookSecret,
    [...[23, 24, 25, 26, 27, 62, 63, 64, 65].map(whsec), "whsec_", "x"].join(" "),
  ],
  ["tagText", tagText(), readTag, "invoice é a,b a\u0007b \u0085"],
  ["instantText", instantText(), parseInstant, "2026-11-20T10:42:07.975Z 2026-11-20 1767225600000 -1 now 20:00"],
];

describe("patterns of the document", () => {
  test.each(rows)("agree with the reader: %s", (...[, schema, read, texts]) => {
    const different = texts.split(" ").filter((text) => matches(schema, text) !== isRead(read, text));
    expect(different).toEqual([]);
  });

  test("agree with the readers on texts with blanks and on the empty text", () => {
    const date = "Fri, 20 Nov 2026 10:42:07 +0000";
    expect([matches(instantText(), date), isRead(parseInstant, date)]).toEqual([true, true]);
    expect([matches(totpSecret(), "abcd efgh"), isRead(parseTotpSecret, "abcd efgh")]).toEqual([true, true]);
    expect([matches(tagText(), "a b"), matches(tagText(), " "), matches(tagText(), "")]).toEqual([true, false, false]);
    expect([matches(baseUrl(), "https://a.example/v1"), matches(baseUrl(), "https://a.example/?x")]).toEqual([
      true,
      false,
    ]);
  });

  test("agree with the reader on any digits of a phone number", () => {
    // Numbers of seven digits are too short after three of the country codes.
    fc.assert(
      fc.property(fc.stringMatching(/^[1-9]\d{7,14}$/), (digits) => {
        expect(matches(phoneNumber(), `+${digits}`)).toBe(isRead(parsePhoneNumber, `+${digits}`));
      }),
    );
  });

  test("take time linear in the text", () => {
    const long = "a".repeat(100_000);
    const cpuBefore = process.threadCpuUsage();
    for (const [, schema] of rows) for (const start of ["", "http://", "+1", "a@"]) matches(schema, `${start}${long}!`);
    expect(process.threadCpuUsage(cpuBefore).user / 1000).toBeLessThan(10_000);
  });
});
