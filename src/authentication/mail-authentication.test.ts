import fc from "fast-check";
import { sealMessage } from "mailauth";
import { describe, expect, test } from "vitest";
import { createSigner, signMail, type Signer } from "../testing/sign-mail.ts";
import { DnsFault, openDns, type Lookup } from "./dns.ts";
import {
  authenticateMail,
  type AuthenticationVerdicts,
  type MailOrigin,
  limitSignatures,
  signatureCountMax,
} from "./mail-authentication.ts";

const signer = createSigner("shop.test.example");
const other = createSigner("mailer.test.example");
const plain =
  "From: Shop <news@shop.test.example>\r\nTo: you@there.example\r\nSubject: Hello\r\nDate: Fri, 20 Nov 2026 10:42:07 +0000\r\nMessage-ID: <1@shop.test.example>\r\n\r\nHello there.\r\n";
const signed = signMail(plain, signer, ["from", "to", "subject", "date"]);
const origin: MailOrigin = {
  clientAddress: "198.51.100.7",
  ehlo: "mx.shop.test.example",
  mailFrom: "bounce@shop.test.example",
};
const zone = `
$ORIGIN shop.test.example.
@ TXT "v=spf1 ip4:198.51.100.7 -all"
_dmarc TXT "v=DMARC1; p=reject; adkim=s"
default._bimi TXT "v=BIMI1; l=https://shop.test.example/logo.svg"
@ A 198.51.100.7
${signer.zoneLine}
${other.zoneLine}
`;

const check = async (
  mail: string,
  { from = origin, records = zone }: { from?: MailOrigin | null; records?: string } = {},
): Promise<AuthenticationVerdicts> =>
  authenticateMail(Buffer.from(mail), from, openDns({ kind: "fixtures", zone: records }, 5000));

describe("a valid mail", () => {
  test("passes all checks and gives each verdict the tags of its record", async () => {
    const { spf, dkim, dmarc, arc, bimi } = await check(signed);
    expect([spf, ...dkim, dmarc, arc, bimi].map(({ result }) => result)).toEqual([
      "Pass",
      "Pass",
      "Pass",
      "Pass",
      "Pass",
    ]);
    expect(spf).toMatchObject({ rawValue: "v=spf1 ip4:198.51.100.7 -all", tags: { v: "spf1", all: "-" } });
    expect(dkim[0].tags).toMatchObject({ v: "DKIM1", k: "rsa" });
    expect(dkim[0].description).toBe("DKIM signature of shop.test.example (selector sel) passed.");
    expect(dmarc).toMatchObject({
      rawValue: "v=DMARC1; p=reject; adkim=s",
      tags: { v: "DMARC1", p: "reject", adkim: "s" },
    });
    expect(bimi.tags).toMatchObject({ l: "https://shop.test.example/logo.svg" });
  });

  test("gets a verdict for each signature, in order", async () => {
    const twice = signMail(signed, other, ["from", "subject"]);
    const { dkim } = await check(twice);
    expect(dkim.map(({ result }) => result)).toEqual(["Pass", "Pass"]);
    expect(dkim[0].description).toContain("mailer.test.example");
    expect(dkim[0].description).toContain("not aligned with From");
  });
});

describe("DKIM", () => {
  test.each([
    ["a changed body", signed.replace("Hello there", "Hello thief"), "body hash did not verify"],
    ["a changed field", signed.replace("Subject: Hello", "Subject: Other"), "bad signature"],
    ["a key that is not there", signed.replace("s=sel;", "s=gone;"), "no key"],
  ])("%s fails", async (_, mail, reason) => {
    const { dkim } = await check(mail);
    expect(dkim).toHaveLength(1);
    expect([dkim[0].result, dkim[0].description]).toEqual(["Fail", expect.stringContaining(reason)]);
  });

  test("returns a single verdict for an unsigned mail", async () => {
    expect((await check(plain)).dkim).toEqual([
      { result: "Warning", description: "The mail has no DKIM signature.", rawValue: "", tags: {} },
    ]);
  });
});

