import fc from "fast-check";
import { expect, test } from "vitest";
import { limitSignatures, signatureCountMax } from "./signature-limit.ts";

const signature = (number: number): string => `DKIM-Signature: a=${number};\r\n\tb=x\r\n`;
const mail = (count: number): string =>
  `From: a@b.example\r\n${Array.from({ length: count }, (_, at) => signature(at)).join("")}Subject: x\r\n\r\nDKIM-Signature: body\r\n`;
const limited = (text: string): string => limitSignatures(Buffer.from(text, "latin1")).toString("latin1");

test("returns a mail unchanged when it has the largest allowed number of signatures", () => {
  const raw = Buffer.from(mail(signatureCountMax));
  expect(limitSignatures(raw)).toBe(raw);
});

test("removes only the last signature, with its folded lines, when there is one more", () => {
  expect(limited(mail(signatureCountMax + 1))).toBe(mail(signatureCountMax));
  expect(limited(mail(500).replaceAll("\r\n", "\n"))).toBe(mail(signatureCountMax).replaceAll("\r\n", "\n"));
});

test("limits the signatures in any bytes and keeps everything else in order", () => {
  const lines = fc.constantFrom(
    "dkim-signature: x\r\n",
    "DKIM-SIGNATURE:y\n",
    " folded\r\n",
    "A: b\r\n",
    "\r\n",
    "x",
    "\r",
  );
  fc.assert(
    fc.property(fc.array(lines, { maxLength: 100 }), (parts) => {
      const text = parts.join("");
      const out = limited(text);
      const [head = ""] = out.split(/^\r?\n/m);
      expect((head.match(/^dkim-signature:/gim) ?? []).length).toBeLessThanOrEqual(signatureCountMax + 1);
      expect(out.length).toBeLessThanOrEqual(text.length);
      expect(limited(out)).toBe(out);
    }),
  );
});
