import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SmtpTestServer } from "../../../testing/smtp-test-server.ts";

let smtp: SmtpTestServer;
beforeAll(async () => {
  smtp = await SmtpTestServer.open();
});
afterAll(() => smtp.server.close());

describe("a standard verb that is not implemented", () => {
  test.each(["EXPN staff", "ETRN b.example", "TURN", "ATRN", "SEND FROM:<a@b.example>", "SOML", "SAML", "expn staff"])(
    "%s is answered with 502",
    async (line) => {
      await using client = await smtp.greeted();
      await client.play([line, "502 5.5.1"], ["NOOP", "250"]);
    },
  );
});

describe("an unknown command", () => {
  test.each(["", " ", "NOOPS", "MAIL-FROM:<a@b.example>", "X", ".", " NOOP", "__proto__", "toString", "用户"])(
    "%j is answered with 500",
    async (line) => {
      await using client = await smtp.greeted();
      await client.play([line, "500 5.5.2"], ["NOOP", "250"]);
      expect(smtp.metrics.refusals.at(-1)).toBe("syntax");
    },
  );
});
