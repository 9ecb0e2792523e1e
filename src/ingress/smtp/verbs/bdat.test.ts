import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SmtpTestServer } from "../../../testing/smtp-test-server.ts";

const messageBytesMax = 100;
let smtp: SmtpTestServer;
beforeAll(async () => {
  smtp = await SmtpTestServer.open({ limits: { messageBytesMax } });
});
beforeEach(() => {
  smtp.operations.arrivals.length = 0;
});
afterAll(() => smtp.server.close());

describe("BDAT", () => {
  test("joins chunks of any octets without interpreting them", async () => {
    await using client = await smtp.addressed();
    await client.play(
      ["BDAT 9\r\na\r\n.\r\n.\r\n", "250 2.0.0"],
      [Buffer.from("BDAT 3\r\n\n\0\r"), "250 2.0.0"],
      ["bdat 5 last\r\nQUIT\n", "250 2.0.0 Ok: queued as 2f0d1c73-7400-8000-8000-000000000000"],
    );
    expect(smtp.mails).toEqual(["a\r\n.\r\n.\r\n\n\0\rQUIT\n"]);
  });

  test("accepts an empty last chunk and an empty mail", async () => {
    await using client = await smtp.addressed();
    await client.write("BDAT 2\r\nabBDAT 0 LAST\r\n");
    await client.expect("250 2.0.0 Ok: chunk received");
    await client.expect("250 2.0.0 Ok: queued as 2f0d1c73-7400-8000-8000-000000000000");
    await client.play(
      ["MAIL FROM:<>", "250"],
      ["RCPT TO:<a@b.example>", "250"],
      ["BDAT 0", "250 2.0.0 Ok: chunk received"],
      ["BDAT 0 LAST", "250 2.0.0 Ok: queued as 2f0d1c73-7400-8000-8000-000000000000"],
    );
    expect(smtp.mails).toEqual(["ab", ""]);
  });

  test("can be pipelined after MAIL and RCPT", async () => {
    await using client = await smtp.greeted();
    await client.write("MAIL FROM:<>\r\nRCPT TO:<later@b.example>\r\nBDAT 1\r\naBDAT 1 LAST\r\nbQUIT\r\n");
    for (const expected of ["250 2.1.0", "250 2.1.5", "250 2.0.0 Ok: chunk", "250 2.0.0 Ok: queued as", "221"]) {
      await client.expect(expected);
    }
    expect(smtp.mails).toEqual(["ab"]);
  });

  test("drops the octets of a rejected chunk instead of reading them as commands", async () => {
    await using client = await smtp.greeted();
    await client.play(
      ["BDAT 6\r\nQUIT\r\n", "503 5.5.1 Error: need MAIL command"],
      ["MAIL FROM:<>", "250"],
      ["BDAT 6 LAST\r\nQUIT\r\n", "503 5.5.1"],
      ["RCPT TO:<nobody@b.example>", "550"],
      ["BDAT 6 LAST\r\nQUIT\r\n", "554 5.5.1"],
      ["NOOP", "250"],
    );
    expect(smtp.mails).toEqual([]);
  });

  test("rejects MAIL, RCPT and DATA after the first chunk until the last chunk or RSET", async () => {
    await using client = await smtp.addressed();
    await client.play(
      ["BDAT 2\r\n\r\n", "250"],
      ["MAIL FROM:<>", "503"],
      ["RCPT TO:<a@b.example>", "503"],
      ["DATA", "503"],
      ["RSET", "250"],
      ["BDAT 2 LAST\r\n\r\n", "503"],
    );
    expect(smtp.mails).toEqual([]);
  });

  test("accepts chunks up to the size limit and rejects a mail that is a byte larger with its remaining chunks", async () => {
    await using client = await smtp.addressed();
    const half = `${"x".repeat(messageBytesMax / 2 - 1)}\n`;
    await client.play([`BDAT 50\r\n${half}`, "250"], [`BDAT 50 LAST\r\n${half}`, "250"]);
    await client.play(
      ["MAIL FROM:<>", "250"],
      ["RCPT TO:<a@b.example>", "250"],
      [`BDAT 50\r\n${half}`, "250"],
      [`BDAT 51\r\n${half}\n`, "552 5.3.4"],
      [`BDAT 50 LAST\r\n${half}`, "503 5.5.1"],
      ["MAIL FROM:<>", "250"],
      ["RCPT TO:<a@b.example>", "250"],
      [`BDAT 101 LAST\r\n${half}${half}\n`, "552 5.3.4"],
      ["NOOP", "250"],
    );
    expect(smtp.mails).toEqual([half + half]);
  });

  test.each([`BDAT ${2 * messageBytesMax + 1}`, "BDAT 99999999999999999999 LAST"])(
    "%s closes the session because the chunk is too large to drop",
    async (line) => {
      await using client = await smtp.addressed();
      await client.play([line, "552 5.3.4"]);
      expect(await client.rest()).toBe("");
    },
  );

  test.each(["BDAT", "BDAT x", "BDAT -1", "BDAT 1 LAST LAST", "BDAT 1 FIRST", "BDAT 1LAST"])(
    "%s closes the session because content could follow",
    async (line) => {
      await using client = await smtp.addressed();
      await client.write(`${line}\r\nNOOP\r\n`);
      await client.expect("501 5.5.4");
      expect(await client.rest()).toBe("");
    },
  );
});
