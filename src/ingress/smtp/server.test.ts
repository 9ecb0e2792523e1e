import { once } from "node:events";
import { connect } from "node:net";
import { createSecureContext } from "node:tls";
import { describe, expect, test } from "vitest";
import { contentArrival } from "../../core/arrival-rate.ts";
import { defaultLimits, drainMsMax } from "../../core/limits.ts";
import { SmtpDialogue } from "../../testing/smtp-dialogue.ts";
import { SmtpTestServer, testServer } from "../../testing/smtp-test-server.ts";
import { throwAwayCertificate } from "../../testing/throw-away-certificate.ts";
import { until } from "../../testing/until.test-aid.ts";
import { lingerMsMax } from "./connection.ts";
import { shownAddress } from "../lines/session-listener.ts";
import { startSmtpServer } from "./server.ts";

const sweepMs = 1000;

describe("session", () => {
  test("stores the same mail when every byte arrives in its own packet", async () => {
    await using smtp = await SmtpTestServer.open();
    const dialogue =
      "EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<later@b.example>\r\nDATA\r\n..a\r\n.b\r\n\n.\n\r\n.\r\nMAIL FROM:<>\r\n" +
      "RCPT TO:<c@b.example>\r\nBDAT 4\r\n\r\n.\rBDAT 1 LAST\r\n\nQUIT\r\n";
    await using whole = await smtp.connect();
    await whole.write(dialogue);
    const expected = await whole.rest();
    await using bytewise = await smtp.connect();
    for (const byte of Buffer.from(dialogue)) await bytewise.write(Buffer.from([byte]));
    expect(await bytewise.rest()).toBe(expected);
    expect(expected.match(/^\d{3}(?= )/gm)).toEqual([
      "250",
      "250",
      "250",
      "354",
      "250",
      "250",
      "250",
      "250",
      "250",
      "221",
    ]);
    expect(smtp.mails).toEqual([".a\r\nb\r\n\n.\n\r\n", "\r\n.\r\n", ".a\r\nb\r\n\n.\n\r\n", "\r\n.\r\n"]);
  });

  test.each([3_600_000, -7_200_000])("continues a pending mail when the wall clock steps by %d ms", async (step) => {
    await using smtp = await SmtpTestServer.open();
    await using client = await smtp.addressed();
    await client.play(["DATA", "354"]);
    await client.write("first half\r\n");
    smtp.clock.stepWall(step);
    smtp.clock.advance(2 * sweepMs);
    await client.play(["second half\r\n.", "250"]);
    expect(smtp.mails).toEqual(["first half\r\nsecond half\r\n"]);
    smtp.clock.advance(defaultLimits.smtpIdleMsMax + sweepMs);
    expect(await client.rest()).toContain("421 4.4.2");
  });

  test("answers a client that has closed its side of the connection", async () => {
    await using smtp = await SmtpTestServer.open();
    await using client = await SmtpDialogue.connect(smtp.server.port);
    await client.write("EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<later@b.example>\r\nDATA\r\nx\r\n.\r\n");
    client.end();
    expect(await client.rest()).toMatch(/\r\n250 2\.0\.0 Ok: queued as 2f0d1c73-7400-8000-8000-000000000000\r\n$/);
    expect(smtp.mails).toEqual(["x\r\n"]);
  });

  test("stores nothing when the client disconnects before the end of its mail, and frees the session", async () => {
    await using smtp = await SmtpTestServer.open();
    for (const leave of ["end", "vanish"] as const) {
      const client = await smtp.addressed();
      await client.play(["DATA", "354"]);
      await client.write("x\r\n.\r");
      client[leave]();
      await until(() => smtp.server.sessionCount === 0);
    }
    expect(smtp.mails).toEqual([]);
    expect(smtp.metrics).toMatchObject({ sessionsOpened: 2, sessionsClosed: 2, acceptedSizes: [] });
  });

  test("stores and counts the mail of a client that disconnects after its end", async () => {
    await using smtp = await SmtpTestServer.open();
    const commit = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    smtp.operations.beforeCommit = () => {
      begun.resolve();
      return commit.promise;
    };
    const client = await smtp.addressed();
    await client.play(["DATA", "354"]);
    await client.write("x\r\n.\r\n");
    await begun.promise;
    client.vanish();
    commit.resolve();
    await until(() => smtp.server.sessionCount === 0);
    expect(smtp.mails).toEqual(["x\r\n"]);
    expect(smtp.metrics.acceptedSizes).toEqual([3]);
  });

  test("stops reading from a client that does not read its replies, and sends all of them later", async () => {
    await using smtp = await SmtpTestServer.open();
    const client = connect({ port: smtp.server.port, host: "127.0.0.1" });
    let isSent = false;
    const noops = `NOOP ${"x".repeat(4000)}\r\n`.repeat(5000);
    client.write(`${"HELP\r\n".repeat(100_000)}${noops}`, () => {
      isSent = true;
    });
    client.end();
    await using other = await smtp.greeted();
    for (let round = 0; round < 200; round += 1) await other.play(["NOOP", "250"]);
    expect(isSent).toBe(false);
    let lineCount = 0;
    client.on("data", (bytes) => {
      for (const byte of bytes) if (byte === 10) lineCount += 1;
    });
    await once(client, "end");
    expect(lineCount).toBe(1 + 3 * 100_000 + 5000);
  });
});

