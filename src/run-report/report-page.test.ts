import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { markup, countText, durationText, instantText, offsetText, sizeText } from "./report-text.ts";
import type { MessageRecord, TestRecord } from "./record-schema.ts";
import { reportPage } from "./report-page.ts";
import { reportStyle, reportTokens } from "./report-style.ts";

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);
const pictureName = `${"ab".repeat(32)}.png`;

function messageOf(own: Partial<MessageRecord> = {}): MessageRecord {
  return {
    id: "6f1c",
    type: "Email",
    subject: "Your order",
    from: ["Shop <shop@a.example>"],
    to: ["ada@b.example"],
    received: "2026-11-29T10:00:01.000Z",
    codes: ["804219"],
    links: [{ text: "Confirm", url: "https://shop.example/c" }],
    attachments: [{ name: "invoice.pdf", type: "application/pdf", bytes: 2048 }],
    text: "Subject: Your order\n\n## HTML\nHello",
    checks: [{ name: "Links", verdict: "bad", summary: "1 error", findings: ["error: A link has no target (#)"] }],
    events: [{ at: "2026-11-29T10:00:00.900Z", name: "Request", detail: "ESMTP from 127.0.0.1" }],
    problems: [],
    ...own,
  };
}

function testOf(own: Partial<TestRecord> = {}): TestRecord {
  return {
    version: 1,
    title: "shop › confirms an order",
    file: "test/order.test.ts",
    status: "passed",
    startedAt: "2026-11-29T10:00:00.000Z",
    endedAt: "2026-11-29T10:00:02.000Z",
    addresses: ["ada@b.example"],
    waits: [
      { title: 'wait for a message subject "Your order"', startedAt: "2026-11-29T10:00:00.500Z", durationMs: 620 },
    ],
    messages: [messageOf()],
    omittedCount: 0,
    problems: [],
    ...own,
  };
}

async function pageOf(tests: readonly TestRecord[], picture: Uint8Array | null = null): Promise<string> {
  const parts = await Array.fromAsync(reportPage({ tests, readPicture: async () => picture, version: "1.0.0" }));
  return parts.join("");
}

