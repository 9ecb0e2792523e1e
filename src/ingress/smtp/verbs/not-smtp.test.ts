import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SmtpTestServer } from "../../../testing/smtp-test-server.ts";

let smtp: SmtpTestServer;
beforeAll(async () => {
  smtp = await SmtpTestServer.open();
});
afterAll(() => smtp.server.close());

describe("an HTTP request", () => {
  test.each(["GET / HTTP/1.1", "POST / HTTP/1.1", "OPTIONS * HTTP/1.1", "CONNECT mailosaur.com:443 HTTP/1.1"])(
    "%s ends the session before its body could be read as commands",
    async (line) => {
      await using client = await smtp.connect();
      const body = "EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<a@b.example>\r\nDATA\r\nevil\r\n.\r\n";
      await client.write(`${line}\r\nHost: 127.0.0.1\r\n\r\n${body}`);
      await client.expect("421 4.7.0");
      expect(await client.rest()).toBe("");
      expect(smtp.operations.arrivals).toEqual([]);
    },
  );
});
