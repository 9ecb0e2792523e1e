import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultLimits } from "../../core/limits.ts";
import { parseMail } from "../parse-mail.ts";
import { composeMail, type MailToCompose } from "./compose.ts";
import type { CustomField } from "./mail-fields.ts";
import { codePoint } from "../../testing/code-point.test-aid.ts";

const mail: MailToCompose = {
  messageId: "<1@x.test>",
  date: 0,
  boundarySeed: "seed",
  from: { address: "from@x.test" },
  to: [{ address: "to@x.test" }],
  subject: "Hello",
  text: "text",
  html: null,
};

const headersOf = async (changes: Partial<MailToCompose>): Promise<readonly (readonly [string, string])[]> => {
  const raw = await composeMail({ ...mail, ...changes });
  return parseMail(raw, defaultLimits).headers.map(({ field, value }) => [field, value] as const);
};

describe("a composed mail", () => {
  test("has custom fields in order, with repeated names and their letter case", async () => {
    const custom: readonly CustomField[] = [
      ["X-SES-CONFIGURATION-SET", "one"],
      ["x-tag", "größe"],
      ["x-tag", "b"],
      ["X-Long", "word ".repeat(100) + "x".repeat(400)],
      ["List-Unsubscribe", "<https://x.test/u>"],
    ];
    expect((await headersOf({ custom })).slice(0, 5)).toEqual(custom);
  });

  test("has all reply addresses", async () => {
    const replyTo = [{ name: "Ada, L.", address: "ada@x.test" }, { address: "b@x.test" }];
    const raw = await composeMail({ ...mail, replyTo, custom: [["Reply-To", "other@x.test"]] });
    expect(parseMail(raw, defaultLimits).replyTo).toEqual([
      { name: "Ada, L.", email: "ada@x.test", phone: null },
      { name: "", email: "b@x.test", phone: null },
    ]);
  });

  test("has a custom Reply-To when it has no reply addresses", async () => {
    expect(await headersOf({ custom: [["Reply-To", "other@x.test"]] })).toContainEqual(["Reply-To", "other@x.test"]);
  });

  test.each([
    "From",
    "tO",
    "Bcc",
    "subject",
    "DATE",
    "Message-Id",
    "MIME-Version",
    "Content-Type",
    "content-x",
    "a:b",
    "a b",
    "",
  ])("does not take a custom field named %j", async (name) => {
    expect(await headersOf({ custom: [[name, "evil@x.test"]] })).toEqual(await headersOf({}));
  });

  test("has no further field for any custom name and value", async () => {
    const known = (await headersOf({})).length;
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: codePoint }), fc.string({ unit: codePoint }), async (name, value) => {
        const headers = await headersOf({ custom: [[name, value]] });
        expect(headers.length - known).toBeLessThanOrEqual(1);
        expect(headers.filter(([field]) => field.toLowerCase() === "from")).toEqual([["From", "from@x.test"]]);
      }),
      { numRuns: 200 },
    );
  });
});
