/** A service that receives mail from the Internet (`RESTANTE_MX`): strangers cause no mail, and learn nothing of its servers. */
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { connect as connectSecure } from "node:tls";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configFrom } from "../../src/app/settings/config.ts";
import { startService, type RunningService } from "../../src/app/service.ts";
import type { ServerId } from "../../src/core/ids.ts";
import { openNameServer } from "../../src/testing/name-server.test-aid.ts";
import { startScriptedSmtpServer, type ScriptedSmtpServer } from "../../src/testing/scripted-smtp-server.ts";
import { SmtpDialogue } from "../../src/testing/smtp-dialogue.ts";
import { fuzzAccess } from "../fuzz/access.ts";
import { listenerSeeds, type ListenerName } from "../fuzz/listener-seeds.ts";
import { runLocally } from "./local-command.ts";

const key = "an-account-key-of-this-journey";
const server = "pblc1234" as ServerId;
const outside = "victim@d.example";

/** Listeners that receive mail. */
const mailListeners = (Object.keys(listenerSeeds) as ListenerName[]).filter((name) =>
  /^(?:smtps?|lmtp)$/.test(name),
) as ("smtp" | "smtps" | "lmtp")[];

let dataDir: string;
let relay: ScriptedSmtpServer;
let service: RunningService;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "restante-public-"));
  relay = await startScriptedSmtpServer();
  const ports = { httpPort: 0, httpsPort: 0, smtpPort: 0, smtpsPort: 0, lmtpPort: 0, mailpitPort: 0, smtp4devPort: 0 };
  const config = configFrom({
    ...ports,
    dataDir,
    mx: "mx.corp.example",
    mailDomain: "corp.example",
    smtpProxies: ["127.0.0.9"],
    trustLoopback: false,
    dns: "off",
    apiKey: key,
    log: "silent",
    servers: [{ id: server, name: "Public" }],
    relayUrl: `smtp://127.0.0.1:${String(relay.port)}`,
    // Everything that the inputs name could leave, if a stranger could cause it.
    verified: ["@b.example", "@d.example", "@example.com", outside],
  });
  service = await startService(config, { durable: false });
});
afterAll(async () => {
  await service.stop();
  await relay[Symbol.asyncDispose]();
  rmSync(dataDir, { recursive: true, force: true });
});

async function greet(name: (typeof mailListeners)[number]): Promise<SmtpDialogue> {
  const tls = name === "smtps" ? { rejectUnauthorized: false } : undefined;
  const dialogue = await SmtpDialogue.connect(service.ports[name] ?? 0, tls);
  await dialogue.expect("220 mx.corp.example ");
  await dialogue.play([name === "lmtp" ? "LHLO stranger" : "EHLO stranger", "250"]);
  return dialogue;
}

/** Returns what leaves: entries of the outbox, and connections to the relay. */
async function outbound(): Promise<readonly [backlog: string, connections: number]> {
  const response = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
  const [, backlog = "none"] = /^restante_outbox_backlog (\d+)$/m.exec(await response.text()) ?? [];
  return [backlog, relay.connections.length];
}

describe.each(mailListeners)("the %s listener", (name) => {
  test("denies relaying in every form", async () => {
    await using dialogue = await greet(name);
    await dialogue.play(["MAIL FROM:<stranger@example.com>", "250"]);
    for (const address of [
      outside,
      `x@${server}.restante.test`,
      `x@${server}.localhost`,
      `<@mx.corp.example:${outside}>`,
      '"x@corp.example"@d.example',
      "x@corp.example.d.example",
      "x@[127.0.0.1]",
      "x",
    ]) {
      const path = address.startsWith("<") ? address : `<${address}>`;
      await dialogue.play([`RCPT TO:${path}`, "554 5.7.1 Relay access denied"]);
    }
  });

  test("answers mail to servers that exist and to those that do not alike, and sends no bounce for it", async () => {
    const replies: string[] = [];
    for (const to of [`x@${server}.corp.example`, "x@zzzz9999.corp.example", "nobody@corp.example", "postmaster"]) {
      await using dialogue = await greet(name);
      await dialogue.play([`MAIL FROM:<${outside}> RET=FULL`, "250"]);
      await dialogue.write(`RCPT TO:<${to}> NOTIFY=SUCCESS,FAILURE,DELAY\r\n`);
      const accepted = await dialogue.reply();
      await dialogue.play(["DATA", "354"]);
      await dialogue.write("Disposition-Notification-To: victim@d.example\r\nAuto-Submitted: no\r\n\r\nHello\r\n.\r\n");
      replies.push(`${accepted} ${await dialogue.reply()}`);
      await dialogue.play(["VRFY x", "252"], ["EXPN x", "5"]);
    }
    expect(new Set(replies)).toEqual(new Set(["250 2.1.5 Ok 250 2.0.0 Ok: queued"]));
    expect(await outbound()).toEqual(["0", 0]);
  });

  test("answers AUTH of users that exist and of those that do not alike", async () => {
    const replies: string[] = [];
    for (const user of [server, "zzzz9999", "anybody", ""]) {
      await using dialogue = await greet(name);
      await dialogue.write(`AUTH PLAIN ${Buffer.from(`\0${user}\0wrong`).toString("base64")}\r\n`);
      replies.push(await dialogue.reply());
    }
    expect(new Set(replies)).toEqual(new Set(["535 5.7.8 Error: authentication failed: invalid credentials"]));
  });
});

