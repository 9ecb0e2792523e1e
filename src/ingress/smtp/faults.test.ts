import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FaultOccurrence, FaultOutcome, FaultStage } from "../../core/fault.ts";
import { decodeTranscript } from "../../core/transcript.ts";
import { faultDecision } from "../../testing/fault-decisions.ts";
import { SmtpDialogue } from "../../testing/smtp-dialogue.ts";
import { SmtpTestServer, testServer } from "../../testing/smtp-test-server.ts";
import { throwAwayCertificate } from "../../testing/throw-away-certificate.ts";
import { until } from "../../testing/until.test-aid.ts";

const plain = Buffer.from("\0abcd1234\0secret").toString("base64");
const recipient = { address: "someone@abcd1234.restante.test", server: testServer };
const certificate = throwAwayCertificate();

let smtp: SmtpTestServer;
beforeEach(async () => {
  smtp = await SmtpTestServer.open({
    secureContext: certificate.secureContext,
  });
});
afterEach(async () => smtp[Symbol.asyncDispose]());

/** Applies an outcome at one stage, each time or the first time. */
function inject(stage: FaultStage, then: FaultOutcome, isOnce = false): void {
  let hitCount = 0;
  smtp.operations.faultAt = (occurrence) => {
    if (occurrence.stage !== stage || (isOnce && hitCount > 0)) return null;
    hitCount += 1;
    return faultDecision(occurrence, then);
  };
}

/** Commands up to each stage, with the last one not sent yet. */
const commands: readonly (readonly [FaultStage, string])[] = [
  ["ehlo", "EHLO client.example"],
  ["auth", `AUTH PLAIN ${plain}`],
  ["mail", "MAIL FROM:<sender@client.example>"],
  ["rcpt", `RCPT TO:<${recipient.address}>`],
  ["data", "DATA"],
  ["after-data", "x\r\n."],
];
const stages = commands.map(([stage]) => stage);

/** Connects, and sends the commands of all stages up to one; that of the stage itself is not answered. */
async function arriveAt(stage: FaultStage): Promise<SmtpDialogue> {
  const client = await SmtpDialogue.connect(smtp.server.port);
  if (stage === "connect") return client;
  await client.expect("220");
  for (const [at, command] of commands) {
    if (at === stage) {
      await client.write(`${command}\r\n`);
      return client;
    }
    await client.play([command, /^[23]/]);
  }
  throw new Error(`there is no command of stage ${stage}`);
}

const everyStage: readonly FaultStage[] = ["connect", ...stages];
/** Timers beside those of delays: the check of time-outs. */
const sweepCount = 1;
const isDelayed = () => smtp.clock.appointmentCount > sweepCount;

