import { describe, expect, test } from "vitest";
import { defaultLimits } from "../../core/limits.ts";
import type { ProfileVerdict } from "../../core/lint.ts";
import { readFacts } from "../mail-facts.ts";
import { lintMail, lintRules } from "./lint-mail.ts";
import { judgeProfile, lintProfiles, type AuthenticationResults } from "./lint-profiles.ts";

const signature =
  "DKIM-Signature: v=1; d=shop.example; s=s; h=from:list-unsubscribe:list-unsubscribe-post; bh=x; b=x\r\n";
const good = [
  signature,
  "From: Shop <news@mail.shop.example>\r\n",
  "To: <ann@a.example>\r\n",
  "Subject: News\r\n",
  "Date: Fri, 20 Nov 2026 10:42:07 +0000\r\n",
  "Message-ID: <1@shop.example>\r\n",
  "List-Unsubscribe: <https://shop.example/u?id=17>\r\n",
  "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n",
  "Content-Type: text/html\r\n",
  '\r\n<p>News. <a href="https://shop.example/u?id=17">No more of this</a></p>\r\n',
].join("");
const authenticated: AuthenticationResults = { spf: true, dkim: true, dmarc: true };

function judge(mail: string, authentication: AuthenticationResults | null = authenticated): ProfileVerdict {
  const facts = readFacts(Buffer.from(mail), defaultLimits);
  const { findings } = lintMail(facts, { audit: null, problem: null }, "bulk-sender");
  return judgeProfile("bulk-sender", findings, authentication);
}

const idsOf = ({ requirements }: ProfileVerdict, result: string): readonly string[] =>
  requirements.filter((one) => one.result === result).map(({ id }) => id);

describe("the profile bulk-sender", () => {
  test("passes a mail that meets all requirements, and names those that a mail cannot show", () => {
    const verdict = judge(good);
    expect([verdict.id, verdict.verdict, idsOf(verdict, "fail")]).toEqual(["bulk-sender", "pass", []]);
    expect(idsOf(verdict, "not_judged")).toEqual(["dns", "tls", "spam-rate", "unsubscribe-time"]);
  });

  test.each([
    ["no signature", good.replace(signature, ""), ["dkim", "one-click"]],
    ["a signature of another domain", good.replace("d=shop.example", "d=mailer.example"), ["dkim"]],
    ["a domain that only ends alike", good.replace("d=shop.example", "d=op.example"), ["dkim"]],
    ["an address at Gmail", good.replace("news@mail.shop.example", "shop@gmail.com"), ["dkim", "from"]],
    ["two addresses", good.replace("<news@", "<a@mail.shop.example>, <news@"), ["from"]],
    ["no Date", good.replace(/Date:.*\r\n/, ""), ["format"]],
    ["no Message-ID", good.replace(/Message-ID:.*\r\n/, ""), ["format"]],
    [
      "no List-Unsubscribe",
      good.replace(/List-Unsubscribe: .*\r\n/, ""),
      ["unsubscribe", "one-click", "unsubscribe-link"],
    ],
    [
      "mailto only",
      good.replace("<https://shop.example/u?id=17>", "<mailto:u@shop.example>"),
      ["one-click", "unsubscribe-link"],
    ],
    ["no List-Unsubscribe-Post", good.replace(/List-Unsubscribe-Post.*\r\n/, ""), ["one-click"]],
    ["no link", good.replace(/<a.*a>/, ""), ["unsubscribe-link"]],
    ["a list without List-Id and ARC", `List-Post: <mailto:l@a.example>\r\n${good}`, ["forwarding"]],
  ])("fails a mail with %s", (_, mail, expected) => {
    const verdict = judge(mail);
    expect([verdict.verdict, idsOf(verdict, "fail")]).toEqual(["fail", expected]);
    for (const { result, reason } of verdict.requirements) expect(reason === null).toBe(result !== "fail");
  });

  test.each(["Unsubscribe", "Newsletter abbestellen", "Se désabonner", "配信停止"])(
    "takes a link with the text %s for one to unsubscribe",
    (text) => {
      const link = `<a href="https://shop.example/x">${text}</a>`;
      const mail = good.replace(/<a.*a>/, link).replace("text/html", "text/html; charset=utf-8");
      expect(idsOf(judge(mail), "fail")).toEqual([]);
    },
  );

  test("fails what sender authentication fails, and leaves open what it could not check", () => {
    expect(idsOf(judge(good, { spf: false, dkim: false, dmarc: false }), "fail")).toEqual(["spf", "dkim", "dmarc"]);
    expect(idsOf(judge(good, null), "not_judged").slice(0, 3)).toEqual(["spf", "dkim", "dmarc"]);
    expect(judge(good, null).verdict).toBe("pass");
  });
});

test("every profile names existing rules, and uses its own", () => {
  const names = new Set(lintRules.map(({ id }) => id));
  for (const { rules, requirements } of Object.values(lintProfiles)) {
    const used = new Set(requirements.flatMap((row) => row.rules));
    for (const { id } of rules) expect([names.has(id), used.has(id)]).toEqual([false, true]);
    for (const id of used) expect(names.has(id) || rules.some((rule) => rule.id === id)).toBe(true);
    expect(new Set(requirements.map(({ id }) => id)).size).toBe(requirements.length);
  }
});