describe("SPF", () => {
  const spfOf = async (record: string, from: Partial<MailOrigin> = {}) =>
    (await check(plain, { from: { ...origin, ...from }, records: `shop.test.example. TXT "${record}"` })).spf;

  test.each([
    ["v=spf1 ip4:198.51.100.0/24 -all", "Pass"],
    ["v=spf1 -all", "Fail"],
    ["v=spf1 ~all", "Warning"],
    ["v=spf1 ?all", "Warning"],
    ["v=spf1 include:absent.example -all", "Fail"],
    ["v=spf1 nonsense:x -all", "Fail"],
    ["something else", "Warning"],
  ])("%s is %s", async (record, result) => {
    expect((await spfOf(record)).result).toBe(result);
  });

  test("uses the EHLO name for a bounce", async () => {
    const records = 'mx.shop.test.example. TXT "v=spf1 ip4:198.51.100.7 -all"';
    const { spf } = await check(plain, { from: { ...origin, mailFrom: "" }, records });
    expect(spf.result).toBe("Pass");
  });

  test("works for IPv6 clients", async () => {
    expect((await spfOf("v=spf1 ip6:2001:db8::/32 -all", { clientAddress: "2001:db8::7" })).result).toBe("Pass");
  });

  test("returns a warning for a mail without an SMTP session", async () => {
    const { spf, dkim } = await check(signed, { from: null });
    expect([spf.result, dkim[0].result]).toEqual(["Warning", "Pass"]);
    expect(spf.description).toContain("not received by SMTP");
  });
});

describe("DMARC", () => {
  test("fails when neither SPF nor DKIM is aligned, and warns when there is no policy", async () => {
    const from = { ...origin, mailFrom: "x@elsewhere.example" };
    const { dmarc } = await check(plain, { from });
    expect([dmarc.result, dmarc.description]).toEqual(["Fail", expect.stringContaining("under the policy reject")]);
    const open = zone.replace(/_dmarc.*/, "");
    expect((await check(signed, { records: open })).dmarc.result).toBe("Warning");
  });

  test("cannot be checked without From, or with two authors of different domains", async () => {
    expect((await check(plain.replace(/^From:.*\r\n/, ""))).dmarc.result).toBe("Fail");
    const two = plain.replace("From: ", "From: x@elsewhere.example, ");
    expect((await check(two)).dmarc).toMatchObject({ result: "Fail", rawValue: "" });
  });
});

describe("ARC", () => {
  const seal = async (by: Signer): Promise<string> => {
    const privateKey = by.privateKey.export({ type: "pkcs8", format: "pem" });
    const authResults = "mx.mailer.test.example; spf=pass";
    const headers = await sealMessage(Buffer.from(signed), {
      signingDomain: by.domain,
      selector: "sel",
      privateKey,
      authResults,
      cv: "none",
    });
    return `${headers.toString()}${signed}`;
  };

  test("passes for a valid chain and fails for one over a changed body", async () => {
    const sealed = await seal(other);
    expect((await check(sealed)).arc.result).toBe("Pass");
    expect((await check(sealed.replace("Hello there", "Hello thief"))).arc.result).toBe("Fail");
  });
});

describe("without DNS answers", () => {
  const deaf: Lookup = () => Promise.reject(new DnsFault("timeout", "nobody there"));

  test("checks that need DNS return Timeout", async () => {
    const { spf, dkim, dmarc } = await authenticateMail(Buffer.from(signed), origin, deaf);
    expect([spf.result, dkim[0].result, dmarc.result]).toEqual(["Timeout", "Timeout", "Timeout"]);
  });

  test("checks that need no DNS return their result", async () => {
    const { dkim } = await authenticateMail(Buffer.from(signed.replace("Hello there", "Hello thief")), origin, deaf);
    expect(dkim[0].result).toBe("Fail");
  });
});

describe("hostile mail", () => {
  test.each([
    ["no bytes", ""],
    ["no header section", "\r\n\r\n"],
    ["binary", "\0\u00ff\r\r\n\n\0"],
    ["a signature of nothing", "DKIM-Signature: ;;;=\r\nFrom: a@b.example\r\n\r\nx"],
    ["broken ARC", "ARC-Seal: i=99\r\nARC-Seal: i=1\r\nFrom: a@b.example\r\n\r\nx"],
    ["a From of brackets", `From: ${"<(".repeat(2000)}\r\n\r\nx`],
    [
      "many signatures",
      `${"DKIM-Signature: v=1; a=rsa-sha256; d=x.example; s=s; h=from; bh=x; b=x\r\n".repeat(200)}From: a@x.example\r\n\r\nx`,
    ],
  ])("returns verdicts for %s", async (_, mail) => {
    const { spf, dkim, dmarc, arc, bimi } = await check(mail);
    for (const { result, tags, description } of [spf, ...dkim, dmarc, arc, bimi]) {
      expect(["Pass", "Warning", "Fail", "Timeout"]).toContain(result);
      expect(description).not.toBe("");
      expect(Object.values(tags).every((value) => typeof value === "string")).toBe(true);
    }
  });
});

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
