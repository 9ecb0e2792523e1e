import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { hopCountMax } from "../../core/limits.ts";
import type { OwnService } from "../../core/outgoing-target.ts";
import { freePort } from "../../testing/free-port.test-aid.ts";
import {
  startScriptedSmtpServer,
  type ScriptedServerOptions,
  type ScriptedSmtpServer,
  type SmtpScript,
} from "../../testing/scripted-smtp-server.ts";
import { throwAwayCertificate } from "../../testing/throw-away-certificate.ts";
import { verifyDkim } from "../../testing/verify-dkim.ts";
import { DeliveryFailure } from "../delivery-failure.ts";
import { createSmtpRelay, type OutboundMail, type SmtpRelay, type SmtpRelayOptions } from "./smtp-relay.ts";

const { secureContext, ca } = throwAwayCertificate();
const raw = Buffer.from("From: a@x.example\r\nSubject: hi\r\n\r\n.\r\n..two\r\n. \r\nbody\r\n");
const mail: OutboundMail = { mailFrom: "a@abcd1234.restante.test", rcptTo: ["b@corp.example"], raw };
/** Timeouts for servers that answer; the machine may be busy. */
const patient = { connectMs: 120_000, greetingMs: 120_000, silenceMs: 120_000, deliveryMs: 120_000 };
/** Timeouts for servers that do not. */
const quick = { ...patient, greetingMs: 300, silenceMs: 300 };

interface Pair extends AsyncDisposable {
  readonly server: ScriptedSmtpServer;
  readonly relay: SmtpRelay;
}