describe("time-outs", () => {
  const { smtpIdleMsMax } = defaultLimits;

  test.each([
    ["after the greeting", []],
    ["after EHLO", [["EHLO x", "250"]]],
    [
      "within an AUTH exchange",
      [
        ["EHLO x", "250"],
        ["AUTH LOGIN", "334"],
      ],
    ],
    [
      "within DATA",
      [
        ["EHLO x", "250"],
        ["MAIL FROM:<>", "250"],
        ["RCPT TO:<a@b.example>", "250"],
        ["DATA", "354"],
      ],
    ],
  ] as const)("closes an idle session after smtpIdleMsMax (%s)", async (_, steps) => {
    await using smtp = await SmtpTestServer.open();
    await using client = await smtp.connect();
    await client.play(...steps);
    smtp.clock.advance(smtpIdleMsMax - 1);
    expect(smtp.metrics.refusals).toEqual([]);
    smtp.clock.advance(1 + sweepMs);
    await client.expect("421 4.4.2");
    expect(await client.rest()).toBe("");
    expect(smtp.metrics.refusals).toEqual(["idle"]);
    expect(smtp.mails).toEqual([]);
  });

  test("restarts the idle time-out with any bytes", async () => {
    await using smtp = await SmtpTestServer.open();
    await using client = await smtp.connect();
    for (let round = 0; round < 3; round += 1) {
      smtp.clock.advance(smtpIdleMsMax - sweepMs);
      await client.play(["NOOP", "250"]);
    }
    expect(smtp.server.sessionCount).toBe(1);
  });

  test("restarts the idle time-out with bytes of content", async () => {
    await using smtp = await SmtpTestServer.open();
    await using client = await smtp.addressed();
    await using other = await smtp.greeted();
    await client.play(["DATA", "354"]);
    for (let round = 0; round < 3; round += 1) {
      smtp.clock.advance(smtpIdleMsMax - sweepMs);
      await client.write("x\r\n");
      await other.play(["NOOP", "250"], ["NOOP", "250"]);
    }
    await client.play([".", "250"]);
  });

  test.each([
    ["commands", [] as const, "NOOP\r\n"],
    ["half a command", [] as const, "N"],
    ["a content", [["DATA", "354"]] as const, "x\r\n"],
  ])("closes a session without a mail after smtpMailMsMax (%s)", async (_, steps, trickle) => {
    const limits = { ...defaultLimits, smtpMailMsMax: 5 * 50_000 };
    await using smtp = await SmtpTestServer.open({ limits });
    await using client = await smtp.addressed();
    await using other = await smtp.greeted();
    await client.play(...steps);
    for (let round = 0; round < 4; round += 1) {
      smtp.clock.advance(50_000);
      await client.write(trickle);
      await other.play(["NOOP", "250"], ["NOOP", "250"]);
    }
    expect(smtp.metrics.refusals).toEqual([]);
    smtp.clock.advance(50_000 + sweepMs);
    expect(await client.rest()).toContain("421 4.4.2 Error: no message within the time limit\r\n");
    expect(smtp.metrics.refusals).toEqual(["too_slow", "too_slow"]);
    expect(smtp.mails).toEqual([]);
  });

  test("closes a session whose content arrives too slowly once it is larger than what people type", async () => {
    await using smtp = await SmtpTestServer.open();
    await using client = await smtp.addressed();
    await using typist = await smtp.addressed();
    await client.play(["DATA", "354"]);
    await typist.play(["DATA", "354"]);
    await client.write(`${"x".repeat(1000)}\r\n`.repeat(70));
    await expect.poll(() => smtp.clock.appointmentCount).toBeGreaterThan(1);
    for (let passedMs = 0; passedMs < contentArrival.periodMs; passedMs += 1000) {
      await client.write("x\r\n");
      await typist.write("x\r\n");
      smtp.clock.advance(1000);
    }
    expect(await client.rest()).toContain("421 4.4.2 ");
    expect(smtp.metrics.refusals).toEqual(["too_slow"]);
    await typist.play([".", "250"]);
    expect(smtp.mails).toHaveLength(1);
  });

  test("restarts the time limit without a mail after each mail", async () => {
    const limits = { ...defaultLimits, smtpMailMsMax: 60_000 };
    await using smtp = await SmtpTestServer.open({ limits });
    await using client = await smtp.greeted();
    for (let round = 0; round < 3; round += 1) {
      smtp.clock.advance(45_000);
      await client.play(["MAIL FROM:<>", "250"], ["RCPT TO:<a@b.example>", "250"], ["DATA", "354"], ["x\r\n.", "250"]);
      smtp.clock.advance(sweepMs);
    }
    expect(smtp.mails).toHaveLength(3);
    expect(smtp.metrics.refusals).toEqual([]);
  });

  test("closes no session while an operation is pending", async () => {
    await using smtp = await SmtpTestServer.open();
    const commit = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    smtp.operations.beforeCommit = () => {
      begun.resolve();
      return commit.promise;
    };
    await using client = await smtp.addressed();
    await client.play(["DATA", "354"]);
    await client.write("x\r\n.\r\n");
    await begun.promise;
    smtp.clock.advance(10 * smtpIdleMsMax);
    commit.resolve();
    await client.expect("250");
    smtp.clock.advance(sweepMs);
    await client.play(["NOOP", "250"]);
  });

  test("closes the session when a TLS handshake stalls", async () => {
    const { secureContext } = throwAwayCertificate();
    await using smtp = await SmtpTestServer.open({ secureContext });
    await using client = await smtp.greeted();
    await client.play(["STARTTLS", "220"]);
    smtp.clock.advance(smtpIdleMsMax + sweepMs);
    expect(await client.rest()).toBe("");
    expect(smtp.metrics.refusals).toEqual(["tls"]);
  });

  test("closes a session after an unexpected error, logs and counts it, and keeps the others", async () => {
    await using smtp = await SmtpTestServer.open();
    const { metrics, log } = smtp;
    const count = metrics.refused.bind(metrics);
    metrics.refused = (reason) => {
      if (reason === "syntax") throw new Error("told to fail");
      count(reason);
    };
    await using other = await smtp.greeted();
    await using client = await smtp.connect();
    await client.write("X\r\n");
    await client.rest();
    await until(() => smtp.server.sessionCount === 1);
    expect(metrics.refusals).toEqual(["internal"]);
    expect(log.lines.filter(({ level }) => level === "error").map(({ message }) => message)).toEqual([
      "SMTP session failed",
    ]);
    await other.play(["NOOP", "250"]);
  });

  test("closes the socket after lingerMsMax when the client does not close it after QUIT", async () => {
    await using smtp = await SmtpTestServer.open();
    const client = connect({ port: smtp.server.port, host: "127.0.0.1", allowHalfOpen: true });
    client.write("QUIT\r\n");
    client.resume();
    await once(client, "end");
    expect(smtp.server.sessionCount).toBe(1);
    smtp.clock.advance(lingerMsMax + sweepMs);
    await until(() => smtp.server.sessionCount === 0);
    client.destroy();
  });

  test("uses one timer for all sessions, and none without sessions", async () => {
    await using smtp = await SmtpTestServer.open();
    expect(smtp.clock.appointmentCount).toBe(0);
    const clients = await Promise.all([smtp.connect(), smtp.connect(), smtp.connect()]);
    expect(smtp.clock.appointmentCount).toBe(1);
    for (const client of clients) await client[Symbol.asyncDispose]();
    await until(() => smtp.server.sessionCount === 0);
    smtp.clock.advance(sweepMs);
    expect(smtp.clock.appointmentCount).toBe(0);
  });
});

