/** Devices, usage and analyses as the official Node library calls them: through the tunnel, over HTTPS. */
import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import MailosaurClient from "mailosaur";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  openHttpTestServer,
  type HttpTestServer,
  type TestServer,
} from "../../src/testing/http-test-server.test-aid.ts";
import { throwAwayCertificate } from "../../src/testing/throw-away-certificate.ts";
import { storeUnderTest } from "./store-under-test.ts";

let api: HttpTestServer;
let server: TestServer;
let client: MailosaurClient;
let trusted: readonly string[];

beforeAll(async () => {
  api = await openHttpTestServer(await storeUnderTest());
  server = await api.addServer();
  const { ca, secureContext } = throwAwayCertificate();
  trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, ca]);
  const secure = api.app.createSecureListener({
    SNICallback: (_name, done) => {
      done(null, secureContext);
    },
  });
  const to = { host: "127.0.0.1", port: await listen(secure) };
  // The library always connects to port 443, through a proxy if one is configured.
  const port = await listen(api.app.createListener({ to, targets: ["localhost:443"] }));
  process.env["HTTPS_PROXY"] = `http://127.0.0.1:${port}`;
  client = new MailosaurClient(api.accountKey, "https://localhost/");
});
afterAll(async () => {
  delete process.env["HTTPS_PROXY"];
  setDefaultCACertificates([...trusted]);
  await api[Symbol.asyncDispose]();
});

async function listen(listener: Server): Promise<number> {
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  return (listener.address() as AddressInfo).port;
}

describe("devices", () => {
  test("are created, listed, queried for a one-time password, and deleted", async () => {
    const made = await client.devices.create({ name: "My test", sharedSecret: "ONSWG4TFOQYTEMY=" });
    expect(made.name).toBe("My test");
    const listed = (await client.devices.list()).items ?? [];
    expect(listed.some(({ id }) => id === made.id)).toBe(true);
    const byId = await client.devices.otp(made.id ?? "");
    const bySecret = await client.devices.otp("ONSWG4TFOQYTEMY=");
    expect(byId.code).toHaveLength(6);
    expect(bySecret.code).toBe(byId.code);
    expect(new Date(String(byId.expires)).getTime()).toBe(api.clock.now() + 30_000);
    await client.devices.del(made.id ?? "");
    expect(((await client.devices.list()).items ?? []).some(({ id }) => id === made.id)).toBe(false);
    await expect(client.devices.otp(made.id ?? "")).rejects.toMatchObject({
      errorType: "invalid_request",
      httpStatusCode: 404,
    });
  });
});

describe("usage", () => {
  test("returns limits above one and at least two transactions", async () => {
    const { servers, users, email, sms } = await client.usage.limits();
    for (const one of [servers, users, email, sms]) expect(one?.limit ?? 0).toBeGreaterThan(1);
    const { items = [] } = await client.usage.transactions();
    expect(items.length).toBeGreaterThan(1);
    for (const { timestamp, email: mails, sms: texts } of items) {
      expect(Number.isNaN(new Date(String(timestamp)).getTime())).toBe(false);
      expect([typeof mails, typeof texts]).toEqual(["number", "number"]);
    }
  });
});

describe("analyses", () => {
  test("returns spam rules with names and scores", async () => {
    const { spamFilterResults } = await client.analysis.spam(await api.deliver(server));
    for (const { rule, description, score } of spamFilterResults?.spamAssassin ?? []) {
      expect([rule === "", description === "", typeof score]).toEqual([false, false, "number"]);
    }
    expect(spamFilterResults?.spamAssassin?.length).toBeGreaterThan(0);
  });

  test("returns every member of a deliverability report that the library's own tests check", async () => {
    const report = await client.analysis.deliverability(await api.deliver(server));
    expect(report.dkim?.length).toBeGreaterThan(0);
    expect(report.blockLists?.length).toBeGreaterThan(0);
    for (const check of [report.spf, report.dmarc, ...(report.dkim ?? [])]) expect(check?.tags).toBeTypeOf("object");
    for (const list of report.blockLists ?? []) expect([list.id, list.name]).not.toContain("");
    const content = Object.entries(report.content ?? {});
    const flags = content.filter(([, value]) => typeof value === "boolean").map(([name]) => name);
    const wanted = ["embed", "iframe", "missingAlt", "missingListUnsubscribe", "object", "script", "shortUrls"];
    expect(flags.toSorted()).toEqual(wanted);
    expect(content.filter(([, value]) => typeof value === "number" && value > 0)).toHaveLength(2);
    expect(report.dnsRecords?.a).toBeInstanceOf(Array);
    expect(report.spamAssassin?.rules).toBeInstanceOf(Array);
  });
});