async function pair(
  scripted: ScriptedServerOptions = {},
  options: Partial<SmtpRelayOptions> & { readonly login?: string; readonly end?: string } = {},
): Promise<Pair> {
  const server = await startScriptedSmtpServer(scripted);
  const scheme = scripted.isImplicitTls === true ? "smtps" : "smtp";
  const url = `${scheme}://${options.login ?? ""}127.0.0.1:${server.port}${options.end ?? ""}`;
  const relay = createSmtpRelay({ url, timeouts: patient, ca, ...options });
  return {
    server,
    relay,
    async [Symbol.asyncDispose]() {
      relay.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function failureOf(delivery: Promise<unknown>): Promise<DeliveryFailure> {
  const outcome: unknown = await delivery.then(
    () => "delivered",
    (error: unknown) => error,
  );
  if (!(outcome instanceof DeliveryFailure)) throw new Error(`expected a DeliveryFailure, got ${String(outcome)}`);
  return outcome;
}

const unstuffed = (content: Buffer | undefined): string => (content?.toString("latin1") ?? "").replaceAll(/^\./gm, "");

describe("delivery", () => {
  test("sends the checked envelope and the given bytes, with dot-stuffing", async () => {
    await using it = await pair();
    const delivery = await it.relay.deliver({ ...mail, rcptTo: ["b@corp.example", "c@team.example"] });
    expect(delivery).toEqual({
      accepted: ["b@corp.example", "c@team.example"],
      refused: [],
      response: "250 2.0.0 Ok: queued",
    });
    expect(it.server.connections[0]?.slice(1)).toEqual([
      "MAIL FROM:<a@abcd1234.restante.test>",
      "RCPT TO:<b@corp.example>",
      "RCPT TO:<c@team.example>",
      "DATA",
    ]);
    expect(it.server.contents[0]?.toString()).toBe(raw.toString().replaceAll(/^\./gm, ".."));
    expect(unstuffed(it.server.contents[0])).toBe(raw.toString());
  });

  test("refuses a relay that is a listener of the service, by any name", async () => {
    const own: OwnService = { isOwnOrigin: () => false, isOwnListener: (address) => address === "127.0.0.1" };
    await using it = await pair({}, { own, resolve: async () => ["192.0.2.1", "127.0.0.1"] });
    const failure = await failureOf(it.relay.deliver(mail));
    expect([failure.verdict, failure.message]).toEqual(["fail", expect.stringContaining("never calls itself")]);
    expect(it.server.connections).toEqual([]);
  });

  test("refuses a mail that has passed more than a hundred hosts", async () => {
    await using it = await pair();
    const passed = (count: number): Buffer =>
      Buffer.concat([Buffer.from("RECEIVED: by a.example\r\n".repeat(count)), raw]);
    await it.relay.deliver({ ...mail, raw: passed(hopCountMax) });
    const failure = await failureOf(it.relay.deliver({ ...mail, raw: passed(hopCountMax + 1) }));
    expect([failure.verdict, failure.message]).toEqual(["fail", expect.stringContaining("loop")]);
  });

  test("sends the null reverse-path for an empty sender, and declares 8-bit content", async () => {
    await using it = await pair();
    const content = Buffer.from("Subject: ü\r\n\r\nü\r\n");
    await it.relay.deliver({ ...mail, mailFrom: "", raw: content });
    expect(it.server.connections[0]?.[1]).toBe("MAIL FROM:<> BODY=8BITMIME");
    expect(it.server.contents[0]).toEqual(content);
  });

  test("reuses its connection, and opens another when the relay has closed it", async () => {
    await using it = await pair({ script: { MAIL: ["250 Ok", "250 Ok", "drop", "250 Ok"] } });
    await it.relay.deliver(mail);
    await it.relay.deliver(mail);
    expect(it.server.connections).toHaveLength(1);
    await it.relay.deliver(mail);
    expect(it.server.connections).toHaveLength(2);
    expect(it.server.contents).toHaveLength(3);
  });

  test("returns the recipients that the relay rejected while it accepted others", async () => {
    await using it = await pair({ script: { RCPT: ["550 5.1.1 unknown", "450 4.2.0 later", "250 Ok"] } });
    const rcptTo = ["gone@corp.example", "busy@corp.example", "b@corp.example"];
    const delivery = await it.relay.deliver({ ...mail, rcptTo });
    expect(delivery.accepted).toEqual(["b@corp.example"]);
    expect(delivery.refused.map(({ address, failure }) => [address, failure.verdict, failure.replyCode])).toEqual([
      ["gone@corp.example", "fail", 550],
      ["busy@corp.example", "retry", 450],
    ]);
  });

  test.each([
    "a@x.example\r\nRCPT TO:<evil@x.example>",
    "a@x.example, b@x.example",
    "<a@x.example>",
    "A@X.example",
    "",
  ])("is refused for %j", async (address) => {
    await using it = await pair();
    expect(await failureOf(it.relay.deliver({ ...mail, rcptTo: [address] }))).toMatchObject({ verdict: "fail" });
    if (address !== "")
      expect((await failureOf(it.relay.deliver({ ...mail, mailFrom: address }))).verdict).toBe("fail");
    expect((await failureOf(it.relay.deliver({ ...mail, rcptTo: [] }))).verdict).toBe("fail");
    expect(it.server.connections).toEqual([]);
  });
});

describe("relay", () => {
  const refusals: readonly (readonly [SmtpScript, "retry" | "fail", string, number | null])[] = [
    [{ GREETING: ["554 5.3.2 go away"] }, "retry", "connect", 554],
    [{ GREETING: ["421 4.3.2 busy"] }, "retry", "connect", 421],
    [{ GREETING: ["drop"] }, "retry", "connect", null],
    [{ GREETING: ["stall"] }, "retry", "connect", null],
    [{ MAIL: ["451 4.3.0 later"] }, "retry", "mail", 451],
    [{ MAIL: ["553 5.1.7 no"] }, "fail", "mail", 553],
    [{ MAIL: ["530 5.7.0 authenticate"] }, "retry", "mail", 530],
    [{ MAIL: ["stall"] }, "retry", "connect", null],
    [{ RCPT: ["450 4.2.0 greylisted"] }, "retry", "recipient", 450],
    [{ RCPT: ["550 5.1.1 unknown"] }, "fail", "recipient", 550],
    [{ DATA: ["451 4.3.0 later"] }, "retry", "data", 451],
    [{ DATA: ["554 5.6.0 no"] }, "fail", "data", 554],
    [{ CONTENT: ["452 4.3.1 full"] }, "retry", "data", 452],
    [{ CONTENT: ["552 5.3.4 too big"] }, "fail", "data", 552],
    [{ CONTENT: ["stall"] }, "retry", "connect", null],
    [{ CONTENT: ["421 4.3.2 going down"] }, "retry", "data", 421],
  ];
  test.each(refusals)("is classified for %j as %s", async (script, ...expected) => {
    const isSilent = Object.values(script).some((replies) => replies.includes("stall"));
    await using it = await pair({ script }, { timeouts: isSilent ? quick : patient });
    const failure = await failureOf(it.relay.deliver(mail));
    expect([failure.verdict, failure.stage, failure.replyCode]).toEqual(expected);
    expect(failure.message).not.toBe("");
  });

  test("does not transmit again after a failure that follows the content", async () => {
    await using it = await pair({ script: { CONTENT: ["drop", "250 Ok"] } });
    expect(await failureOf(it.relay.deliver(mail))).toMatchObject({ verdict: "retry", replyCode: null });
    expect(it.server.contents).toHaveLength(1);
    await it.relay.deliver(mail);
    expect(it.server.contents).toHaveLength(2);
  });

  test("does not affect the next mail by a failure on a pooled connection", async () => {
    await using it = await pair({ script: { RCPT: ["250 Ok", "550 5.1.1 unknown", "250 Ok"] } });
    await it.relay.deliver(mail);
    expect((await failureOf(it.relay.deliver(mail))).verdict).toBe("fail");
    await it.relay.deliver(mail);
    expect(it.server.contents).toHaveLength(2);
  });

  test("retries when all recipients failed and one failure is temporary", async () => {
    await using it = await pair({ script: { RCPT: ["550 5.1.1 unknown", "450 4.2.0 later"] } });
    const rcptTo = ["gone@corp.example", "busy@corp.example"];
    expect(await failureOf(it.relay.deliver({ ...mail, rcptTo }))).toMatchObject({ verdict: "retry", replyCode: 450 });
  });

  test("reports a relay that cannot be reached as a temporary failure", async () => {
    const relay = createSmtpRelay({ url: `smtp://127.0.0.1:${await freePort()}`, timeouts: patient });
    expect(await failureOf(relay.deliver(mail))).toMatchObject({ verdict: "retry", stage: "connect" });
    relay.close();
  });

  test("reports a delivery that takes too long as a temporary failure", async () => {
    await using it = await pair({ script: { CONTENT: ["stall"] } }, { timeouts: { ...patient, deliveryMs: 200 } });
    expect(await failureOf(it.relay.deliver(mail))).toMatchObject({ verdict: "retry", replyCode: null });
  });

  test("reports a closed relay as a temporary failure", async () => {
    await using it = await pair();
    it.relay.close();
    expect((await failureOf(it.relay.deliver(mail))).verdict).toBe("retry");
  });

  test.each(["RCPT", "CONTENT"])(
    "reports a delivery that runs when the relay is closed as a temporary failure (%s)",
    async (verb) => {
      await using it = await pair({ script: { [verb]: ["stall"] } });
      const failure = failureOf(it.relay.deliver(mail));
      await expect.poll(() => it.server.connections.flat().join("\n")).toMatch(verb === "RCPT" ? /^RCPT/m : /^DATA/m);
      it.relay.close();
      expect((await failure).verdict).toBe("retry");
    },
  );
});

describe("TLS", () => {
  test("is used where STARTTLS is offered, and implicitly for smtps", async () => {
    await using offered = await pair({ secureContext });
    await offered.relay.deliver(mail);
    expect(offered.server.connections[0]?.slice(1, 3)).toEqual(["STARTTLS", "TLS"]);
    await using implicit = await pair({ secureContext, isImplicitTls: true });
    await implicit.relay.deliver(mail);
    expect(implicit.server.connections[0]?.[0]).toBe("TLS");
  });

  test("does not deliver when TLS is required but not offered or rejected", async () => {
    await using plain = await pair({}, { end: "?requireTLS=true" });
    expect((await failureOf(plain.relay.deliver(mail))).verdict).toBe("retry");
    await using refusing = await pair(
      { secureContext, script: { STARTTLS: ["454 4.7.0 not now"] } },
      { end: "?requireTLS=true" },
    );
    expect(await failureOf(refusing.relay.deliver(mail))).toMatchObject({ verdict: "retry", stage: "tls" });
    expect([...plain.server.connections, ...refusing.server.connections].flat().join()).not.toContain("MAIL");
  });

  test("does not deliver with an untrusted certificate, unless the check is disabled", async () => {
    await using it = await pair({ secureContext });
    const url = `smtp://127.0.0.1:${it.server.port}`;
    const strict = createSmtpRelay({ url, timeouts: patient });
    expect(await failureOf(strict.deliver(mail))).toMatchObject({ verdict: "retry", replyCode: null });
    strict.close();
    const lax = createSmtpRelay({ url: `${url}?verifyCertificate=false`, timeouts: patient });
    await lax.deliver(mail);
    lax.close();
    expect(it.server.contents).toHaveLength(1);
  });
});

describe("login", () => {
  const keywords = ["AUTH PLAIN LOGIN"];

  test("uses the user and password of the URL", async () => {
    await using it = await pair({ keywords }, { login: "me%40x:p%3A%C3%BC@" });
    await it.relay.deliver(mail);
    const [, auth] = it.server.connections[0] ?? [];
    expect(Buffer.from(auth?.split(" ")[2] ?? "", "base64").toString()).toBe("\0me@x\0p:ü");
  });

  test("reports a rejected login as a temporary failure, without the password in the message", async () => {
    await using it = await pair({ keywords, script: { AUTH: ["535 5.7.8 wrong"] } }, { login: "me:s3cr3t@" });
    const failure = await failureOf(it.relay.deliver(mail));
    expect(failure).toMatchObject({ verdict: "retry", stage: "login", replyCode: 535 });
    expect(failure.message).not.toContain("s3cr3t");
  });
});

describe("DKIM", () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });

  test("signs the mail and leaves it unchanged", async () => {
    await using it = await pair({}, { dkim: { domain: "restante.test", selector: "mail", privateKey: pem } });
    await it.relay.deliver(mail);
    const sent = unstuffed(it.server.contents[0]);
    expect(sent.endsWith(raw.toString())).toBe(true);
    const verdict = verifyDkim(sent, publicKey);
    expect(verdict).toEqual({ bodyMatches: true, signatureMatches: true, domain: "restante.test", selector: "mail" });
    expect(verifyDkim(sent.replace("Subject: hi", "Subject: ho"), publicKey).signatureMatches).toBe(false);
    expect(verifyDkim(sent.replace("body", "b0dy"), publicKey).bodyMatches).toBe(false);
  });
});
