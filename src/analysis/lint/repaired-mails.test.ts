import { describe, expect, test } from "vitest";
import { defaultLimits } from "../../core/limits.ts";
import { readFacts } from "../mail-facts.ts";
import { lintMail } from "./lint-mail.ts";

const rulesOfRepairs = [
  "from",
  "date",
  "message-id",
  "repeated-field",
  "mime-fault",
  "encoding-fault",
  "dkim-alignment",
];
const fields = {
  From: "Shop <a@shop.com>",
  To: "b@there.com",
  Subject: "Order",
  Date: "Fri, 20 Nov 2026 10:42:07 +0000",
  "Message-ID": "<1@shop.com>",
  "DKIM-Signature": "v=1; d=shop.com; h=from; b=x",
};

/** Returns a valid mail with other fields, and a body. */
function mail(changes: Readonly<Record<string, string | null>>, body = "Hello there."): string {
  const lines = Object.entries({ ...fields, ...changes }).flatMap(([name, value]) =>
    value === null ? [] : value.split("|").map((one) => `${name}: ${one}`),
  );
  return [...lines, "", body, ""].join("\r\n");
}

const faults: Readonly<Record<string, string>> = {
  "no From": mail({ From: null }),
  "From without an address": mail({ From: "Acme Support" }),
  "From with empty brackets": mail({ From: '"Acme" <>' }),
  "empty From": mail({ From: "" }),
  "two From": mail({ From: "a@shop.com|c@shop.com" }),
  "two Subject": mail({ Subject: "a|b" }),
  "no Date": mail({ Date: null }),
  "unreadable Date": mail({ Date: "yesterday" }),
  "Date with a colon in its zone": mail({ Date: "Fri, 20 Nov 2026 10:42:07 +02:00" }),
  "two Date": mail({ Date: `${fields.Date}|${fields.Date}` }),
  "no Message-ID": mail({ "Message-ID": null }),
  "LF as line ends": mail({}).replaceAll("\r\n", "\n"),
  "unknown charset": mail({ "Content-Type": "text/plain; charset=klingon" }),
  "unclosed multipart": mail({ "Content-Type": "multipart/mixed; boundary=b" }, "--b\r\n\r\nHello there."),
  "8-bit field": mail({ From: "M\u00e9 <a@shop.com>" }),
  "8-bit text without charset": mail({}, "Caf\u00e9"),
  "windows-1252 as UTF-8": mail({ "Content-Type": "text/plain; charset=utf-8" }, "Caf\u00e9"),
  "junk in base64": mail({ "Content-Transfer-Encoding": "base64" }, "SGVs*bG8h"),
};

describe("what a reader repairs is reported once", () => {
  test.each(Object.entries({ nothing: mail({}), ...faults }))("%s", (name, text) => {
    const facts = readFacts(Buffer.from(text, "latin1"), defaultLimits);
    const report = lintMail(facts, { audit: null, problem: "none" }, "bulk-sender");
    const found = report.findings.filter(({ rule }) => rulesOfRepairs.includes(rule));
    expect(found.map(({ message }) => message)).toHaveLength(name === "nothing" ? 0 : 1);
  });

  test("From without an address is a defect", () => {
    const defectsOf = (from: string) => readFacts(Buffer.from(mail({ From: from })), defaultLimits).mail.defects;
    expect(["root", '"Acme" <>', "", "Acme:;", "(Acme)", "Acme <noreply>"].map(defectsOf)).toEqual(
      Array.from({ length: 6 }, () => ["from_without_address"]),
    );
    expect(defectsOf("root, a@shop.com")).toEqual([]);
  });
});