describe("the report of a run", () => {
  test("shows tests with result, time line and messages, with code, links, attachments and checks", async () => {
    const failed = testOf({
      title: "shop › cancels",
      status: "failed",
      waits: [
        { title: "wait for a message", startedAt: "2026-11-29T10:00:00Z", durationMs: 61_000, error: "No message" },
      ],
      omittedCount: 2,
    });
    const page = await pageOf([testOf(), failed]);
    for (const shown of [
      "<dt>Failed</dt><dd>1</dd>",
      "Wait for a message subject &quot;Your order&quot;",
      "met after 620 ms",
      "failed after 1 min 1 s",
      '<pre class="why" dir="auto">No message</pre>',
      "+0.900 s",
      '<code class="one-time">804219</code>',
      "https://shop.example/c",
      "application/pdf, 2.0 kB",
      "error: A link has no target (#)",
      "2 older messages left out",
    ])
      expect(page).toContain(shown);
  });

  test("has a policy that allows its own style sheet and pictures alone, and nothing that loads or runs", async () => {
    const page = await pageOf([testOf({ messages: [messageOf({ picture: pictureName })] })], png);
    const [, policy] = /<meta http-equiv="content-security-policy" content="([^"]*)">/.exec(page) ?? [];
    const [, style = ""] = /<style>([^]*?)<\/style>/.exec(page) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    expect(policy).toBe(
      `default-src &#39;none&#39;; img-src data:; style-src &#39;sha256-${hash}&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;`,
    );
    expect(page).toContain('<img src="data:image/png;base64,iVBORw=="');
    expect(page.match(/\s(?:src|href)="(?!#|data:)[^"]*"/g)).toBeNull();
    expect(page).not.toMatch(/<(?:script|link|iframe|object|form)\b|\sstyle=|\son\w+=/i);
  });

  test("shows texts of mails, runners and servers as text, whatever they contain", async () => {
    const hostile = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.constantFrom(
        "</title><script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "javascript:alert(1)",
        "\u202egnp.exe",
        "\0\u001b[31m",
      ),
    );
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        const message = messageOf({
          subject: text,
          from: [text],
          to: [text],
          received: text,
          codes: [text],
          links: [{ text, url: text }],
          attachments: [{ name: text, type: text, bytes: 1 }],
          text,
          checks: [{ name: text, verdict: "bad", summary: text, findings: [text] }],
          events: [{ at: text, name: text, detail: text }],
          problems: [text],
        });
        const waits = [{ title: text, startedAt: text, durationMs: 1, error: text }];
        const given = { title: text, file: text, startedAt: text, endedAt: text, addresses: [text], problems: [text] };
        const page = await pageOf([testOf({ ...given, waits, messages: [message] })]);
        const plain = await pageOf([testOf({ ...given, waits, messages: [message] })].map(harmless));
        expect(tagsOf(page)).toEqual(tagsOf(plain));
        expect(page).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });

  test("shows the text of a mail without a picture, and of those beyond the bytes of all pictures", async () => {
    const withPicture = messageOf({ picture: pictureName });
    expect(await pageOf([testOf({ messages: [withPicture] })])).not.toContain("<img");
    const parts = { tests: [testOf({ messages: [withPicture, withPicture] })], readPicture: async () => png };
    const page = await Array.fromAsync(reportPage({ ...parts, version: "1.0.0", pictureBytesMax: 2 * png.length - 1 }));
    expect(page.join("").split("<img")).toHaveLength(2);
  });

  test("has the colours and sizes of the web UI", () => {
    const tokens = readFileSync(new URL("../../web/styles/tokens.css", import.meta.url), "utf8");
    const differing = Object.entries(reportTokens).filter(([name, value]) => !tokens.includes(`--${name}: ${value};`));
    expect(differing).toEqual([]);
    const used = Array.from(reportStyle.matchAll(/var\(--([\w-]+)\)/g), ([, name]) => name);
    expect(new Set(used)).toEqual(new Set(Object.keys(reportTokens)));
  });
});

/** Replaces each text that the template `markup` would have to escape. */
function harmless(test: TestRecord): TestRecord {
  return JSON.parse(JSON.stringify(test), (_, value: unknown) =>
    typeof value === "string" && !["passed", "failed", "bad", "Email"].includes(value) ? "x" : value,
  ) as TestRecord;
}

/** Returns the names of the elements of a page with those of their attributes, in order. */
function tagsOf(page: string): readonly string[] {
  return Array.from(page.matchAll(/<(\/?\w+)((?:\s+[\w-]+(?:="[^"]*")?)*)\s*\/?>/g), ([, name = "", attributes = ""]) =>
    [name, ...Array.from(attributes.matchAll(/([\w-]+)(?==|\s|$)(?:="[^"]*")?/g), ([, one]) => one)].join(" "),
  );
}

describe("texts of reports", () => {
  test("escape values of a template, also within lists, and leave out null", () => {
    expect(markup`<p title="${`"'<`}">${["a&b", null, [markup`<b>${1}</b>`]]}</p>`.text).toBe(
      '<p title="&quot;&#39;&lt;">a&amp;b<b>1</b></p>',
    );
  });

  test("show durations, offsets, instants, sizes and numbers", () => {
    expect([durationText(999), durationText(1240), durationText(125_000)]).toEqual(["999 ms", "1.24 s", "2 min 5 s"]);
    expect([offsetText(1240), offsetText(-50)]).toEqual(["+1.240 s", "−0.050 s"]);
    expect([instantText("2026-11-29T10:00:00.900Z"), instantText("x")]).toEqual(["2026-11-29 10:00:00 UTC", "x"]);
    expect([sizeText(1023), sizeText(1536)]).toEqual(["1023 bytes", "1.5 kB"]);
    expect([countText(1, "test"), countText(2, "test")]).toEqual(["1 test", "2 tests"]);
  });
});