describe("reply", () => {
  test.each(stages)("is sent instead of that of stage %s, and the session continues", async (stage) => {
    inject(stage, { reply: { code: 451, enhanced: "4.3.5", text: "Try again" } }, true);
    await using client = await arriveAt(stage);
    expect(await client.reply()).toBe("451 4.3.5 Try again");
    expect(smtp.mails).toEqual([]);
    expect(smtp.metrics.refusals).toEqual(["fault"]);
    const again = commands.slice(
      stage === "data" || stage === "after-data" ? stages.indexOf("mail") : stages.indexOf(stage),
    );
    for (const [, command] of again) await client.play([command, /^[23]/]);
    expect(smtp.mails).toEqual(["x\r\n"]);
  });

  test.each(everyStage)("closes the session with code 421 at stage %s", async (stage) => {
    inject(stage, { reply: { code: 421 } });
    await using client = await arriveAt(stage);
    expect(await client.rest()).toBe("421 4.0.0 Error: injected fault\r\n");
    expect(smtp.mails).toEqual([]);
  });

  test("instead of the greeting closes the session", async () => {
    inject("connect", { reply: { code: 554, enhanced: "5.7.1", text: "No" } });
    await using client = await arriveAt("connect");
    expect(await client.rest()).toBe("554 5.7.1 No\r\n");
  });

  test("drops the chunk and its transaction with a reply to BDAT", async () => {
    inject("data", { reply: { code: 452 } }, true);
    await using client = await smtp.addressed();
    await client.write("BDAT 4 LAST\r\nNOOP");
    await client.expect("452 4.0.0");
    await client.play(["DATA", "503"], ["MAIL FROM:<>", "250"], ["RCPT TO:<a@b.example>", "250"]);
    await client.write("BDAT 3\r\nabcBDAT 1 LAST\r\nd");
    for (let count = 0; count < 2; count += 1) await client.expect("250");
    expect(smtp.mails).toEqual(["abcd"]);
    expect(smtp.operations.occurrences.filter(({ stage }) => stage === "data").length).toBe(2);
  });

  test("leaves other recipients with a reply to one", async () => {
    smtp.operations.faultAt = (occurrence) =>
      occurrence.recipients.length === 1 && occurrence.recipients[0]?.address === "busy@b.example"
        ? faultDecision(occurrence, { reply: { code: 450, enhanced: "4.2.1" } })
        : null;
    await using client = await smtp.addressed();
    await client.play(["RCPT TO:<busy@b.example>", "450 4.2.1"], ["DATA", "354"], ["x\r\n.", "250"]);
    expect(smtp.operations.arrivals).toMatchObject([
      { recipients: [recipient], faults: [{ rule: "the rule", stage: "rcpt", action: "reply" }] },
    ]);
  });

  test("leaves no recipient for DATA with a reply to all", async () => {
    inject("rcpt", { reply: { code: 550, enhanced: "5.1.1" } });
    await using client = await smtp.greeted();
    await client.play(["MAIL FROM:<>", "250"], ["RCPT TO:<a@b.example>", "550 5.1.1"], ["DATA", "554 5.5.1"]);
  });

  test("does not count as an error of the client", async () => {
    inject("mail", { reply: { code: 503 } });
    await using client = await smtp.greeted();
    for (let count = 0; count < 30; count += 1) await client.play(["MAIL FROM:<>", "503 5.0.0"]);
  });
});

describe("drop", () => {
  test.each(stages)("resets the connection at stage %s", async (stage) => {
    inject(stage, { drop: true });
    await using client = await arriveAt(stage);
    expect(await client.rest()).toBe("");
    await until(() => client.socket.closed && smtp.server.sessionCount === 0);
    expect(client.socket.errored).toMatchObject({ code: "ECONNRESET" });
    expect(smtp.mails).toEqual([]);
  });

  test("resets the connection before the greeting", async () => {
    inject("connect", { drop: true });
    const socket = connect({ port: smtp.server.port, host: "127.0.0.1" });
    // The assertion below reads the error.
    socket.on("error", () => undefined);
    await until(() => socket.closed && smtp.server.sessionCount === 0);
    expect(socket.errored).toMatchObject({ code: "ECONNRESET" });
    expect(socket.bytesRead).toBe(0);
  });

  test("resets the connection below TLS", async () => {
    await using client = await smtp.greeted();
    await client.play(["STARTTLS", "220"]);
    await client.secure({ rejectUnauthorized: false });
    inject("ehlo", { drop: true });
    await client.write("EHLO client.example\r\n");
    expect(await client.rest()).toBe("");
    await until(() => smtp.server.sessionCount === 0);
  });
});

describe("loseReply", () => {
  test("stores the mail and closes the connection without a reply", async () => {
    inject("after-data", { loseReply: true });
    await using client = await arriveAt("after-data");
    expect(await client.rest()).toBe("");
    expect(smtp.operations.arrivals).toMatchObject([{ faults: [{ stage: "after-data", action: "lose-reply" }] }]);
    expect(smtp.metrics.acceptedSizes).toEqual([3]);
  });

  test("sends the replies to earlier pipelined commands", async () => {
    inject("after-data", { loseReply: true });
    await using client = await smtp.greeted();
    await client.write("MAIL FROM:<>\r\nRCPT TO:<a@b.example>\r\nBDAT 1 LAST\r\nxNOOP\r\n");
    expect((await client.rest()).match(/^\d{3} \S+/gm)).toEqual(["250 2.1.0", "250 2.1.5"]);
    expect(smtp.mails).toEqual(["x"]);
  });
});

