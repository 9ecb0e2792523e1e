/** Services whose certificate is issued by an authority with ACME. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type ConnectionOptions } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startService, type RunningService } from "../../src/app/service.ts";
import { configFrom } from "../../src/app/settings/config.ts";
import { AcmeTestServer } from "../../src/testing/acme-server.test-aid.ts";
import { freePort } from "../../src/testing/free-port.test-aid.ts";
import { testDatabaseUrl } from "../../src/store/postgres/postgres.test-aid.ts";
import { SmtpDialogue } from "../../src/testing/smtp-dialogue.ts";

const key = "an-account-key-of-this-journey";
const names = ["mx.corp.example", "mta-sts.corp.example"];

const settings = {
  httpPort: 0,
  httpsPort: 0,
  smtpPort: 0,
  apiKey: key,
  log: "silent",
  mx: "mx.corp.example",
  mailDomain: "corp.example",
  smtpStarttls: "always",
} as const;

let folder: string;
let authority: AcmeTestServer;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-acme-"));
  authority = await AcmeTestServer.open();
});
afterEach(async () => {
  await authority[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Resolves when the status shows that the certificate was issued, and rejects with the reason when it was not. */
async function issued(service: RunningService): Promise<void> {
  for (;;) {
    const response = await fetch(`${service.url}/api/status`, { headers: { authorization: `Bearer ${key}` } });
    const text = await response.text();
    if (/"task":"acme_certificate","state":"ok"/.test(text)) return;
    if (/"task":"acme_certificate","state":"failing"/.test(text)) throw new Error(text);
  }
}

/** Returns the serial number of the certificate of the HTTPS listener, which must be valid for a name. */
async function serialOf({ ports }: RunningService, servername: string, own: ConnectionOptions = {}): Promise<string> {
  const socket = connect({ port: ports.https ?? 0, servername, ca: authority.ca, ...own });
  await once(socket, "secureConnect");
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

test("issues a certificate to a started service, which all listeners use at once and after a restart", async () => {
  authority.challengePort = await freePort();
  const config = configFrom({
    ...settings,
    dataDir: folder,
    acme: authority.directory,
    acmePort: authority.challengePort,
  });
  for (const _ of ["first start", "second start"]) {
    const service = await startService(config, { durable: false });
    await issued(service);
    const { ca } = authority;
    for (const servername of names) {
      expect(await serialOf(service, servername)).toMatch(/./);
      await using dialogue = await SmtpDialogue.connect(service.ports.smtp ?? 0);
      await dialogue.expect("220 mx.corp.example ");
      await dialogue.play(["EHLO sender.example", "250"], ["STARTTLS", "220"]);
      await dialogue.secure({ servername, ca });
      await dialogue.play(["EHLO sender.example", "250"], ["QUIT", "221"]);
    }
    const base = `http://127.0.0.1:${String(authority.challengePort)}`;
    for (const path of ["/.well-known/acme-challenge/unknown", "/healthz", "/api/servers", "/"]) {
      expect((await fetch(base + path)).status).toBeOneOf([404, 405]);
    }
    await service.stop();
  }
  expect(authority.contacts).toHaveLength(1);
});

describe("the HTTPS listener without a port for HTTP-01", () => {
  test("proves control by TLS-ALPN-01, and shows other connections their certificate meanwhile", async () => {
    authority.tlsPort = await freePort();
    const { directory: acme } = authority;
    const config = configFrom({ ...settings, dataDir: folder, httpsPort: authority.tlsPort, acme, acmePort: null });
    const meanwhile: (string | Error)[] = [];
    const usual: ConnectionOptions = { rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] };
    authority.onValidate = async () => {
      for (const name of names) meanwhile.push(await serialOf(service, name, usual));
      const unknown = { ...usual, ALPNProtocols: ["acme-tls/1"] };
      meanwhile.push(await serialOf(service, "web.corp.example", unknown).catch((error: Error) => error));
    };
    const service = await startService(config, { durable: false });
    const before = await serialOf(service, "mx.corp.example", usual);
    await issued(service);
    const refused = expect.objectContaining({
      message: expect.stringContaining("no application protocol") as string,
    }) as Error;
    expect(meanwhile).toEqual(names.flatMap(() => [before, before, refused]));
    const [first, second] = await Promise.all(names.map(async (name) => serialOf(service, name)));
    expect(first).toBe(second);
    expect(first).not.toBe(before);
    for (const [name, protocols] of [
      ["mx.corp.example", ["acme-tls/1"]],
      ["mx.corp.example", ["h2"]],
    ] as const) {
      await expect(serialOf(service, name, { ALPNProtocols: [...protocols] })).rejects.toThrow(
        "no application protocol",
      );
    }
    const page = await fetch(`${service.url}/healthz`);
    expect(page.status).toBe(200);
    await service.stop();
  });
});

describe("nodes on one database", () => {
  test.each(["http-01", "tls-alpn-01"] as const)("answer %s whichever of them is asked", async (challenge) => {
    const databaseUrl = await testDatabaseUrl();
    const ports = [await freePort(), await freePort()];
    const isHttp = challenge === "http-01";
    let asked = 0;
    authority.onValidate = () => {
      asked += 1;
      authority.challengePort = authority.tlsPort = ports[asked % 2] ?? 0;
    };
    const start = async (node: number): Promise<RunningService> => {
      const port = ports[node] ?? 0;
      const config = configFrom({
        ...settings,
        dataDir: join(folder, String(node)),
        databaseUrl,
        secretKey: "a-secret-key-for-journeys",
        acme: authority.directory,
        acmePort: isHttp ? port : null,
        httpsPort: isHttp ? 0 : port,
      });
      return startService(config, { durable: false });
    };
    const order = Promise.withResolvers<void>();
    authority.replace = () => undefined;
    const { onValidate } = authority;
    authority.onValidate = async () => {
      await order.promise;
      return onValidate();
    };
    const nodes = [await start(0), await start(1)];
    order.resolve();
    const isIssued = async (node: RunningService): Promise<boolean> =>
      serialOf(node, "mx.corp.example").then(
        () => true,
        () => false,
      );
    while (!(await Promise.all(nodes.map(isIssued))).some(Boolean)) await issued(nodes[0] as RunningService);
    expect([asked, authority.contacts.length]).toEqual([2, 1]);
    await Promise.all(nodes.map(async (node) => node.stop()));
    rmSync(join(folder, "0"), { recursive: true });
    rmSync(join(folder, "1"), { recursive: true });
    // A node without a data folder has the certificate before it listens.
    const again = await start(1);
    expect(await serialOf(again, "mta-sts.corp.example")).toMatch(/./);
    await again.stop();
    expect(authority.contacts).toHaveLength(1);
  });
});
