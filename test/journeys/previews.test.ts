/** Previews and accessibility audits: the official Node library, a complete service, an auto-detected browser. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import MailosaurClient from "mailosaur";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LintReport } from "../../src/core/lint.ts";
import { startRestante, type Restante } from "../../src/testing/start-restante.ts";

let service: Restante;
let client: MailosaurClient;

beforeAll(async () => {
  service = await startRestante({ chromium: "auto" });
  setDefaultCACertificates([...getCACertificates("default"), readFileSync(service.caFile ?? "", "utf8")]);
  process.env["HTTPS_PROXY"] = service.url;
  client = new MailosaurClient(service.apiKey);
});
afterAll(async () => {
  delete process.env["HTTPS_PROXY"];
  await service.stop();
});

const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Sends a message; resolves with its id. */
async function send(html: string): Promise<string> {
  const transport = createTransport({ ...service.smtp, tls: { rejectUnauthorized: false } });
  const to = service.emailAddress();
  const attachments = [{ filename: "dot.png", content: dot, cid: "dot@shop" }];
  await transport.sendMail({ from: "Shop <shop@shop.example>", to, subject: "Your order", html, attachments });
  transport.close();
  const { id = "" } = await client.messages.get(service.serverId, { sentTo: to });
  return id;
}

async function lint(id: string): Promise<LintReport> {
  const headers = { authorization: `Bearer ${service.apiKey}` };
  return (await (await fetch(`${service.url}/api/analysis/lint/${id}`, { headers })).json()) as LintReport;
}

function pngSizeOf(png: Buffer): readonly [string, number, number] {
  return [png.toString("latin1", 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)];
}

const page =
  '<!doctype html><html lang="en"><head><title>Order</title></head><body><h1>Your order</h1><p style="color:#ccc">It is on its way.</p><img src="cid:dot@shop" width="100" height="100"></body></html>';

describe("previews", () => {
  test("are listed, generated and fetched by the official library", async () => {
    const { items: programs = [] } = await client.previews.listEmailClients();
    const labels = programs.map(({ label }) => label ?? "");
    expect(labels).toContain("iphone-16plus-applemail-lightmode-portrait");
    expect(programs.every(({ name }) => name !== undefined && name !== "")).toBe(true);

    const id = await send(page);
    const emailClients = ["iphone-16plus-applemail-lightmode-portrait", "OL2021", "web-gmail-lightmode-imagesblocked"];
    const { items = [] } = await client.messages.generatePreviews(id, { emailClients });
    expect(items.map(({ disableImages }) => disableImages)).toEqual([false, false, true]);
    const [iphone, outlook, blocked] = await Promise.all(items.map((one) => client.files.getPreview(one.id ?? "")));
    expect(pngSizeOf(Buffer.from(iphone ?? ""))).toEqual(["PNG", 1290, 2796]);
    expect(pngSizeOf(Buffer.from(outlook ?? ""))).toEqual(["PNG", 900, 700]);
    expect(pngSizeOf(Buffer.from(blocked ?? ""))).toEqual(["PNG", 1000, 700]);

    await client.messages.del(id);
    await expect(client.files.getPreview(items[0]?.id ?? "")).rejects.toMatchObject({
      errorType: "gone",
      httpStatusCode: 410,
    });
  });

  test("sends no request for a preview with remote content", async () => {
    let asked = 0;
    const web = createServer((_request, response) => {
      asked += 1;
      response.end();
    });
    await once(web.listen(0, "127.0.0.1"), "listening");
    const at = `http://127.0.0.1:${String((web.address() as AddressInfo).port)}`;
    const id = await send(
      `<link rel=stylesheet href="${at}/a.css"><img src="${at}/b.png"><p style="background:url(${at}/c)">x`,
    );
    const emailClients = ["macos-applemail-lightmode"];
    const { items = [] } = await client.messages.generatePreviews(id, { emailClients });
    expect((await client.files.getPreview(items[0]?.id ?? "")).length).toBeGreaterThan(1000);
    await lint(id);
    web.close();
    expect(asked).toBe(0);
  });
});

describe("lint", () => {
  test("uses axe-core on the rendered message instead of the built-in accessibility rules", async () => {
    const { accessibility, findings, counts } = await lint(await send(page));
    expect(accessibility.engine).toMatch(/^axe-core 4\./);
    expect(accessibility.engineProblem).toBeNull();
    const rules = findings.filter(({ category }) => category === "accessibility").map(({ rule }) => rule);
    expect(rules.toSorted()).toEqual(["axe-color-contrast", "axe-image-alt"]);
    expect(counts.error).toBe(findings.filter(({ severity }) => severity === "error").length);
  });

  test("falls back to the built-in rules without a browser, and reports it", async () => {
    await using own = await startRestante();
    const transport = createTransport({ ...own.smtp, tls: { rejectUnauthorized: false } });
    await transport.sendMail({ from: "a@b.example", to: own.emailAddress("x"), subject: "x", html: page });
    transport.close();
    const headers = { authorization: `Bearer ${own.apiKey}` };
    const list = await fetch(`${own.url}/api/messages?server=${own.serverId}`, { headers });
    const [message] = (await list.json()) as { id: string }[];
    const answer = await fetch(`${own.url}/api/analysis/lint/${message?.id}`, { headers });
    const { accessibility, findings } = (await answer.json()) as LintReport;
    expect(accessibility).toEqual({
      engine: "restante",
      engineProblem: "Previews are disabled by RESTANTE_CHROMIUM=off",
    });
    expect(findings.map(({ rule }) => rule)).toEqual(expect.arrayContaining(["image-alt", "text-contrast"]));
  });
});
