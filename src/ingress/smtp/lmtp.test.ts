import { describe, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { SmtpDialogue, type SmtpStep } from "../../testing/smtp-dialogue.ts";
import { SmtpTestServer } from "../../testing/smtp-test-server.ts";

const first = "2f0d1c73-7400-8000-8000-000000000000";
const second = "9644de9b-3080-8000-8000-000000000000";
const envelope: readonly SmtpStep[] = [
  ["LHLO client.example", "250-mx.restante.test"],
  ["MAIL FROM:<app@example.com>", "250 2.1.0"],
  ["RCPT TO:<a@x.example>", "250 2.1.5"],
  ["RCPT TO:<nobody@x.example>", "550 5.1.1"],
  ["RCPT TO:<other@x.example>", "250 2.1.5"],
  ["RCPT TO:<b@x.example>", "250 2.1.5"],
];

async function connect(server: SmtpTestServer, ...steps: readonly SmtpStep[]): Promise<SmtpDialogue> {
  const client = await SmtpDialogue.connect(server.server.port);
  await client.expect("220 mx.restante.test LMTP");
  await client.play(...steps);
  return client;
}

async function replies(client: SmtpDialogue, count: number): Promise<readonly string[]> {
  const read: string[] = [];
  while (read.length < count) read.push(await client.reply());
  return read;
}

describe("LMTP", () => {
  test("has LHLO with the extensions of EHLO, and neither EHLO nor HELO", async () => {
    await using server = await SmtpTestServer.open({ isLmtp: true });
    await using client = await connect(server, ["EHLO x", "500 5.5.2"], ["HELO x", "500 5.5.2"], ["LHLO", "501 5.5.4"]);
    await client.write("LHLO x\r\n");
    const extensions = await client.reply();
    // RFC 2033 §5.
    expect(extensions).toContain("PIPELINING");
    expect(extensions).toContain("ENHANCEDSTATUSCODES");
  });

  test("does not exist at the SMTP port", async () => {
    await using server = await SmtpTestServer.open();
    await using client = await SmtpDialogue.connect(server.server.port);
    await client.expect("220 mx.restante.test ESMTP");
    await client.play(["LHLO x", "500 5.5.2"], ["EHLO x", "250-"]);
  });

  test.each(["DATA", "BDAT"])(
    "replies after %s once for each accepted recipient, with the message of its server",
    async (verb) => {
      await using server = await SmtpTestServer.open({ isLmtp: true });
      await using client = await connect(server, ...envelope);
      if (verb === "DATA") {
        await client.play(["DATA", "354"]);
        await client.write("Subject: x\r\n\r\nHello\r\n.\r\n");
      } else {
        await client.write("BDAT 5\r\nHelloBDAT 0 LAST\r\n");
        await client.expect("250 2.0.0 Ok: chunk received");
      }
      const queued = [first, second, first].map((id) => `250 2.0.0 Ok: queued as ${id}`);
      expect(await replies(client, 3)).toEqual(queued);
      await client.play(["NOOP", "250 2.0.0 Ok"]);
      const { arrivals, transcripts } = server.operations;
      expect(arrivals.map(({ session, recipients }) => [session.protocol, recipients.length])).toEqual([["LMTP", 3]]);
      const ofServer = (server: string): readonly string[] => transcripts[0]?.[server]?.match(/queued as \S+/g) ?? [];
      expect(ofServer("abcd1234")).toEqual([`queued as ${first}`, `queued as ${first}`]);
      expect(ofServer("wxyz9876")).toEqual([`queued as ${second}`]);
    },
  );

  test.each([
    ["452 4.3.1", new Problem("storage_full")],
    ["451 4.3.0", new Error("the store fails")],
  ])("replies %s once for each recipient when storing fails, and logs what is no problem", async (status, error) => {
    await using server = await SmtpTestServer.open({ isLmtp: true });
    server.operations.beforeCommit = () => {
      throw error;
    };
    await using client = await connect(server, ...envelope, ["DATA", "354"]);
    await client.write("Subject: x\r\n\r\nHello\r\n.\r\n");
    expect((await replies(client, 3)).map((reply) => reply.slice(0, 9))).toEqual([status, status, status]);
    await client.play(["NOOP", "250 2.0.0 Ok"]);
    expect(server.log.lines.filter(({ level }) => level === "error")).toHaveLength(error instanceof Problem ? 0 : 1);
  });

  test("replies once for each recipient to a mail that is too large", async () => {
    await using server = await SmtpTestServer.open({ isLmtp: true, limits: { messageBytesMax: 100 } });
    await using client = await connect(server, ...envelope, ["DATA", "354"]);
    await client.write(`Subject: x\r\n\r\n${"x".repeat(100)}\r\n.\r\n`);
    expect((await replies(client, 3)).every((reply) => reply.startsWith("552 5.3.4"))).toBe(true);
    await client.play(["NOOP", "250 2.0.0 Ok"]);
  });

  test("replies once to DATA without an accepted recipient", async () => {
    await using server = await SmtpTestServer.open({ isLmtp: true });
    const [hello, mail] = envelope;
    if (hello === undefined || mail === undefined) throw new Error("the envelope has a sender");
    await using client = await connect(server, hello, mail);
    await client.play(["DATA", "503 5.5.1"], ["RCPT TO:<nobody@x.example>", "550"], ["DATA", "554 5.5.1"]);
    await client.play(["NOOP", "250 2.0.0 Ok"]);
  });
});
