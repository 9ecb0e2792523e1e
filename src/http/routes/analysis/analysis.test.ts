import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LintReport } from "../../../core/lint.ts";
import { openHttpTestServer } from "../../../testing/http-test-server.test-aid.ts";
import type { HttpTestServer, TestServer } from "../../../testing/http-test-server.test-aid.ts";
import { until } from "../../../testing/until.test-aid.ts";
import type { MailReports } from "../../../core/mail-reports.ts";
import { dmarcSamples } from "../../../testing/dmarc-reports.test-aid.ts";
import { deliverySamples, dispositionMail, reportedMessageId } from "../../../testing/mail-reports.test-aid.ts";
import { createSigner, signMail } from "../../../testing/sign-mail.ts";
import type { BudgetReport } from "../../../core/mail-budget.ts";
import type { WireDeliverability, WireSpamAnalysis } from "../../wire/lint-schema.ts";

let api: HttpTestServer;
let server: TestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const signer = createSigner("shop.example");
const mail = signMail(
  "From: Shop <news@shop.example>\r\nTo: you@there.example\r\nSubject: Your order\r\nDate: Thu, 01 Jan 2026 00:00:00 +0000\r\nMessage-ID: <1@shop.example>\r\nContent-Type: text/html\r\n\r\n<html><body><p>Your order is on its way to you, and will be there soon.</p><img src=x.png></body></html>\r\n",
  signer,
  ["from", "to", "subject"],
);
const zone = `
shop.example. TXT "v=spf1 ip4:198.51.100.7 -all"
shop.example. A 198.51.100.7
shop.example. MX 10 mx.shop.example.
_dmarc.shop.example. TXT "v=DMARC1; p=reject"
7.100.51.198.in-addr.arpa. PTR mx.shop.example.
${signer.zoneLine}
`;

const deliver = (raw = mail) =>
  api.deliver(server, {
    raw,
    mailFrom: "bounce@shop.example",
    session: { clientAddress: "198.51.100.7", ehlo: "mx.shop.example" },
  });

describe("POST /api/analysis/budget/:id", () => {
  const html = `<html lang="en"><body>
<p style="color:#ccc;background:#fff">Pale</p>
<p style="display:flex">Hello</p>
<a href="https://shop.example/a">one</a> <a href="htp://shop.example">two</a>
<img src="https://shop.example/1.png" alt="1"><img src="https://shop.example/2.png" alt="2">
</body></html>`;
  const raw = `From: a@shop.example\r\nTo: you@there.example\r\nSubject: BUY NOW!!!\r\nContent-Type: text/html\r\n\r\n${html}\r\n`;
  const judge = async (body: object, mailText = raw) => {
    const id = await deliver(mailText);
    return (await api.ask(`POST /api/analysis/budget/${id}`, { key: server.key, body })).json<BudgetReport>();
  };

  test.each<[string, object, object]>([
    ["maxHtmlKb", { maxHtmlKb: 102 }, { maxHtmlKb: 0.1 }],
    ["maxImages", { maxImages: 2 }, { maxImages: 1 }],
    ["maxLinks", { maxLinks: 2 }, { maxLinks: 1 }],
    ["maxAttachmentsKb", { maxAttachmentsKb: 0 }, {}],
    ["support Apple Mail (macOS)", { support: [{ client: "apple mail (macos)", percentMin: 100 }] }, {}],
    ["support Outlook (Windows)", {}, { support: [{ client: "outlook (windows)", percentMin: 100 }] }],
    ["spamScore", { spamScore: 100 }, { spamScore: -100 }],
    ["contrast", {}, { contrast: "AA" }],
    ["links", {}, { links: "valid" }],
    ["lint", {}, { lint: "warning" }],
  ])("judges %s", async (rule, met, exceeded) => {
    const verdictOf = async (body: object) => (await judge(body)).verdicts.find((one) => one.rule === rule);
    if (Object.keys(met).length > 0) expect(await verdictOf(met)).toMatchObject({ isMet: true, findings: [] });
    if (Object.keys(exceeded).length === 0) return;
    const verdict = await verdictOf(exceeded);
    expect(verdict).toMatchObject({ isMet: false });
  });

  test("shows the place of a finding in the HTML", async () => {
    const { isMet, verdicts } = await judge({ maxImages: 1, maxLinks: 0, maxHtmlKb: 1 });
    expect([isMet, verdicts.map(({ isMet: own }) => own)]).toEqual([false, [true, false, false]]);
    expect(verdicts[1]?.findings).toEqual([
      { message: "Is more than the limit", subject: "https://shop.example/2.png", line: 5 },
    ]);
    expect(verdicts[2]?.findings.map(({ line }) => line)).toEqual([4, 4]);
  });

  test("meets an empty budget", async () => {
    expect(await judge({})).toEqual({ isMet: true, verdicts: [] });
  });

  test.each([
    ["an unknown limit", { maxImage: 1 }, "maxImage"],
    ["an unknown email client", { support: [{ client: "outlok", percentMin: 1 }] }, "support[0].client"],
    ["a negative limit", { maxLinks: -1 }, "maxLinks"],
    ["reachable links without the operator's permission", { links: "reachable" }, "links"],
  ])("responds 400 to %s", async (_, body, field) => {
    const reply = await api.ask(`POST /api/analysis/budget/${await deliver(raw)}`, { body });
    expect([reply.statusCode, reply.json<{ errors: { field: string }[] }>().errors[0]?.field]).toEqual([400, field]);
  });
});