describe("sessions", () => {
  test("defers the session over smtpSessionCountMax until another one closes", async () => {
    await using smtp = await SmtpTestServer.open({ limits: { smtpSessionCountMax: 2 } });
    const first = await smtp.connect();
    await using second = await smtp.connect();
    await using refused = await SmtpDialogue.connect(smtp.server.port);
    expect(await refused.rest()).toMatch(/^421 4\.7\.0 /);
    expect(smtp.metrics.refusals).toEqual(["too_many_sessions"]);
    await first[Symbol.asyncDispose]();
    await until(() => smtp.server.sessionCount === 1);
    await using third = await smtp.connect();
    await third.play(["NOOP", "250"]);
    await second.play(["NOOP", "250"]);
  });

  test("defers the session over smtpSessionCountPerAddressMax of one address only", async () => {
    await using smtp = await SmtpTestServer.open({ limits: { smtpSessionCountPerAddressMax: 1 } });
    await using first = await smtp.connect();
    await using refused = await SmtpDialogue.connect(smtp.server.port);
    expect(await refused.rest()).toMatch(/^421 4\.7\.0 /);
    const elsewhere = connect({ port: smtp.server.port, host: "127.0.0.1", localAddress: "127.0.0.2" });
    const [greeting] = (await once(elsewhere, "data")) as [Buffer];
    expect(greeting.toString()).toMatch(/^220 /);
    elsewhere.destroy();
    await first.play(["NOOP", "250"]);
    await first[Symbol.asyncDispose]();
    await until(() => smtp.server.sessionCount === 0);
    await using again = await smtp.connect();
    await again.play(["NOOP", "250"]);
  });

  test.each([
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:192.0.2.1", "192.0.2.1"],
    ["2001:db8::1", "2001:db8::1"],
    ["::ffff:1:2", "::ffff:1:2"],
    ["192.0.2.1", "192.0.2.1"],
  ])("shows the address %s as %j", (address, expected) => {
    expect(shownAddress(address)).toBe(expected);
  });
});

