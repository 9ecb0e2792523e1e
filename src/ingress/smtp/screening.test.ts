import { describe, expect, test } from "vitest";
import type { Screening } from "../../core/smtp-session.ts";
import { SmtpDialogue } from "../../testing/smtp-dialogue.ts";
import { RecordingOperations, SmtpTestServer } from "../../testing/smtp-test-server.ts";
import { throwAwayCertificate } from "../../testing/throw-away-certificate.ts";
import type { SmtpOperations } from "./options.ts";

/** Operations of a service that receives from the Internet. */
class PublicOperations extends RecordingOperations {
  readonly screenRecipient: NonNullable<SmtpOperations["screenRecipient"]> = ({ address }) => {
    const reason = reasons[address.split("@", 1)[0] ?? ""];
    return reason === undefined || address.startsWith("at-once") ? (reason ?? null) : Promise.resolve(reason);
  };
}

const reasons: Readonly<Record<string, Screening>> = {
  foreign: { kind: "relay_denied" },
  "at-once": { kind: "relay_denied" },
  listed: { kind: "listed", list: "zen.example" },
  grey: { kind: "greylisted", waitMs: 59_001 },
  fast: { kind: "too_many_recipients" },
};

const mail = ["MAIL FROM:<a@b.example>", "250"] as const;
const signIn = [`AUTH PLAIN ${Buffer.from("\0abcd1234\0secret").toString("base64")}`, "235"] as const;

describe("clients from the Internet", () => {
  test.each([
    ["foreign", "554 5.7.1 Relay access denied", "relay_denied"],
    ["at-once", "554 5.7.1 Relay access denied", "relay_denied"],
    ["listed", "554 5.7.1 Service unavailable; client host blocked using zen.example", "block_list"],
    ["grey", "451 4.7.1 Greylisted, please try again in 60 seconds", "greylisted"],
    ["fast", "450 4.7.1 Error: too many recipients from your network; try again later", "rate"],
  ])("get a reply for %s recipients, which are not resolved", async (name, expected, refusal) => {
    const operations = new PublicOperations();
    await using smtp = await SmtpTestServer.open({ operations });
    await using client = await smtp.greeted();
    await client.play(
      mail,
      [`RCPT TO:<${name}@x.example>`, expected],
      ["DATA", "554 5.5.1 Error: no valid recipients"],
    );
    expect(operations.resolved).toEqual([]);
    expect(smtp.metrics.refusals).toContain(refusal);
  });

  test("learn no ids of messages, and senders with AUTH do", async () => {
    const operations = new PublicOperations();
    await using smtp = await SmtpTestServer.open({ operations });
    await using client = await smtp.greeted();
    const send = [
      ["RCPT TO:<x@y.example>", "250"],
      ["DATA", "354"],
    ] as const;
    await client.play(mail, ...send, ["Hello\r\n.", /^250 2\.0\.0 Ok: queued$/]);
    await client.play(
      signIn,
      mail,
      ["RCPT TO:<foreign@y.example>", "250"],
      ["DATA", "354"],
      ["Hello\r\n.", /queued as \S{36}$/],
    );
    expect(Object.values(operations.transcripts[0] ?? {})[0]).toContain("250 2.0.0 Ok: queued\n");
  });

  test("learn no ids by LMTP either", async () => {
    await using smtp = await SmtpTestServer.open({ operations: new PublicOperations(), isLmtp: true });
    await using client = await smtp.connect();
    await client.play(["LHLO x", "250"], mail, ["RCPT TO:<x@y.example>", "250"], ["RCPT TO:<other@y.example>", "250"]);
    await client.play(["DATA", "354"], ["Hello\r\n.", /^250 2\.0\.0 Ok: queued$/]);
    expect(await client.reply()).toBe("250 2.0.0 Ok: queued");
  });
});

describe("AUTH where clear text is not allowed", () => {
  test("is neither offered nor accepted before STARTTLS", async () => {
    const { secureContext } = throwAwayCertificate();
    await using smtp = await SmtpTestServer.open({ secureContext, allowsClearTextAuth: () => false });
    await using client = await smtp.connect();
    await client.write("EHLO x\r\n");
    expect(await client.reply()).not.toContain("AUTH");
    await client.play([signIn[0], "538 5.7.11"], ["STARTTLS", "220"]);
    await client.secure({ rejectUnauthorized: false });
    await client.write("EHLO x\r\n");
    expect(await client.reply()).toContain("AUTH PLAIN");
    await client.play(signIn);
  });

  test("is accepted on a port with implicit TLS", async () => {
    const { secureContext } = throwAwayCertificate();
    const options = { secureContext, implicitTls: true, allowsClearTextAuth: () => false };
    await using smtp = await SmtpTestServer.open(options);
    await using client = await SmtpDialogue.connect(smtp.server.port, { rejectUnauthorized: false });
    await client.expect("220");
    await client.play(["EHLO x", /AUTH PLAIN/], signIn);
  });
});

test("sessions of one network are limited where mail arrives from the Internet", async () => {
  const limits = { publicSessionCountPerNetworkMax: 1 };
  const isProxy = (address: string): boolean => address === "127.0.0.1";
  const openFor = async (smtp: SmtpTestServer, address: string): Promise<SmtpDialogue> => {
    const client = await SmtpDialogue.connect(smtp.server.port);
    await client.write(`PROXY TCP4 ${address} 198.51.100.1 51834 25\r\n`);
    return client;
  };
  await using smtp = await SmtpTestServer.open({ operations: new PublicOperations(), limits, isProxy });
  await using own = await SmtpTestServer.open({ limits, isProxy });
  await using first = await openFor(smtp, "8.51.100.7");
  await first.expect("220");
  await using second = await openFor(smtp, "8.51.100.8");
  await second.expect("421 4.7.0");
  for (const address of ["8.51.101.1", "10.0.0.1", "10.0.0.2"]) {
    await using other = await openFor(smtp, address);
    await other.expect("220");
  }
  for (const address of ["8.51.100.7", "8.51.100.8"]) {
    await using other = await openFor(own, address);
    await other.expect("220");
    await other.play(["QUIT", "221"]);
  }
  await first.play(["QUIT", "221"]);
  await first.rest();
});
