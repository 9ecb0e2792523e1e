import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SpamVerdict } from "../../core/spam.ts";
import { defaultLimits } from "../../core/limits.ts";
import { readFacts } from "../mail-facts.ts";
import { judgeSpam, spamRules, spamThreshold } from "./judge-spam.ts";
import { codePoint } from "../../testing/code-point.test-aid.ts";

const receivedAt = Date.UTC(2026, 10, 20, 10, 42);
const decent = {
  From: "Shop <news@shop.com>",
  To: "you@there.com",
  Subject: "Your order",
  Date: "Fri, 20 Nov 2026 10:42:07 +0000",
  "Message-ID": "<1@shop.com>",
};
const body = "Your order has left our house and will be with you on Monday.";

const write = (head: Readonly<Record<string, string | null>>, content: string): string => {
  const fields = Object.entries({ ...decent, ...head }).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${value}`],
  );
  return [...fields, "", content, ""].join("\r\n");
};
const judge = (raw: string): SpamVerdict => judgeSpam({ ...readFacts(Buffer.from(raw), defaultLimits), receivedAt });
const text = (content: string): string => write({}, content);
const html = (content: string): string => write({ "Content-Type": "text/html; charset=utf-8" }, content);
const field = (name: string, value: string | null): string => write({ [name]: value }, body);

/** Sample mail for each rule; no other rule may match it. */
const matching: Readonly<Record<string, string>> = {
  MISSING_DATE: field("Date", null),
  DATE_IN_FUTURE: field("Date", "Sat, 21 Nov 2026 10:43:00 +0000"),
  DATE_IN_PAST: field("Date", "Mon, 16 Nov 2026 10:41:00 +0000"),
  MISSING_MESSAGE_ID: field("Message-ID", null),
  MALFORMED_MESSAGE_ID: field("Message-ID", "1@shop.com"),
  MISSING_FROM: field("From", null),
  FROM_WITHOUT_DOMAIN: field("From", "root@localhost"),
  FROM_NAME_IS_ANOTHER_ADDRESS: field("From", '"service@bank.com" <x@evil.com>'),
  MISSING_TO: field("To", null),
  MISSING_SUBJECT: field("Subject", null),
  SUBJECT_ALL_CAPITALS: field("Subject", "OPEN THIS NOW 5"),
  SUBJECT_SHOUTS: field("Subject", "Open this!!"),
  REPLY_TO_NOTHING: field("Subject", "Re: your order"),
  REPLIES_GO_ELSEWHERE: field("Reply-To", "x@elsewhere.com"),
  REPEATED_FIELD: write({}, body).replace("Subject:", "Subject: One\r\nSubject:"),
  BULK_WITHOUT_UNSUBSCRIBE: field("Precedence", "bulk"),
  GTUBE: text("XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X"),
  EXECUTABLE_ATTACHMENT: write(
    { "Content-Type": 'multipart/mixed; boundary="b"' },
    `--b\r\n\r\n${body}\r\n--b\r\nContent-Disposition: attachment; filename="invoice.pdf.exe"\r\n\r\nx\r\n--b--`,
  ),
  EMPTY_BODY: text(" "),
  HTML_WITHOUT_TEXT_TWIN: html(`<p>${body}</p>`),
  PICTURES_INSTEAD_OF_TEXT: html('<img src="https://shop.com/all.png">'),
  BROKEN_STRUCTURE: write({ "Content-Type": "multipart/mixed; boundary=b" }, `--b\r\n\r\n${body}`),
  SCRIPT_IN_HTML: html(`<p>${body}</p><script>x</script>`),
  FRAME_OR_OBJECT_IN_HTML: html(`<p>${body}</p><iframe src=x></iframe>`),
  FORM_IN_HTML: html(`<p>${body}</p><form></form>`),
  SHORTENED_LINK: text(`${body} https://bit.ly/abc`),
  LINK_TO_ADDRESS: text(`${body} http://198.51.100.7/x`),
  PUNYCODE_LINK: text(`${body} https://xn--bnk-qla.com/`),
  LINK_SHOWS_ANOTHER_HOST: html(`<p>${body}</p><a href="https://evil.com/">https://bank.com/</a>`),
  MOSTLY_CAPITALS: text(body.toUpperCase().repeat(3)),
  MONEY_FOR_NOTHING: text(`${body} Make MONEY  fast!`),
  PRIZE_WITHOUT_A_GAME: text(`${body} You have won.`),
  PILLS: text(`${body} Online pharmacy.`),
  THREATENS_ACCOUNT: text(`${body} Final warning.`),
  SELLS_HARD: text(`${body} Act now.`),
};
/** Further rules that the sample mail of a rule necessarily matches. */
const alongside: Readonly<Record<string, readonly string[]>> = {
  PICTURES_INSTEAD_OF_TEXT: ["HTML_WITHOUT_TEXT_TWIN"],
  SCRIPT_IN_HTML: ["HTML_WITHOUT_TEXT_TWIN"],
  FRAME_OR_OBJECT_IN_HTML: ["HTML_WITHOUT_TEXT_TWIN"],
  FORM_IN_HTML: ["HTML_WITHOUT_TEXT_TWIN"],
  LINK_SHOWS_ANOTHER_HOST: ["HTML_WITHOUT_TEXT_TWIN"],
};

test("every rule has a sample mail, and an ordinary mail matches no rule", () => {
  expect(Object.keys(matching).toSorted()).toEqual(spamRules.map(({ name }) => name).toSorted());
  expect(judge(write({}, body))).toEqual({ score: 0, threshold: spamThreshold, rules: [] });
});

test.each(Object.entries(matching))("only rule %s matches its mail", (name, raw) => {
  const matched = judge(raw).rules.map(({ rule }) => rule);
  expect(matched.toSorted()).toEqual([name, ...(alongside[name] ?? [])].toSorted());
});

describe("a verdict", () => {
  test("is the sum of its rules, the highest score first, without rounding errors", () => {
    const { score, rules } = judge("Subject: x\r\n\r\nhello\r\n");
    expect(score).toBe(4.2);
    expect(rules.map((one) => one.score)).toEqual(rules.map((one) => one.score).toSorted((a, b) => b - a));
    expect(rules.every(({ description }) => description !== "" && !description.endsWith("."))).toBe(true);
  });

  test("is returned for any bytes", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (raw) => {
        expect(Number.isFinite(judge(raw).score)).toBe(true);
      }),
    );
  });
});
