import { createHmac } from "node:crypto";
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
    expect(smtp.operations.credentials).toEqual([
      { user: "abcd1234", proof: { kind: "password", password: "secret" }, clientAddress: "127.0.0.1" },
    ]);
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
    ["an authorization id of another user", [[`AUTH PLAIN ${base64("root\0abcd1234\0secret")}`, "535 5.7.8"]], 1],
    ["an empty initial response", [["AUTH PLAIN =", "501 5.5.2"]], 0],
    ["too few fields", [[`AUTH PLAIN ${base64("abcd1234\0secret")}`, "501 5.5.2"]], 0],
    ["too many fields", [[`AUTH PLAIN ${base64("\0abcd1234\0secret\0")}`, "501 5.5.2"]], 0],
    ["invalid base64", [["AUTH PLAIN AGFiY2QxMjM0AHNlY3JldA", "501 5.5.2"]], 0],
    ["a user and a password in Latin-1", [["AUTH PLAIN AP8A/w==", "535 5.7.8"]], 1],
    ["more than one argument", [[`AUTH PLAIN ${plain} ${plain}`, "501 5.5.2"]], 0],
    ["another mechanism", [["AUTH NTLM", "504 5.5.4"]], 0],
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
        ["A".repeat(13_000), "500 5.5.2"],
      ],
      0,
    ],
  ] as const)("rejects %s and continues without credentials", async (_, steps, checked) => {
    await using client = await smtp.greeted();
    await client.play(...steps);
    expect(smtp.operations.credentials).toHaveLength(checked);
    await client.play(["NOOP", "250"], [`AUTH PLAIN ${plain}`, "235"]);
  });

  test.each([
    ["XOAUTH2", "user=abcd1234\u0001auth=Bearer secret\u0001\u0001"],
    ["OAUTHBEARER", "n,a=abcd1234,\u0001host=x\u0001port=25\u0001auth=Bearer secret\u0001\u0001"],
  ])("accepts %s, also with a token of 8 kB", async (mechanism, response) => {
    for (const steps of [
      [[`AUTH ${mechanism} ${base64(response)}`, "235 2.7.0"]],
      [
        [`AUTH ${mechanism}`, "334 "],
        [base64(response), "235 2.7.0"],
      ],
    ] as const) {
      await using client = await smtp.greeted();
      await client.play(
        [`AUTH ${mechanism} ${base64(response.replace("secret", "t".repeat(8000)))}`, "334 "],
        ["", "535 5.7.8"],
      );
      await client.play(...steps);
    }
    expect(smtp.operations.credentials.at(-1)).toEqual({
      user: "abcd1234",
      proof: { kind: "token", token: "secret" },
      clientAddress: "127.0.0.1",
    });
  });

  test.each([
    ["XOAUTH2", "user=abcd1234\u0001auth=Bearer wrong\u0001\u0001", { status: "400", schemes: "Bearer" }],
    ["OAUTHBEARER", "n,a=abcd1234,\u0001auth=Bearer wrong\u0001\u0001", { status: "invalid_token" }],
  ])("responds to a wrong token of %s with a challenge, then 535", async (mechanism, response, error) => {
    await using client = await smtp.greeted();
    await client.play(
      [`AUTH ${mechanism} ${base64(response)}`, `334 ${base64(JSON.stringify(error))}`],
      [base64("\u0001"), "535 5.7.8"],
      [`AUTH PLAIN ${plain}`, "235"],
    );
  });

  test.each([
    ["XOAUTH2", "user=\u0001auth=Bearer secret\u0001\u0001"],
    ["XOAUTH2", "auth=Bearer secret\u0001\u0001"],
    ["XOAUTH2", "user=abcd1234\u0001auth=Basic secret\u0001\u0001"],
    ["OAUTHBEARER", "y,\u0001auth=Bearer secret\u0001\u0001"],
    ["OAUTHBEARER", "n,a=abcd1234,\u0001auth=Bearer \u0001\u0001"],
  ])("rejects a malformed response of %s: %j", async (mechanism, response) => {
    await using client = await smtp.greeted();
    await client.play([`AUTH ${mechanism} ${base64(response)}`, "501 5.5.2"]);
    expect(smtp.operations.credentials).toEqual([]);
  });

  test("accepts CRAM-MD5 with a new challenge each time, and rejects a digest of another challenge", async () => {
    await using client = await smtp.greeted();
    const challengeOf = async (): Promise<string> => {
      await client.write("AUTH CRAM-MD5\r\n");
      const line = await client.expect("334 ");
      return Buffer.from(line.slice(4), "base64").toString();
    };
    const digest = (challenge: string): string =>
      base64(`abcd1234 ${createHmac("md5", "secret").update(challenge).digest("hex")}`);
    const first = await challengeOf();
    expect(first).toMatch(/^<[0-9a-f]{32}@[^>]+>$/);
    await client.play([base64("abcd1234 no-digest"), "501 5.5.2"]);
    const second = await challengeOf();
    expect(second).not.toBe(first);
    await client.play([digest(first), "535 5.7.8"]);
    await client.play(["AUTH CRAM-MD5 AAAA", "501 5.5.2"]);
    await client.play([digest(await challengeOf()), "235 2.7.0"]);
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

  test("accepts another authorization identity, and a password in Latin-1, of a user name without a server", async () => {
    for (const response of [base64("shared@corp.example\0anybody\0pw"), "AGFueWJvZHkAcMRzcw=="]) {
      await using client = await smtp.greeted();
      await client.play([`AUTH PLAIN ${response}`, "235 2.7.0"]);
    }
    await using client = await smtp.greeted();
    await client.play(["AUTH LOGIN", "334"], [base64("anybody"), "334"], ["cMRzcw==", "235 2.7.0"]);
    expect(smtp.operations.credentials.map(({ proof }) => proof)).toEqual(
      ["pw", "p\u00c4ss", "p\u00c4ss"].map((password) => ({ kind: "password", password })),
    );
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
