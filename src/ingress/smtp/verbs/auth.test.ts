import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SmtpTestServer, testServer } from "../../../testing/smtp-test-server.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const plain = base64("\0abcd1234\0secret");

let smtp: SmtpTestServer;
beforeAll(async () => {
  smtp = await SmtpTestServer.open();
});
beforeEach(() => {
  smtp.operations.credentials.length = 0;
});
afterAll(() => smtp.server.close());

describe("AUTH", () => {
  test.each([
    ["PLAIN with initial response", [[`AUTH PLAIN ${plain}`, "235 2.7.0"]]],
    [
      "PLAIN without",
      [
        ["auth plain", "334 "],
        [plain, "235 2.7.0"],
      ],
    ],
    ["PLAIN with one's own authorization id", [[`AUTH PLAIN ${base64("abcd1234\0abcd1234\0secret")}`, "235 2.7.0"]]],
    [
      "LOGIN without initial response",
      [
        ["AUTH LOGIN", "334 VXNlcm5hbWU6"],
        [base64("abcd1234"), "334 UGFzc3dvcmQ6"],
        [base64("secret"), "235 2.7.0"],
      ],
    ],
    [
      "LOGIN with initial response",
      [
        [`AUTH LOGIN ${base64("abcd1234")}`, "334 UGFzc3dvcmQ6"],
        [base64("secret"), "235 2.7.0"],
      ],
    ],
  ] as const)("accepts %s", async (_, steps) => {
    await using client = await smtp.greeted();
    await client.play(...steps);
    expect(smtp.operations.credentials).toEqual([{ user: "abcd1234", password: "secret", clientAddress: "127.0.0.1" }]);
    await client.play(["EHLO client.example", /^(?![^]*AUTH)250-/], [`AUTH PLAIN ${plain}`, "503 5.5.1"]);
    await client.play(["MAIL FROM:<>", "250"], ["RCPT TO:<a@b.example>", "250"], ["DATA", "354"], [".", "250"]);
    expect(smtp.operations.arrivals.at(-1)?.session).toMatchObject({
      authenticatedAs: testServer,
      protocol: "ESMTPA",
    });
  });

  test.each([
    ["a wrong password", [[`AUTH PLAIN ${base64("\0abcd1234\0wrong")}`, "535 5.7.8"]], 1],
    ["an empty password", [[`AUTH PLAIN ${base64("\0abcd1234\0")}`, "535 5.7.8"]], 1],
    ["an authorization id of another user", [[`AUTH PLAIN ${base64("root\0abcd1234\0secret")}`, "535 5.7.8"]], 0],
    ["an empty initial response", [["AUTH PLAIN =", "501 5.5.2"]], 0],
    ["too few fields", [[`AUTH PLAIN ${base64("abcd1234\0secret")}`, "501 5.5.2"]], 0],
    ["too many fields", [[`AUTH PLAIN ${base64("\0abcd1234\0secret\0")}`, "501 5.5.2"]], 0],
    ["invalid base64", [["AUTH PLAIN AGFiY2QxMjM0AHNlY3JldA", "501 5.5.2"]], 0],
    ["base64 of invalid UTF-8", [["AUTH PLAIN AP8A/w==", "501 5.5.2"]], 0],
    ["more than one argument", [[`AUTH PLAIN ${plain} ${plain}`, "501 5.5.2"]], 0],
    ["another mechanism", [["AUTH CRAM-MD5", "504 5.5.4"]], 0],
    ["no mechanism", [["AUTH", "504 5.5.4"]], 0],
    [
      "a cancelled PLAIN",
      [
        ["AUTH PLAIN", "334"],
        ["*", "501 5.7.0"],
      ],
      0,
    ],
    [
      "a cancelled LOGIN",
      [
        [`AUTH LOGIN ${base64("abcd1234")}`, "334"],
        ["*", "501 5.7.0"],
      ],
      0,
    ],
    [
      "a response that is a command",
      [
        ["AUTH LOGIN", "334"],
        ["QUIT now", "501 5.5.2"],
      ],
      0,
    ],
    [
      "a response over the line limit",
      [
        ["AUTH PLAIN", "334"],
        ["A".repeat(5000), "500 5.5.2"],
      ],
      0,
    ],
  ] as const)("rejects %s and continues without credentials", async (_, steps, checked) => {
    await using client = await smtp.greeted();
    await client.play(...steps);
    expect(smtp.operations.credentials).toHaveLength(checked);
    await client.play(["NOOP", "250"], [`AUTH PLAIN ${plain}`, "235"]);
  });

  test("requires EHLO and rejects AUTH within a transaction", async () => {
    await using client = await smtp.connect();
    await client.play(
      [`AUTH PLAIN ${plain}`, "503 5.5.1"],
      ["EHLO client.example", "250"],
      ["MAIL FROM:<>", "250"],
      [`AUTH PLAIN ${plain}`, "503 5.5.1"],
      ["RSET", "250"],
      [`AUTH PLAIN ${plain}`, "235"],
    );
  });

  test("accepts a user name without a server, records it and routes by recipient", async () => {
    await using client = await smtp.greeted();
    await client.play([`AUTH PLAIN ${base64("\0anybody\0secret")}`, "235 2.7.0"], [`AUTH PLAIN ${plain}`, "503 5.5.1"]);
    await client.play(["MAIL FROM:<>", "250"], ["RCPT TO:<a@b.example>", "250"], ["DATA", "354"], [".", "250"]);
    expect(smtp.operations.resolved.at(-1)).toEqual(["a@b.example", null]);
    expect(smtp.operations.arrivals.at(-1)?.session).toMatchObject({
      authenticatedAs: null,
      auth: { user: "anybody", mechanism: "PLAIN" },
      protocol: "ESMTPA",
    });
  });

  test("closes the session of a throttled address", async () => {
    await using client = await smtp.greeted();
    await client.play([`AUTH PLAIN ${base64("\0throttled\0x")}`, "421 4.7.0"]);
    expect(await client.rest()).toBe("");
    expect(smtp.metrics.refusals.at(-1)).toBe("authentication");
  });

  test("logs no password", () => {
    expect(JSON.stringify(smtp.log.lines)).not.toMatch(/secret|c2VjcmV0|NlY3Jld/);
  });
});