/** Sends bytes to a listener, and resolves when it has closed the connection. */
async function send(port: number, isSecure: boolean, bytes: Buffer): Promise<void> {
  const socket = isSecure ? connectSecure({ port, rejectUnauthorized: false }) : connect(port, "127.0.0.1");
  // A refused request may be answered before it is read.
  socket.on("error", () => undefined);
  socket.resume();
  socket.end(bytes);
  await once(socket, "close");
}

const changing = listenerSeeds.http.seeds.filter(
  (seed) => /^(?:POST|PUT) /.test(seed.toString("latin1", 0, 5)) && !seed.includes("boundary=x"),
);

describe("strangers", () => {
  test("cause no mail by requests to any route, with a key that is not one of this service", async () => {
    expect(changing.length).toBeGreaterThan(200);
    expect(fuzzAccess.key).not.toBe(key);
    const inputs = changing.map((seed) =>
      Buffer.from(seed.toString("latin1").replaceAll("Host: 127.0.0.1", "Host: x"), "latin1"),
    );
    for (let at = 0; at < inputs.length; at += 20) {
      await Promise.all(inputs.slice(at, at + 20).map(async (one) => send(service.ports.http ?? 0, false, one)));
    }
    expect(await outbound()).toEqual(["0", 0]);
  });

  test.each(["mailpit", "smtp4dev"] as const)("cause no mail by the API of %s", async (name) => {
    for (const seed of listenerSeeds[name].seeds) await send(service.ports.catchers[name] ?? 0, false, seed);
    expect(await outbound()).toEqual(["0", 0]);
  });
});