describe("delayMs", () => {
  const delayMs = 45_000;

  test.each(everyStage)("delays the reply at stage %s by exactly this time", async (stage) => {
    inject(stage, { delayMs });
    await using client = await arriveAt(stage);
    await until(isDelayed);
    smtp.clock.advance(delayMs - 1);
    expect(isDelayed()).toBe(true);
    smtp.clock.advance(1);
    expect(isDelayed()).toBe(false);
    await client.expect(/^[23]/);
    expect(smtp.operations.arrivals.length).toBe(stage === "after-data" ? 1 : 0);
  });

  test("delays longer than the idle time-out, which starts anew afterwards", async () => {
    inject("mail", { delayMs: 500_000 });
    await using client = await arriveAt("mail");
    await until(isDelayed);
    smtp.clock.advance(500_000);
    await client.expect("250");
    smtp.clock.advance(50_000);
    await client.play(["NOOP", "250"]);
  });

  test("delays the reply at the end of the mail, not the storing", async () => {
    inject("after-data", { delayMs });
    await using client = await arriveAt("after-data");
    await until(isDelayed);
    expect(smtp.mails).toEqual(["x\r\n"]);
    smtp.clock.advance(delayMs);
    await client.expect("250 2.0.0");
  });

  test("precedes the reply or the reset of the same rule", async () => {
    inject("mail", { delayMs, reply: { code: 450 } });
    await using client = await arriveAt("mail");
    await until(isDelayed);
    smtp.clock.advance(delayMs);
    await client.expect("450");
    inject("mail", { delayMs, drop: true });
    await client.write("MAIL FROM:<>\r\n");
    await until(isDelayed);
    expect(client.isOver).toBe(false);
    smtp.clock.advance(delayMs);
    expect(await client.rest()).toBe("");
  });

  test.each(["end", "vanish"] as const)("ends when the client leaves (%s), and frees the session", async (leave) => {
    inject("rcpt", { delayMs });
    const client = await arriveAt("rcpt");
    await until(isDelayed);
    client[leave]();
    await until(() => smtp.server.sessionCount === 0);
    expect(isDelayed()).toBe(false);
  });

  test("ends when the service stops", async () => {
    inject("after-data", { delayMs });
    await using client = await arriveAt("after-data");
    await until(isDelayed);
    const closed = smtp.server.close();
    expect(await client.rest()).toMatch(/^250 2\.0\.0 .*\r\n421 4\.3\.2 .*\r\n$/);
    client.end();
    await closed;
  });
});

describe("delayed sessions at the limits of sessions", () => {
  test.each(["smtpSessionCountMax", "smtpSessionCountPerAddressMax"] as const)(
    "give way to new ones, the oldest first (%s)",
    async (limit) => {
      await using full = await SmtpTestServer.open({ limits: { [limit]: 3 } });
      full.operations.faultAt = (occurrence) =>
        occurrence.stage === "mail" ? faultDecision(occurrence, { delayMs: 60_000 }) : null;
      await using idle = await full.greeted();
      await using first = await full.greeted();
      await first.write("MAIL FROM:<>\r\n");
      await until(() => full.clock.appointmentCount === 2);
      await using second = await full.greeted();
      await second.write("MAIL FROM:<>\r\n");
      await until(() => full.clock.appointmentCount === 3);
      await using third = await full.greeted();
      expect(await first.rest()).toMatch(/^421 4\.7\.0 /);
      await using fourth = await full.greeted();
      expect(await second.rest()).toMatch(/^421 4\.7\.0 /);
      await using refused = await SmtpDialogue.connect(full.server.port);
      expect(await refused.rest()).toMatch(/^421 4\.7\.0 /);
      for (const client of [idle, third, fourth]) await client.play(["NOOP", "250"]);
      await until(() => full.server.sessionCount === 3);
    },
  );

  test("get the reply to a stored mail", async () => {
    await using full = await SmtpTestServer.open({ limits: { smtpSessionCountMax: 1 } });
    full.operations.faultAt = (occurrence) =>
      occurrence.stage === "after-data" ? faultDecision(occurrence, { delayMs: 60_000 }) : null;
    await using client = await full.addressed();
    await client.play(["DATA", "354"]);
    await client.write("x\r\n.\r\n");
    await until(() => full.clock.appointmentCount === 2);
    await using next = await full.greeted();
    expect(await client.rest()).toMatch(/^250 2\.0\.0 [^\n]*\r\n$/);
    await next.play(["NOOP", "250"]);
  });
});

