import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectLinearCpu } from "../../testing/cpu-growth.test-aid.ts";
import { defaultLimits } from "../../core/limits.ts";
import { fingerprintMail, type VolatileValues } from "./fingerprint.ts";
import { differencesOf, groupDuplicates } from "./group-duplicates.ts";

const message = (content: string, recipients: readonly string[], receivedAt: number) => ({
  content,
  recipients,
  receivedAt,
});

describe("groupDuplicates", () => {
  test("groups messages by content and recipient, and merges recipients that received the same ones", () => {
    const [a, b, c, d] = [
      message("x", ["Bob@a", "ann@a"], 4),
      message("x", ["ann@a", "bob@a", "eve@a"], 3),
      message("y", ["ann@a"], 2),
      message("x", ["bob@a"], 1),
    ];
    expect(groupDuplicates([a, b, c, d], Infinity)).toEqual([
      { recipients: ["bob@a"], members: [a, b, d] },
      { recipients: ["ann@a"], members: [a, b] },
    ]);
  });

  test("groups messages without recipients", () => {
    const [a, b] = [message("x", [], 2), message("x", [], 1)];
    expect(groupDuplicates([a, b], Infinity)).toEqual([{ recipients: [], members: [a, b] }]);
  });

  test("splits a group where the delay is longer than allowed", () => {
    const [a, b, c, d] = [40, 30, 19, 10].map((receivedAt) => message("x", ["ann@a"], receivedAt));
    expect(
      groupDuplicates(
        [a, b, c, d].filter((one) => one !== undefined),
        10,
      ).map(({ members }) => members),
    ).toEqual([
      [a, b],
      [c, d],
    ]);
  });

  test("puts each pair with the same content and a common recipient in a group, and no other", () => {
    const messages = fc.array(
      fc.record({
        content: fc.constantFrom("x", "y", "z"),
        recipients: fc.uniqueArray(fc.constantFrom("a", "b", "c"), {
          minLength: 1,
        }),
        receivedAt: fc.constant(0),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(messages, (all) => {
        const groups = groupDuplicates(all, Infinity);
        for (const one of all) {
          for (const other of all) {
            if (one === other) continue;
            const common = one.recipients.some((recipient) => other.recipients.includes(recipient));
            const isTogether = groups.some(({ members }) => members.includes(one) && members.includes(other));
            expect(isTogether).toBe(one.content === other.content && common);
          }
        }
      }),
    );
  });
});

describe("differencesOf", () => {
  const none: VolatileValues = {
    subject: "s",
    from: null,
    messageId: null,
    date: null,
    codes: [],
    links: [],
    attachments: [],
    values: [],
  };

  test("lists each difference once, in the first field that shows it", () => {
    const one = {
      ...none,
      codes: ["804219"],
      values: ["804 219", "1001", "x1"],
      links: ["https://a/1"],
    };
    const other = {
      ...none,
      codes: ["117204"],
      values: ["117-204", "1002", "x1"],
      links: ["https://a/1", "https://a/2"],
    };
    expect(differencesOf([one, other])).toEqual([
      { field: "code", values: ["804219", "117204"] },
      { field: "link", values: [null, "https://a/2"] },
      { field: "text", values: ["1001", "1002"] },
    ]);
  });

  test("lists at most 50 differences", () => {
    const values = (prefix: string): readonly string[] =>
      Array.from({ length: 80 }, (_, at) => `${prefix}${String(at)}`);
    expect(
      differencesOf([
        { ...none, values: values("a") },
        { ...none, values: values("b") },
      ]),
    ).toHaveLength(50);
  });
});

describe("fingerprintMail", () => {
  const read = (raw: string) => fingerprintMail(Buffer.from(raw), defaultLimits);

  test("compares names of attachments without their ids", () => {
    const mail = (name: string): string =>
      `Subject: s\r\nContent-Type: application/pdf; name="${name}"\r\nContent-Disposition: attachment\r\n\r\nx\r\n`;
    expect(read(mail("invoice_INV-2026-00012.pdf")).content).toBe(read(mail("invoice_INV-2026-00013.pdf")).content);
    expect(read(mail("invoice.pdf")).content).not.toBe(read(mail("reminder.pdf")).content);
  });

  test("never throws, and bounds the values of any mail", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(JSON.stringify(fingerprintMail(bytes, defaultLimits).volatile).length).toBeLessThan(100_000);
      }),
    );
    const head = "Content-Type: text/html\r\n\r\n";
    const hostile = `${head}${`<a href="https://a.example/${"x1y2".repeat(500)}">${"9".repeat(500)}</a> `.repeat(200)}`;
    expect(JSON.stringify(read(hostile).volatile).length).toBeLessThan(30_000);
  });

  test.each([
    ["tokens", "a1b2c3d4e5 "],
    ["links", '<a href="https://a.example/?t=a1b2c3">x</a>'],
    ["numbers", "12 345 "],
    ["open tags", "<a href=x>"],
  ])("takes time linear in a mail of %s", (_, unit) => {
    expectLinearCpu((size) => void read(`Content-Type: text/html\r\n\r\n${unit.repeat(size / unit.length)}`), 8000);
  });
});