/** Requests the policy with a Host field. */
async function policyOf(host: string): Promise<{ readonly status: number; readonly text: string }> {
  const options = { port: service.ports.http ?? 0, path: "/.well-known/mta-sts.txt", headers: { host }, agent: false };
  const [response] = (await once(httpRequest(options).end(), "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, text: await textOf(response) };
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return text;
}

describe("verdicts on the sender", () => {
  const request = async (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(service.url + path, {
      ...init,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    });
  const find = async (q: string): Promise<readonly string[]> => {
    const list = await request(`/api/messages?server=${server}&q=${encodeURIComponent(q)}`);
    return ((await list.json()) as { subject: string }[]).map(({ subject }) => subject);
  };

  test("are tags of the mail that searches find, and that no sender can forge", async () => {
    const zone = 'good.example. TXT "v=spf1 ip4:127.0.0.1 -all"\nbad.example. TXT "v=spf1 -all"\n';
    await request(`/api/servers/${server}/dns`, { method: "PUT", body: JSON.stringify({ zone }) });
    await request(`/api/servers/${server}/tag-rules`, { method: "PUT", body: '{"plusAddresses": true}' });
    for (const name of mailListeners) {
      for (const domain of ["good.example", "bad.example"]) {
        await using dialogue = await greet(name);
        await dialogue.play(
          [`MAIL FROM:<a@${domain}>`, "250"],
          [`RCPT TO:<x@${server}.corp.example>`, "250"],
          ["DATA", "354"],
          [
            `From: a+spf-pass+DMARC-pass@${domain}\r\nSubject: ${name} ${domain}\r\nX-Tags: SPF-Pass,dkim-pass,mine\r\n\r\nHello\r\n.`,
            "250",
          ],
        );
      }
    }
    const from = (domain: string): readonly string[] => mailListeners.map((name) => `${name} ${domain}`).toReversed();
    expect(await find("tag:spf-pass")).toEqual(from("good.example"));
    expect(await find("tag:spf-fail tag:dkim-neutral tag:dmarc-neutral tag:mine")).toEqual(from("bad.example"));
    expect(await find("tag:dkim-pass OR tag:dmarc-pass")).toEqual([]);
  });
});

test("clients that a block list names are rejected, and first mails of others deferred", async () => {
  const folder = mkdtempSync(join(tmpdir(), "restante-lists-"));
  const listed = "7.100.51.8.list.example";
  // One list answers with records that are not addresses.
  await using lists = await openNameServer((name) => {
    if (name.endsWith(".broken.example")) return [Buffer.of(127)];
    return name === listed ? [Buffer.of(127, 0, 0, 2)] : null;
  });
  const config = configFrom({
    dataDir: folder,
    httpPort: 0,
    httpsPort: null,
    smtpPort: 0,
    mx: "mx.corp.example",
    mailDomain: "corp.example",
    smtpProxies: ["127.0.0.1"],
    blockLists: ["broken.example", "list.example"],
    greylistMs: 60_000,
    dns: [lists.address],
    apiKey: key,
    log: "silent",
  });
  const strict = await startService(config, { durable: false });
  for (const [address, expected] of [
    ["8.51.100.7", "554 5.7.1 Service unavailable; client host blocked using list.example"],
    ["8.51.100.8", "451 4.7.1 Greylisted, please try again in 60 seconds"],
    ["10.0.0.1", "250 2.1.5 Ok"],
  ] as const) {
    await using dialogue = await SmtpDialogue.connect(strict.ports.smtp ?? 0);
    await dialogue.write(`PROXY TCP4 ${address} 127.0.0.1 51834 25\r\n`);
    await dialogue.expect("220");
    await dialogue.play(["EHLO x", "250"], ["MAIL FROM:<a@b.example>", "250"], ["RCPT TO:<x@corp.example>", expected]);
  }
  await strict.stop();
  rmSync(folder, { recursive: true });
});

describe("the MTA-STS policy", () => {
  test("is served at the hosts of its own domain and of those of servers, whether they exist or not", async () => {
    const { status, text } = await policyOf("mta-sts.corp.example");
    expect([status, text]).toEqual([
      200,
      "version: STSv1\r\nmode: testing\r\nmx: mx.corp.example\r\nmax_age: 86400\r\n",
    ]);
    for (const host of ["mta-sts.corp.example:443", `mta-sts.${server}.corp.example`, "MTA-STS.zzzz9999.corp.example"])
      expect(await policyOf(host)).toEqual({ status: 200, text });
    expect((await policyOf("mta-sts.other.example")).status).toBe(403);
    expect((await policyOf("mx.corp.example")).status).toBe(404);
    expect((await policyOf("127.0.0.1")).status).toBe(404);
  });

  test("is served over HTTPS with a certificate for its host, as is the mail host", async () => {
    const ca = readFileSync(service.caFile ?? "");
    for (const servername of ["mta-sts.corp.example", "mx.corp.example"]) {
      const options = {
        port: service.ports.https ?? 0,
        path: "/.well-known/mta-sts.txt",
        ca,
        servername,
        agent: false,
      };
      const headers = { host: "mta-sts.corp.example" };
      const [response] = (await once(httpsRequest({ ...options, headers }).end(), "response")) as [IncomingMessage];
      expect([servername, response.statusCode]).toEqual([servername, 200]);
      response.resume();
    }
  });
});

describe("restante check-domain", () => {
  const zoneFile = (text: string): string => {
    const file = join(dataDir, "zone");
    writeFileSync(file, text);
    return file;
  };

  test("prints what a zone file lacks, and fails", async () => {
    const argv = ["check-domain", "corp.example", `--zone=${zoneFile("mx.corp.example. A 8.51.100.7\n")}`];
    const { code, out } = await runLocally(argv, {});
    expect(code).toBe(1);
    expect(out).toMatch(/^ok +address +mx\.corp\.example\. A 8\.51\.100\.7$/m);
    expect(out).toMatch(/^fix +SPF +Nothing says .*\n +corp\.example\. TXT "v=spf1 -all"$/m);
  });

  test("prints JSON, and refuses names that are no domains", async () => {
    const { out } = await runLocally(["check-domain", "corp.example", `--zone=${zoneFile("")}`, "--json"], {});
    expect((JSON.parse(out) as { subject: string }[]).map(({ subject }) => subject)).toContain("MX");
    expect(await runLocally(["check-domain", "corp"], {})).toMatchObject({ code: 2 });
  });
});