describe("throttle", () => {
  test.each([
    ["DATA", ["DATA\r\n", `${"x".repeat(9998)}\r\n.\r\n`]],
    ["BDAT", ["", `BDAT 4000\r\n${"x".repeat(4000)}BDAT 6000 LAST\r\n${"x".repeat(6000)}`]],
  ] as const)("reads the content of %s at this rate, and keeps the session open", async (_name, [command, content]) => {
    inject("data", { throttle: 80 });
    await using client = await smtp.addressed();
    if (command !== "") await client.play([command, "354"]);
    await client.write(content);
    const startedAt = smtp.clock.monotonicMs();
    while (smtp.mails.length === 0) {
      await until(() => isDelayed() || smtp.mails.length > 0);
      smtp.clock.advance(250);
    }
    expect(smtp.clock.monotonicMs() - startedAt).toBeGreaterThanOrEqual(10_000 / 0.08);
    await client.expect("250");
    if (command === "") await client.expect("250");
    expect(smtp.mails[0]?.length).toBe(10_000);
    expect(smtp.operations.arrivals).toMatchObject([{ faults: [{ stage: "data", action: "throttle" }] }]);
  });

  test("makes the client wait, instead of storing what it sends", async () => {
    inject("data", { throttle: 1000 });
    await using client = await smtp.addressed();
    await client.play(["DATA", "354"]);
    let isSent = false;
    client.socket.write("x".repeat(30_000_000), () => {
      isSent = true;
    });
    await until(isDelayed);
    for (let round = 0; round < 100; round += 1) {
      await until(isDelayed);
      smtp.clock.advance(250);
    }
    expect(isSent).toBe(false);
  });

  test("ends with the time limit of a mail", async () => {
    inject("data", { throttle: 1 });
    await using client = await smtp.addressed();
    await client.play(["DATA", "354"]);
    await client.write(`${"x".repeat(5000)}\r\n.\r\n`);
    while (!client.isOver && smtp.metrics.refusals.length === 0) {
      await until(() => isDelayed() || smtp.metrics.refusals.length > 0);
      smtp.clock.advance(1000);
    }
    expect(await client.rest()).toMatch(/^421 4\.4\.2 /);
    expect(smtp.clock.monotonicMs()).toBeGreaterThanOrEqual(600_000);
    expect(smtp.mails).toEqual([]);
  });

  test("is lifted when the service stops", async () => {
    inject("data", { throttle: 1 });
    await using client = await smtp.addressed();
    await client.play(["DATA", "354"]);
    await client.write(`${"x".repeat(1000)}\r\n.\r\n`);
    await until(isDelayed);
    const closed = smtp.server.close();
    expect(await client.rest()).toMatch(/^250 2\.0\.0 .*\r\n421 4\.3\.2 .*\r\n$/);
    client.end();
    await closed;
    expect(smtp.mails[0]?.length).toBe(1002);
  });
});

