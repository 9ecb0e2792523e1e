/** `restante report` of a server, with a key that only reads it: pictures, checks, events and hostile mail. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RestanteClient } from "../../src/client/client.ts";
import { chromiumPath } from "../../src/testing/chromium-path.test-aid.ts";
import { startHttpListener, type HttpListener } from "../../src/testing/http-listener.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import type { Ending } from "../../src/testing/service-process.ts";
import { runLocally } from "./local-command.ts";

const server = "report12";
const to = `ada@${server}.restante.test`;
const hostile = '"><script>alert(1)</script>';

let folder: string;
let application: HttpListener;
let service: LocalService;
let key: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-report-"));
  application = await startHttpListener(() => ({ status: 204 }));
  service = await LocalService.start([`--data-dir=${join(folder, "data")}`], {
    RESTANTE_API_KEY: "a-key-for-reports",
    RESTANTE_SERVERS: `${server}:Reports`,
    RESTANTE_CHROMIUM: await chromiumPath(),
  });
  const client = new RestanteClient({ url: service.url, apiKey: "a-key-for-reports" });
  ({ key } = await client.keys.create({ name: "Reports", server, scope: "read" }));
  await client.eventWebhooks.put({ server, provider: "sendgrid" }, { url: application.url });
  const transport = createTransport({ host: "127.0.0.1", port: service.smtpPort, ignoreTLS: true });
  await transport.sendMail({
    from: `${hostile} <shop@shop.example>`,
    to,
    subject: `Your order ${hostile}`,
    html: `<h1>Thanks</h1><p style="color:#ddd">Your code is 804219</p><a href="javascript:alert(1)">Pay</a><img src="cid:none">`,
    attachments: [{ filename: `${hostile}.pdf`, content: "x" }],
  });
  transport.close();
  const { items } = await client.messages.list(server);
  await client.messages.emitEvents(items[0]?.id ?? "", { provider: "sendgrid", types: ["opened", "clicked"] });
  await service.send(`bob@${server}.restante.test`, "Plain");
});
afterAll(async () => {
  await service.stop();
  await application[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

async function report(...flags: readonly string[]): Promise<Ending> {
  const environment = { RESTANTE_URL: service.url, RESTANTE_API_KEY: key, RESTANTE_RECORD: join(folder, "none") };
  return runLocally(["report", ...flags], { environment });
}

test("writes the mail of a server by recipient, as pictures with checks and events, and escapes what it contains", async () => {
  const file = join(folder, "report.html");
  const ending = await report(`--server=${server}`, `--out=${file}`);
  expect(ending).toMatchObject({ code: 0, out: `${file}: 2 recipients, 2 messages\n`, error: "" });
  const page = readFileSync(file, "utf8");
  expect(page.match(/<img src="data:image\/png;base64,iVBOR/g)).toHaveLength(1);
  expect(page).not.toContain("<script");
  expect(page).toContain("<dt>Recipients</dt><dd>2</dd>");
  expect(page).toContain("Your order &quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
  for (const shown of ["Opened", "Clicked", "Arrived", "Request", '<code class="one-time">804219</code>', "axe-core"])
    expect(page).toContain(shown);
  expect(page).toContain("Subject: Plain");
  const one = await report(`--server=${server}`, "--messages=1", `--out=${file}`);
  expect(one.out).toContain("1 recipient, 1 message\n");
  expect(existsSync(`${file}.part`)).toBe(false);
});

test("reports tests that runners record by a command, and removes their record", async () => {
  const [record, file, out] = [join(folder, "record"), join(folder, "test.json"), join(folder, "run.html")];
  const environment = { RESTANTE_URL: service.url, RESTANTE_API_KEY: key, RESTANTE_RECORD: record };
  const waits = [
    { title: "wait for one message", startedAt: "2026-11-29T10:00:00Z", durationMs: 40, error: "No match" },
  ];
  const ended = { title: "test_order", status: "failed", startedAt: "2026-11-29T10:00:00Z", addresses: [to], waits };
  writeFileSync(file, JSON.stringify(ended));
  const run = async (...argv: readonly string[]): Promise<Ending> => runLocally(argv, { environment });
  expect(await run("record", file, `--server=${server}`)).toMatchObject({ code: 0, out: "", error: "" });
  expect((await run("report", `--out=${out}`, "--remove")).out).toBe(`${out}: 1 test, 1 message, 1 failed\n`);
  expect(readFileSync(out, "utf8")).toContain("No match");
  expect(existsSync(record)).toBe(false);
  writeFileSync(file, "{}");
  const wrong = await run("record", file, `--server=${server}`);
  expect([wrong.code, wrong.error]).toEqual([1, expect.stringContaining("title: ")]);
});

test("says what is missing or wrong, by its exit code and in words", async () => {
  const out = `--out=${join(folder, "wrong.html")}`;
  expect(await report(out)).toMatchObject({
    code: 1,
    error: expect.stringContaining(`No test recorded its mail in ${join(folder, "none")}`) as string,
  });
  const nobody = await report(out, `--server=${server}`, "--since=2100-01-01T00:00:00Z");
  expect([nobody.code, nobody.error]).toEqual([1, `restante: The server ${server} has no such messages\n`]);
  const foreign = await report(out, "--server=other123");
  expect([foreign.code, foreign.error]).toEqual([1, expect.stringContaining("not found")]);
  for (const flags of [
    ["--since=2026-01-01"],
    [`--server=${server}`, "--messages=0"],
    [`--server=${server}`, "--remove"],
  ])
    expect((await report(out, ...flags)).code).toBe(2);
  expect(existsSync(join(folder, "wrong.html"))).toBe(false);
});
