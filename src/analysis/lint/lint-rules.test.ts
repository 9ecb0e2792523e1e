import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultLimits } from "../../core/limits.ts";
import { readFacts } from "../mail-facts.ts";
import { lintMail, lintRules, findingsPerRuleMax } from "./lint-mail.ts";
import { codePoint } from "../../testing/code-point.test-aid.ts";

const noAudit = { audit: null, problem: "no browser in tests of rules" };
const fields = {
  From: "Shop <a@shop.com>",
  To: "b@there.com",
  Subject: "Your order",
  Date: "Fri, 20 Nov 2026 10:42:07 +0000",
  "Message-ID": "<1@shop.com>",
};
type Parts = {
  readonly head?: Readonly<Record<string, string | null>>;
  readonly html?: string;
  readonly text?: string;
  readonly raw?: string;
};

/** Returns a mail without findings, except for the changes of the test. */
function write({ head = {}, html, text, raw }: Parts): Buffer {
  if (raw !== undefined) return Buffer.from(raw);
  const lines = Object.entries({ ...fields, ...head }).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${value}`],
  );
  if (html === undefined) return Buffer.from([...lines, "", text ?? "Hello there.", ""].join("\r\n"));
  const parts = [
    ...(text === undefined ? [] : ["--b", "Content-Type: text/plain; charset=utf-8", "", text]),
    "--b",
    "Content-Type: text/html; charset=utf-8",
    "",
    html,
    "--b--",
    "",
  ];
  return Buffer.from(
    [...lines, "MIME-Version: 1.0", "Content-Type: multipart/alternative; boundary=b", "", ...parts].join("\r\n"),
  );
}
const findings = (parts: Parts, rule: string) =>
  lintMail(readFacts(write(parts), defaultLimits), noAudit).findings.filter((one) => one.rule === rule);
const page = (body: string): Parts => ({
  html: `<html lang="en"><head><title>t</title></head><body>${body}</body></html>`,
  text: body.replaceAll(/<[^>]*>/g, " "),
});

/** For each rule, mails with a finding and mails without. */
const cases: Readonly<Record<string, readonly [bad: readonly Parts[], good: readonly Parts[]]>> = {
  from: [
    [{ head: { From: null } }, { head: { From: "nobody" } }, { raw: "From: a@b.com\r\nFrom: c@d.com\r\n\r\nx" }],
    [{}],
  ],
  date: [[{ head: { Date: null } }, { head: { Date: "yesterday" } }], [{}]],
  "message-id": [
    [{ head: { "Message-ID": null } }, { head: { "Message-ID": "1@shop" } }, { head: { "Message-ID": "<1>" } }],
    [{}],
  ],
  subject: [
    [{ head: { Subject: " " } }, { head: { Subject: "x".repeat(79) } }],
    [{ head: { Subject: "x".repeat(78) } }],
  ],
  "repeated-field": [
    [{ raw: "Subject: a\r\nSubject: b\r\n\r\nx" }],
    [{}, { raw: "From: a@b.com\r\nFrom: c@d.com\r\n\r\nx" }],
  ],
  "list-unsubscribe": [[{}], [{ head: { "List-Unsubscribe": "<https://shop.com/u>" } }]],
  "list-unsubscribe-form": [
    [{ head: { "List-Unsubscribe": "https://shop.com/u" } }, { head: { "List-Unsubscribe": "<http://shop.com/u>" } }],
    [{}, { head: { "List-Unsubscribe": "<mailto:u@shop.com>, <https://shop.com/u>" } }],
  ],
  "list-unsubscribe-one-click": [
    [
      { head: { "List-Unsubscribe": "<https://shop.com/u>" } },
      { head: { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" } },
      { head: { "List-Unsubscribe": "<https://shop.com/u>", "List-Unsubscribe-Post": "yes" } },
      { head: { "List-Unsubscribe": "<mailto:u@shop.com>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" } },
      { head: { "List-Unsubscribe": "<https://shop.com/u>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" } },
    ],
    [
      {},
      {
        head: {
          "List-Unsubscribe": "<https://shop.com/u>",
          "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
          "DKIM-Signature": "v=1; d=shop.com; h=from : List-Unsubscribe:list-unsubscribe-post; b=x",
        },
      },
    ],
  ],
  "header-line-length": [
    [{ head: { "X-Long": "x".repeat(991) } }],
    [{ head: { "X-Long": "x".repeat(990) } }, { text: "x".repeat(5000) }],
  ],
  "html-clipped": [[page("x".repeat(104_449))], [page("x".repeat(104_000))]],
  "mail-size": [[{ text: "x\r\n".repeat(3_500_000) }], [{}]],
  "text-twin": [
    [
      { html: "<p>hello</p>" },
      { html: "<p>hello</p>", text: " " },
      { html: "<p>one two three four five six</p>", text: "View this mail in your browser" },
    ],
    [{}, page("<p>one two three four five six</p>"), { html: "<p>short</p>", text: "other" }],
  ],
  body: [
    [{ text: " " }, { html: "<p></p>", text: "" }],
    [{}, page('<img src="cid:x" alt="">')],
  ],
  "active-content": [
    [page("<script>x</script>"), page("<form action=x>"), page("<iframe src=x></iframe>")],
    [page("<p>x</p>")],
  ],
  "unfilled-template": [
    [
      { head: { Subject: "Hi {{name}}" } },
      { text: "Dear ${user.name}," },
      page("<p>[object Object]</p>"),
      { text: "Hello undefined, welcome" },
      { text: "*|FNAME|*" },
      { text: "Hello %FIRSTNAME%" },
    ],
    [{ text: "An undefined behaviour is {not} 100% null-safe; 5 % OFF %" }, page("<style>{{x}}</style><p>fine</p>")],
  ],
  "mime-fault": [[{ raw: "From: a@b.com\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n" }], [{}]],
  "encoding-fault": [
    [
      { text: "Café" },
      { raw: "From: a@b.com\r\nContent-Type: text/plain; charset=us-ascii\r\n\r\nCafé\r\n" },
      { raw: "From: a@b.com\r\nContent-Transfer-Encoding: base64\r\n\r\nSGVs*bG8h\r\n" },
    ],
    [
      {},
      { html: "<p>Café</p>", text: "Café" },
      { raw: "From: Zoë <a@b.com>\r\nContent-Transfer-Encoding: base64\r\n\r\nSGVs\r\n bG8h\r\n" },
    ],
  ],
  "html-lang": [
    [{ html: "<html><p>x</p>" }, { html: '<html lang="English (US)">' }, { html: "<p>x</p>" }],
    [page("x"), { html: "<html lang=pt-BR>" }, {}],
  ],
  "html-title": [[{ html: "<p>x</p>" }], [page("x"), {}]],
  "image-alt": [
    [page("<img src=https://a.com/x.png>")],
    [
      page('<img src=x alt="">'),
      page("<img src=x alt=logo>"),
      page("<img src=x role=presentation>"),
      page('<div style="display:none"><img src=x></div>'),
    ],
  ],
  "image-alt-file-name": [[page('<img src=x alt="logo-2.png">')], [page('<img src=x alt="Our logo">')]],
  "link-name": [
    [
      page("<a href=https://a.com></a>"),
      page("<a href=https://a.com><img src=x></a>"),
      page('<a href=https://a.com><img src=x alt=" "></a>'),
    ],
    [
      page("<a href=https://a.com>shop</a>"),
      page('<a href=https://a.com><img src=x alt="Shop"></a>'),
      page('<a href=https://a.com aria-label="Shop"></a>'),
      page("<a name=x></a>"),
    ],
  ],
  "link-name-vague": [
    [page("<a href=https://a.com>Click here</a>"), page("<a href=https://a.com><b>More</b> »</a>")],
    [page("<a href=https://a.com>Read more about lint</a>")],
  ],
  "heading-order": [
    [page("<h1>a</h1><h3>b</h3>"), page("<h1></h1>")],
    [page("<h1>a</h1><h2>b</h2><h3>c</h3><h1>d</h1>"), page("<h2>a</h2>"), page('<h1><img src=x alt="Shop"></h1>')],
  ],
  "table-role": [
    [page("<table><tr><td>x</td></tr></table>")],
    [page("<table role=presentation><tr><td>x</td></tr></table>"), page("<table><tr><th>x</th></tr></table>")],
  ],
  "text-contrast": [
    [
      page('<p style="color:#999">x</p>'),
      page('<p style="background:navy">x</p>'),
      page("<table role=none><tr><td bgcolor=#ff0><font color=white>x</font></td></tr></table>"),
      page('<p style="color:rgb(250,250,250)">x</p>'),
    ],
    [
      page("<p>x</p>"),
      page('<p style="color:#767676">x</p>'),
      page('<div style="background:#000"><p style="color:white">x</p></div>'),
      page('<p style="color:#949494;font-size:24px">x</p>'),
      page('<p style="color:#949494;font-size:19px;font-weight:bold">x</p>'),
      page('<p style="color:#fff;background-image:url(x)">x</p>'),
      page('<p style="color:var(--x);background:#fff">x</p>'),
      page('<p style="color:#fff;display:none">x</p>'),
      page('<p style="color:#fff;font-size:0">x</p>'),
    ],
  ],
  "text-size": [
    [
      page('<p style="font-size:9px">x</p>'),
      page('<p style="font-size:0.5em">x</p>'),
      page('<p style="font-size:8pt">x</p>'),
    ],
    [
      page('<p style="font-size:12px">x</p>'),
      page('<p style="font-size:9pt">x</p>'),
      page('<p style="font-size:0">x</p>'),
    ],
  ],
  "link-address": [
    [
      page('<a href="">x</a>'),
      page("<a href=/path>x</a>"),
      page("<a href=javascript:x>x</a>"),
      page("<a href=https://>x</a>"),
    ],
    [
      page("<a href=https://a.com>x</a>"),
      page("<a href=#top>x</a>"),
      page("<a href=mailto:a@b.com>x</a>"),
      page("<a href=tel:+1555>x</a>"),
    ],
  ],
  "link-place-holder": [
    [
      page("<a href=#>x</a>"),
      page("<a href=https://a.com/{{id}}>x</a>"),
      page("<a href=https://a.com/undefined>x</a>"),
    ],
    [page("<a href=https://a.com/#x>x</a>")],
  ],
  "link-local": [
    [
      page("<a href=http://localhost:3000/>x</a>"),
      page("<a href=https://app.test/>x</a>"),
      page("<a href=http://192.168.1.2/>x</a>"),
    ],
    [page("<a href=https://a.com/>x</a>"), page("<a href=https://local.com/>x</a>")],
  ],
  "link-insecure": [[page("<a href=http://a.com>x</a>")], [page("<a href=https://a.com>x</a>")]],
  "link-space": [
    [page('<a href="https://a.com/order 7">x</a>')],
    [page('<a href=" https://a.com/order%207 ">x</a>'), page('<a href="mailto:a@a.com?subject=a b">x</a>')],
  ],
  "link-misleading": [
    [page("<a href=https://evil.com/>https://bank.com/</a>"), page("<a href=https://evil.com/>www.bank.com</a>")],
    [page("<a href=https://click.bank.com/x>https://www.bank.com/</a>"), page("<a href=https://evil.com/>Bank</a>")],
  ],
  "link-shortened": [[page("<a href=https://bit.ly/x>x</a>")], [page("<a href=https://notbit.ly/x>x</a>")]],
  "image-address": [
    [page("<img src=x.png alt=x>"), page("<img src=file:///x alt=x>")],
    [
      page("<img src=https://a.com/x.png alt=x>"),
      page("<img src=cid:x alt=x>"),
      page("<img src=data:image/png;base64,AA alt=x>"),
    ],
  ],
  "image-missing-part": [
    [page("<img src=cid:gone alt=x>")],
    [
      {
        raw: 'Content-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<img src="cid:a%40b" alt=x>\r\n--b\r\nContent-Type: image/png\r\nContent-ID: <a@b>\r\n\r\nx\r\n--b--\r\n',
      },
    ],
  ],
  "feature-unsupported": [
    [
      page('<p style="border-radius:3px">x</p>'),
      page("<video src=x></video>"),
      page("<style>@media (prefers-color-scheme: dark){p{x:y}}</style>"),
      page('<p style="width:calc(1px + 2px)">x</p>'),
      page("<style>a:hover{color:red}</style>"),
    ],
    [page("<p>x</p>"), {}],
  ],
  "feature-partial": [[page('<a href="#x">x</a><p style="font-weight:300">x</p>')], [page("<p>x</p>"), {}]],
};

test("every rule has test cases", () => {
  expect(Object.keys(cases).toSorted()).toEqual(lintRules.map(({ id }) => id).toSorted());
});

describe.each(Object.entries(cases))("%s", (rule, [bad, good]) => {
  test.each(bad.map((parts, index) => [index, parts] as const))("reports mail %i", (_, parts) => {
    const found = findings(parts, rule);
    expect(found.length).toBeGreaterThan(0);
    for (const { message, subject } of found) {
      expect(message).toMatch(/^[^\s].*[^.]$/);
      expect(subject === null || (subject.length <= 200 && !/[\r\n]/.test(subject))).toBe(true);
    }
  });

  test.each(good.map((parts, index) => [index, parts] as const))("reports nothing for valid mail %i", (_, parts) => {
    expect(findings(parts, rule)).toEqual([]);
  });
});

describe("a report", () => {
  test("lists at most 50 findings of a rule and counts all", () => {
    const { findings: reported, counts } = lintMail(
      readFacts(write(page("<img src=cid:x>".repeat(200))), defaultLimits),
      noAudit,
    );
    expect(reported.filter(({ rule }) => rule === "image-alt")).toHaveLength(findingsPerRuleMax);
    expect(counts.error).toBeGreaterThanOrEqual(400);
  });

  test("is returned for any bytes", () => {
    const tags = fc.constantFrom(
      "<a href=",
      "<img ",
      "<style>",
      "</style>",
      "<h1>",
      "</h1>",
      '<p style="',
      "color:#",
      "font-size:",
      "9px;",
      '">',
      "<table>",
      "{{x}}",
      "x",
      " ",
      "\0",
      "<!--",
      "-->",
      "@media (",
      "{",
      "}",
      ":hover",
      "cid:",
    );
    const bodies = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.array(tags, { maxLength: 40 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(bodies, (html) => {
        const { findings: reported, counts } = lintMail(readFacts(write({ html }), defaultLimits), noAudit);
        expect(counts.error + counts.warning + counts.info).toBeGreaterThanOrEqual(reported.length);
      }),
    );
  });
});