describe("implicit TLS", () => {
  test("greets after the handshake and records TLS with the mail", async () => {
    const { ca, secureContext } = throwAwayCertificate();
    await using smtp = await SmtpTestServer.open({ secureContext, implicitTls: true });
    await using client = await SmtpDialogue.connect(smtp.server.port, { ca, servername: "localhost" });
    await client.expect("220");
    await client.play(
      ["EHLO x", /^(?![^]*STARTTLS)250-/],
      ["MAIL FROM:<>", "250"],
      ["RCPT TO:<a@b.example>", "250"],
      ["DATA", "354"],
      [".", "250"],
    );
    expect(smtp.operations.arrivals[0]).toMatchObject({
      recipients: [{ address: "a@b.example", server: testServer }],
      session: { protocol: "ESMTPS", tls: expect.stringMatching(/^TLSv1\.3 /) as string },
    });
  });

  test("closes the connection without a certificate, and when the client sends no handshake", async () => {
    await using bare = await SmtpTestServer.open({ implicitTls: true });
    await using client = await SmtpDialogue.connect(bare.server.port);
    expect(await client.rest()).toBe("");
    const { secureContext } = throwAwayCertificate();
    await using smtp = await SmtpTestServer.open({ secureContext, implicitTls: true });
    await using clear = await SmtpDialogue.connect(smtp.server.port);
    await clear.write("EHLO x\r\n");
    expect(await clear.rest()).not.toContain("220");
    await until(() => smtp.server.sessionCount === 0);
  });
});