describe("POST /api/analysis/snapshot/:id", () => {
  test("describes a mail as text, with recipients, server and named values masked", async () => {
    const raw = `From: Shop <a@shop.example>\r\nTo: ada@${server.id}.restante.example.com\r\nSubject: Order A-1234\r\n\r\nFor ada@${server.id}.restante.example.com: 804219\r\nHello ${server.id}\r\n`;
    const id = await api.deliver(server, { raw, to: `ada@${server.id}.restante.example.com` });
    const reply = await api.ask(`POST /api/analysis/snapshot/${id}`, {
      key: server.key,
      body: { mask: [{ name: "order", value: "A-1234" }], headers: ["To"] },
    });
    expect([reply.statusCode, reply.headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(reply.body).toBe(
      "Subject: Order {order}\nFrom: Shop <a@shop.example>\nTo: {recipient}\n\n## Plain text\nFor {recipient}: {*}\nHello {server}\n",
    );
  });

  test.each([
    ["a name with blanks", { mask: [{ name: "my order", value: "x" }] }, "mask[0].name"],
    ["an empty value", { mask: [{ name: "order", value: "" }] }, "mask[0].value"],
    ["101 values", { mask: Array.from({ length: 101 }, () => ({ name: "order", value: "x" })) }, "mask"],
    ["a header field with a colon", { headers: ["To:"] }, "headers[0]"],
    ["an unknown member", { masks: [] }, "masks"],
  ])("responds 400 to %s", async (_, body, field) => {
    const reply = await api.ask(`POST /api/analysis/snapshot/${await deliver()}`, { body });
    expect(reply.statusCode).toBe(400);
    expect(reply.json<{ errors: { field: string }[] }>().errors.map((one) => one.field)).toEqual([field]);
  });
});

describe("GET /api/analysis/deliverability/:id", () => {
  test("checks the bytes, the session and the server's zone", async () => {
    await api.ask(`PUT /api/servers/${server.id}/dns`, { body: { zone } });
    const reply = await api.ask(`GET /api/analysis/deliverability/${await deliver()}`, { key: server.key });
    const report = reply.json<WireDeliverability>();
    expect(reply.statusCode).toBe(200);
    expect([report.spf, ...report.dkim, report.dmarc, report.arc].map(({ result }) => result)).toEqual(
      Array(4).fill("Pass"),
    );
    expect(report.dnsRecords).toEqual({ a: ["198.51.100.7"], mx: ["mx.shop.example"], ptr: ["mx.shop.example"] });
    expect(report.content).toEqual({
      embed: false,
      iframe: false,
      object: false,
      script: false,
      shortUrls: false,
      missingAlt: true,
      missingListUnsubscribe: true,
      textSize: 56,
      totalSize: Buffer.byteLength(mail),
    });
    expect(report.dns).toBe("fixtures");
    await api.ask(`DELETE /api/servers/${server.id}/dns`);
  });

  test("returns Timeout for checks that need DNS when there is none", async () => {
    const report = (await api.ask(`GET /api/analysis/deliverability/${await deliver()}`)).json<WireDeliverability>();
    expect([report.spf.result, report.dkim[0]?.result, report.dmarc.result, report.dns]).toEqual([
      "Timeout",
      "Timeout",
      "Timeout",
      "off",
    ]);
    expect(report.dnsRecords).toEqual({ a: [], mx: [], ptr: [] });
  });

  test.each([
    ["a good one", mail],
    ["one without anything", "\r\n\r\n"],
    ["unsigned plain text", "From: a@b.example\r\n\r\nhi\r\n"],
  ])("has the members that the official libraries read: %s", async (_, raw) => {
    const reply = await api.ask(`GET /api/analysis/deliverability/${await deliver(raw)}`);
    const report = reply.json<WireDeliverability>();
    expect(Object.keys(report).slice(0, 7)).toEqual([
      "spf",
      "dkim",
      "dmarc",
      "blockLists",
      "content",
      "dnsRecords",
      "spamAssassin",
    ]);
    expect(report.dkim.length).toBeGreaterThan(0);
    expect(report.blockLists.length).toBeGreaterThan(0);
    for (const verdict of [report.spf, ...report.dkim, report.dmarc, report.arc, report.bimi]) {
      expect(["Pass", "Warning", "Fail", "Timeout"]).toContain(verdict.result);
      expect([typeof verdict.description, typeof verdict.rawValue]).toEqual(["string", "string"]);
      expect(Object.entries(verdict.tags).every(([, value]) => typeof value === "string")).toBe(true);
    }
    for (const { id, name, result } of report.blockLists) {
      expect([id === "", name === "", ["Pass", "Warning", "Fail", "Timeout"].includes(result)]).toEqual([
        false,
        false,
        true,
      ]);
    }
    expect(Object.values(report.content).filter((value) => typeof value === "boolean")).toHaveLength(7);
    expect(report.content.totalSize).toBeGreaterThan(0);
    // .NET and Go read the score as an integer and reject 1.0; Ruby requires the scores of rules to be floats.
    expect(reply.body).toMatch(/"spamAssassin":\{"score":-?\d+,"result":"(?:Pass|Warning|Fail)","rules":\[/);
    const scores = Array.from(
      reply.body.matchAll(/\{"score":([^,]+),"rule":"\w+","description":"[^"]/g),
      ([, score]) => score,
    );
    expect(scores).toHaveLength(report.spamAssassin.rules.length);
    for (const score of scores) expect(score).toMatch(/^-?\d+\.\d+$/);
  });
});

describe("GET /api/analysis/spam/:id", () => {
  test("returns rules with float scores, their sum, and the engine", async () => {
    const reply = await api.ask(
      `GET /api/analysis/spam/${await deliver("From: a@b.example\r\nSubject: Hi\r\n\r\nhello\r\n")}`,
    );
    const { spamFilterResults, score, engine, engineProblem } = reply.json<WireSpamAnalysis>();
    expect(spamFilterResults.spamAssassin.map(({ rule }) => rule)).toEqual([
      "MISSING_DATE",
      "MISSING_TO",
      "MISSING_MESSAGE_ID",
    ]);
    expect([score, engine, engineProblem]).toEqual([2.7, "restante", null]);
    expect(reply.body).toContain('"score":1.4,"rule":"MISSING_DATE"');
    expect(reply.body).toMatch(/"score":2\.7,"engine"/);
  });

  test("writes an integer score with a decimal point", async () => {
    const gtube = "XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X";
    const raw = `From: a@b.example\r\nTo: c@d.example\r\nSubject: x\r\nDate: Thu, 01 Jan 2026 00:00:00 +0000\r\nMessage-ID: <1@b.example>\r\n\r\n${gtube}\r\n`;
    expect((await api.ask(`GET /api/analysis/spam/${await deliver(raw)}`)).body).toContain(
      '"score":1000.0,"rule":"GTUBE"',
    );
  });

  test("uses the configured filter, and reports why when it does not respond", async () => {
    let isThere = true;
    const rules = [{ rule: "FROM_SPAMD", score: 6, description: "Says so" }];
    const judge = () =>
      isThere ? Promise.resolve({ score: 6, threshold: 5, rules }) : Promise.reject(new Error("nobody listens"));
    await using own = await openHttpTestServer({ context: { spamFilter: { name: "SpamAssassin", judge } } });
    const id = await own.deliver(await own.addServer());
    expect((await own.ask(`GET /api/analysis/spam/${id}`)).json()).toEqual({
      spamFilterResults: { spamAssassin: rules },
      score: 6,
      engine: "SpamAssassin",
      engineProblem: null,
    });
    const { spamAssassin } = (await own.ask(`GET /api/analysis/deliverability/${id}`)).json<WireDeliverability>();
    expect(spamAssassin).toMatchObject({ score: 6, result: "Fail", engine: "SpamAssassin" });
    isThere = false;
    const { engine, engineProblem } = (await own.ask(`GET /api/analysis/spam/${id}`)).json<WireSpamAnalysis>();
    expect([engine, engineProblem]).toEqual(["restante", "nobody listens"]);
  });
});

describe("GET /api/analysis/lint/:id", () => {
  test("returns findings, most severe first, and their counts", async () => {
    const report = (await api.ask(`GET /api/analysis/lint/${await deliver()}`)).json<LintReport>();
    const found = new Map(report.findings.map((one) => [one.rule, one]));
    expect(found.get("image-alt")).toEqual({
      rule: "image-alt",
      severity: "error",
      category: "accessibility",
      message: "An image has no alt text",
      subject: '<img src="x.png">',
    });
    expect([...found.keys()]).toEqual(expect.arrayContaining(["html-lang", "text-twin", "list-unsubscribe"]));
    expect(report.counts.error).toBe(report.findings.filter(({ severity }) => severity === "error").length);
    const order = report.findings.map(({ severity }) => ["error", "warning", "info"].indexOf(severity));
    expect(order).toEqual(order.toSorted((one, other) => one - other));
  });

  test("replaces the service's own accessibility rules by those of axe-core", async () => {
    const reported = {
      rule: "axe-image-alt",
      severity: "error",
      category: "accessibility",
      message: "m",
      subject: "<img>",
    } as const;
    const audit = async () => ({ engine: "axe-core 9.9.9", findings: [reported], rules: [] });
    const { renderer } = api.context;
    await using own = await openHttpTestServer({ context: { renderer: { ...renderer, audit } } });
    const id = await own.deliver(await own.addServer(), { raw: mail });
    const report = (await own.ask(`GET /api/analysis/lint/${id}`)).json<LintReport>();
    expect(report.accessibility).toEqual({ engine: "axe-core 9.9.9", engineProblem: null });
    const rules = report.findings.map(({ rule }) => rule);
    expect(rules.filter((rule) => rule.endsWith("image-alt"))).toEqual(["axe-image-alt"]);
    expect(rules).not.toContain("html-lang");
    expect(rules).toContain("text-twin");
    expect(report.counts.error).toBe(report.findings.filter(({ severity }) => severity === "error").length);
  });

  test("drops the queued analysis of a caller that disconnects", async () => {
    const { inspector } = api.context;
    const signals: (AbortSignal | undefined)[] = [];
    const inspect = async (...[, , { signal }]: Parameters<typeof inspector.inspect>): Promise<never> => {
      signals.push(signal);
      return new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => {
          reject(new Error("left"));
        });
      });
    };
    await using own = await openHttpTestServer({
      context: { inspector: { ...inspector, inspect, close: async () => undefined } },
    });
    const id = await own.deliver(await own.addServer(), { raw: mail });
    const listener = own.app.createListener().listen(0, "127.0.0.1");
    await once(listener, "listening");
    const base = `http://127.0.0.1:${String((listener.address() as AddressInfo).port)}`;
    const abort = new AbortController();
    const pending = ["lint", "spam", "deliverability"].map(async (kind) =>
      fetch(`${base}/api/analysis/${kind}/${id}`, {
        headers: { authorization: `Bearer ${own.accountKey}` },
        signal: abort.signal,
      }).catch(() => undefined),
    );
    await until(() => signals.length >= 4);
    abort.abort();
    await Promise.all(pending);
    await until(() => signals.every((signal) => signal?.aborted === true));
    expect(signals).toHaveLength(4);
  });

  test("falls back to the service's own rules when the browser fails, is missing or is busy, and reports it", async () => {
    const { renderer } = api.context;
    const judgeOf = async (own: HttpTestServer): Promise<LintReport["accessibility"]> => {
      const id = await own.deliver(await own.addServer(), { raw: mail });
      const idle = own.clock.appointmentCount;
      const pending = own.ask(`GET /api/analysis/lint/${id}`);
      await Promise.race([pending, until(() => own.clock.appointmentCount > idle)]);
      own.clock.advance(15_000);
      const report = (await pending).json<LintReport>();
      expect(report.findings.map(({ rule }) => rule)).toContain("image-alt");
      return report.accessibility;
    };
    const problemWith = async (changes: Partial<typeof renderer>): Promise<unknown> => {
      await using own = await openHttpTestServer({ context: { renderer: { ...renderer, ...changes } } });
      const { engine, engineProblem } = await judgeOf(own);
      expect(engine).toBe("restante");
      return engineProblem;
    };
    expect(await problemWith({})).toBe("There is no browser here");
    expect(await problemWith({ problem: async () => "Get one" })).toBe("Get one");
    expect(await problemWith({ audit: () => new Promise(() => undefined) })).toBe("The browser was not free in time");
  });

  test("judges a profile, with sender authentication where DNS answers", async () => {
    const own = await api.addServer();
    const id = await api.deliver(own, { raw: mail });
    const report = async (): Promise<readonly string[]> => {
      const reply = await api.ask(`GET /api/analysis/lint/${id}?profile=bulk-sender`);
      const { profile } = reply.json<LintReport>();
      expect(profile?.verdict).toBe("fail");
      return (profile?.requirements ?? []).map((one) => `${one.id} ${one.result}`);
    };
    expect(await report()).toEqual(expect.arrayContaining(["dmarc not_judged", "unsubscribe fail", "dns not_judged"]));
    await api.ask(`PUT /api/servers/${own.id}/dns`, { body: { zone: "a.example. TXT x" } });
    expect(await report()).toContain("dmarc fail");
    expect((await api.ask(`GET /api/analysis/lint/${id}`)).json<LintReport>().profile).toBeUndefined();
    const unknown = await api.ask(`GET /api/analysis/lint/${id}?profile=other`);
    expect(unknown.json()).toMatchObject({ status: 400, errors: [{ field: "profile" }] });
  });

  test("responds 400 for live links without the operator's permission and for unknown values", async () => {
    const id = await deliver();
    for (const links of ["live", "other"]) {
      const reply = await api.ask(`GET /api/analysis/lint/${id}?links=${links}`);
      expect(reply.json()).toMatchObject({ status: 400, errors: [{ field: "links" }] });
    }
  });

  test("requests each live link once when it is allowed", async () => {
    const pending: string[] = [];
    const probeLink = async (url: string) => {
      pending.push(url);
      return url.includes("dead")
        ? { status: 404, problem: "The link responds with status 404" }
        : { status: 200, problem: null };
    };
    await using own = await openHttpTestServer({ context: { probeLink } });
    const text = "See https://a.example/fine and https://a.example/dead and https://a.example/fine again.\r\n";
    const id = await own.deliver(await own.addServer(), { text });
    const report = (await own.ask(`GET /api/analysis/lint/${id}?links=live`)).json<LintReport>();
    expect(pending.toSorted()).toEqual(["https://a.example/dead", "https://a.example/fine"]);
    expect(report.findings.filter(({ rule }) => rule === "link-dead")).toEqual([
      {
        rule: "link-dead",
        severity: "error",
        category: "links",
        message: "The link responds with status 404",
        subject: "https://a.example/dead",
      },
    ]);
    expect(report.counts.error).toBe(report.findings.filter(({ severity }) => severity === "error").length);
  });
});

describe("GET /api/analysis/reports/:id", () => {
  const reportsOf = async (id: string, key = server.key) =>
    (await api.ask(`GET /api/analysis/reports/${id}`, { key })).json<MailReports>();

  test("returns the reports of a mail, and none for other mails", async () => {
    const { dmarc } = await reportsOf(await deliver(dmarcSamples[0]?.raw));
    expect(dmarc).toMatchObject([{ organization: "google.com", counts: { messages: 15, passed: 12 } }]);
    const { problems, ...others } = await reportsOf(await deliver());
    expect([problems, Object.values(others).flat()]).toEqual([[], [null]]);
  });

  test("finds the mail that a report is about on its own server only", async () => {
    const own = await api.addServer();
    const other = await api.addServer();
    const named = (messageId: string): string => `From: a@b.example\r\nMessage-ID: ${messageId}\r\n\r\nAn order.\r\n`;
    await api.deliver(other, { raw: named(reportedMessageId) });
    // The search for a part of a value finds this one, too.
    await api.deliver(own, { raw: named(`<x${reportedMessageId.slice(1)}`) });
    const report = await api.deliver(own, { raw: deliverySamples["Gmail"] ?? "" });
    expect((await reportsOf(report, own.key)).original).toMatchObject({ messageId: reportedMessageId, ids: [] });
    const original = await api.deliver(own, { raw: named(reportedMessageId) });
    const read = await api.deliver(own, { raw: dispositionMail });
    for (const id of [report, read]) {
      expect((await reportsOf(id, own.key)).original).toMatchObject({ messageId: reportedMessageId, ids: [original] });
    }
  });
});

describe.each(["spam", "deliverability", "lint", "reports"])("GET /api/analysis/%s/:id", (kind) => {
  test.each(["nonsense", "00000000-0000-4000-8000-000000000000"])("responds 404 for %s", async (id) => {
    expect((await api.ask(`GET /api/analysis/${kind}/${id}`)).statusCode).toBe(404);
  });

  test("responds 404 for a deleted message and for one of another server", async () => {
    const id = await deliver();
    const other = await api.addServer();
    expect((await api.ask(`GET /api/analysis/${kind}/${id}`, { key: other.key })).statusCode).toBe(404);
    await api.ask(`DELETE /api/messages/${id}`);
    expect((await api.ask(`GET /api/analysis/${kind}/${id}`)).statusCode).toBe(404);
  });
});