test("shows faults in the transcript of the session, and no reply that was lost", async () => {
  smtp.operations.faultAt = (occurrence) => {
    if (occurrence.stage === "rcpt") return faultDecision(occurrence, { delayMs: 0 });
    return occurrence.stage === "after-data" ? faultDecision(occurrence, { loseReply: true }) : null;
  };
  await using client = await arriveAt("after-data");
  await client.rest();
  const encoded = smtp.operations.transcripts.at(-1)?.[testServer] ?? "";
  expect(
    decodeTranscript(encoded)
      .entries.slice(-7)
      .map(({ text }) => text),
  ).toEqual([
    `RCPT TO:<${recipient.address}>`,
    "[fault at rcpt: delay]",
    "250 2.1.5 Ok",
    "DATA",
    "354 End data with <CR><LF>.<CR><LF>",
    "[6 bytes of message data]",
    "[fault at after-data: lose-reply]",
  ]);
});

test("asks once at each stage, with the facts that are known there", async () => {
  await using client = await arriveAt("after-data");
  await client.expect("250");
  await client.play(["STARTTLS", "220"]);
  const shared = { clientAddress: "127.0.0.1", provider: null };
  const sender = "sender@client.example";
  const before = { ...shared, server: null, userName: null, sender: null, recipients: [] };
  const signedIn = { ...shared, server: testServer, userName: "abcd1234" };
  const expected: FaultOccurrence[] = [
    { ...before, stage: "connect", isTlsHandshake: false },
    { ...before, stage: "ehlo" },
    { ...signedIn, stage: "auth", sender: null, recipients: [] },
    { ...signedIn, stage: "mail", sender, recipients: [] },
    { ...signedIn, stage: "rcpt", sender, recipients: [recipient] },
    { ...signedIn, stage: "data", sender, recipients: [recipient] },
    { ...signedIn, stage: "after-data", sender, recipients: [recipient] },
    { ...signedIn, stage: "starttls", sender: null, recipients: [], isTlsHandshake: true },
  ];
  expect(smtp.operations.occurrences).toEqual(expected);
});

test("asks only about commands that would succeed", async () => {
  await using client = await smtp.greeted();
  await client.play(["MAIL FROM:<x", "501"], ["MAIL FROM:<>", "250"], ["RCPT TO:<nobody@b.example>", "550"]);
  await client.play(["RCPT TO:<full@b.example>", "452"], ["DATA", "554"], ["AUTH PLAIN x", "503"]);
  expect(smtp.operations.occurrences.map(({ stage }) => stage)).toEqual(["connect", "ehlo", "mail"]);
});

test("lists faults of the session with each mail, those of a transaction with its mail only", async () => {
  let mailCount = 0;
  smtp.operations.faultAt = (occurrence) => {
    if (occurrence.stage === "mail") mailCount += 1;
    const isHit = occurrence.stage === "connect" || (occurrence.stage === "mail" && mailCount === 2);
    return isHit ? { ...faultDecision(occurrence, { delayMs: 0 }), late: [] } : null;
  };
  await using client = await smtp.addressed();
  for (const command of ["DATA", "x\r\n."]) await client.play([command, /^[23]/]);
  for (let count = 0; count < 2; count += 1) {
    for (const [, command] of commands.slice(2)) await client.play([command, /^[23]/]);
  }
  const stagesOf = smtp.operations.arrivals.map(({ faults = [] }) => faults.map(({ stage }) => stage));
  expect(stagesOf).toEqual([["connect"], ["connect", "mail"], ["connect"]]);
});

test("passes on to which servers a mail is delivered later", async () => {
  const late = [{ server: testServer, deliverAfterMs: 5000 }];
  smtp.operations.faultAt = (occurrence) => (occurrence.stage === "after-data" ? { then: null, late, hits: [] } : null);
  await using client = await arriveAt("after-data");
  await client.expect("250");
  expect(smtp.operations.arrivals).toMatchObject([{ late }]);
});

test("fails the stage with 451 when the decision fails", async () => {
  smtp.operations.decideFault = ({ stage }) => (stage === "mail" ? Promise.reject(new Error("store is away")) : null);
  await using client = await smtp.greeted();
  await client.play(["MAIL FROM:<>", "451 4.3.0"], ["NOOP", "250"]);
});