describe("closing", () => {
  test("refuses new connections and closes idle sessions with 421 4.3.2", async () => {
    await using smtp = await SmtpTestServer.open();
    await using client = await smtp.addressed();
    const closed = smtp.server.close();
    await client.expect("421 4.3.2");
    expect(await client.rest()).toBe("");
    await client[Symbol.asyncDispose]();
    await closed;
    await expect(SmtpDialogue.connect(smtp.server.port)).rejects.toThrow("ECONNREFUSED");
    await smtp.server.close();
  });

  test("answers pending mails first", async () => {
    await using smtp = await SmtpTestServer.open();
    const commit = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    smtp.operations.beforeCommit = () => {
      begun.resolve();
      return commit.promise;
    };
    await using storing = await smtp.addressed();
    await storing.play(["DATA", "354"]);
    await storing.write("one\r\n.\r\n");
    await begun.promise;
    await using sending = await smtp.addressed();
    await sending.play(["DATA", "354"]);
    const closed = smtp.server.close();
    await sending.write("two\r\n.\r\n");
    commit.resolve();
    for (const client of [storing, sending]) {
      await client.expect("250 2.0.0 Ok: queued as 2f0d1c73-7400-8000-8000-000000000000");
      await client.expect("421 4.3.2");
      expect(await client.rest()).toBe("");
    }
    await closed;
    expect(smtp.mails.toSorted()).toEqual(["one\r\n", "two\r\n"]);
  });

  test("waits for at most drainMsMax", async () => {
    await using smtp = await SmtpTestServer.open();
    await using client = await smtp.addressed();
    await client.play(["DATA", "354"]);
    const closed = smtp.server.close();
    smtp.clock.advance(drainMsMax);
    await closed;
    expect(await client.rest()).toBe("");
    expect(smtp.mails).toEqual([]);
  });
});

test("rejects when the port is in use", async () => {
  await using smtp = await SmtpTestServer.open();
  const { operations, metrics, log, clock } = smtp;
  const names = { hostname: "x", isProxy: () => false };
  const contexts = { secureContext: () => undefined, faultySecureContext: () => createSecureContext() };
  const tls = { startTlsFor: () => "refused" as const, onTlsFailure: () => undefined, ...contexts };
  const rest = { ...names, ...tls, implicitTls: false, limits: defaultLimits };
  const second = startSmtpServer({
    hosts: ["127.0.0.1"],
    port: smtp.server.port,
    operations,
    metrics,
    log,
    clock,
    ...rest,
  });
  await expect(second).rejects.toThrow("EADDRINUSE");
});

test("logs no addresses above debug level", async () => {
  await using smtp = await SmtpTestServer.open();
  await using client = await smtp.addressed();
  await client.play(["RCPT TO:<nobody@b.example>", "550"], ["DATA", "354"], ["x\r\n.\r\n", "250"]);
  expect(smtp.log.lines.every((line) => !JSON.stringify(line).includes("example"))).toBe(true);
});
