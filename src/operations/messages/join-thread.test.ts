import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createIdSource, type ServerId } from "../../core/ids.ts";
import type { HeaderField } from "../../core/message.ts";
import { baseSubject } from "../../core/fold.ts";
import { joinThread, type Member } from "./read-conversation.ts";
import type { StoredDetail } from "../services/reading/stored-detail.ts";
import { codePoint } from "../../testing/code-point.test-aid.ts";

let now = 1_700_000_000_000;
const ids = createIdSource(() => (now += 1));
const server = "abcd1234" as ServerId;

/** Mail with only the header fields of threads. */
function mail(fields: Readonly<Record<string, string>>, direction: "Received" | "Sent" = "Received"): Member {
  const headers: readonly HeaderField[] = Object.entries(fields).map(([field, value]) => ({ field, value }));
  const message = { metadata: { headers } } as unknown as StoredDetail["message"];
  return { id: ids.next(server, direction).id, detail: { message } as StoredDetail };
}

describe("a thread", () => {
  const first = mail({ "Message-ID": "<1@a>" });
  const answer = mail({ "Message-ID": "<2@a>", "In-Reply-To": "<1@a>" }, "Sent");
  const further = mail({ "message-id": "<3@a>", References: "<1@a> <2@a>" });
  const stranger = mail({ "Message-ID": "<9@a>" });
  const all = [further, stranger, first, answer];

  test.each([
    ["its first mail", first],
    ["one in the middle", answer],
    ["its last mail", further],
  ])("is complete, oldest first, when %s is requested", (_which, asked) => {
    expect(joinThread(asked, all)).toEqual([first, answer, further]);
  });

  test("returns a mail without replies alone", () => {
    expect(joinThread(stranger, all)).toEqual([stranger]);
  });

  test("joins replies whose original is missing", () => {
    const [one, other] = [mail({ References: "<gone@a>" }), mail({ "In-Reply-To": "<gone@a>" })];
    expect(joinThread(one, [other, one, stranger])).toEqual([one, other]);
  });

  test("does not join mails without references", () => {
    const [one, other] = [mail({}), mail({ "Message-ID": "", References: "no id" })];
    expect(joinThread(one, [one, other])).toEqual([one]);
  });

  test("contains a mail between own servers once: as requested, else as sent", () => {
    const fields = { "Message-ID": "<4@a>", "In-Reply-To": "<1@a>" };
    const [sent, received] = [mail(fields, "Sent"), mail(fields)];
    const both = [first, sent, received];
    expect(joinThread(first, both)).toEqual([first, sent]);
    expect(joinThread(received, both)).toEqual([first, received]);
    expect(joinThread(sent, both)).toEqual([first, sent]);
  });

  test("handles hostile header fields", () => {
    const long = mail({ References: `${"<x".repeat(500_000)} ${"<a@b> ".repeat(500_000)}` });
    const cpuBefore = process.threadCpuUsage();
    expect(joinThread(long, [long, ...all])).toEqual([long]);
    expect(process.threadCpuUsage(cpuBefore).user / 1000).toBeLessThan(3000);
  });
});

describe("the base of a subject", () => {
  test.each([
    ["Question", "Question"],
    ["Re: Question", "Question"],
    ["RE:Fwd: AW[2]: Question", "Question"],
    ["  re:  Question ", "Question"],
    ["Regarding: that", "Regarding: that"],
    ["Re:", ""],
    ["", ""],
  ])("reduces the subject %j to %j", (subject, base) => {
    expect(baseSubject(subject)).toBe(base);
  });

  test("is part of the subject, and is its own base subject", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (subject) => {
        const base = baseSubject(`Re: ${subject}`);
        expect(subject).toContain(base);
        expect(baseSubject(base)).toBe(base);
      }),
    );
  });

  test("takes time linear in the subject", () => {
    const cpuBefore = process.threadCpuUsage();
    baseSubject("re:".repeat(1_000_000));
    baseSubject(`re${" ".repeat(1_000_000)}`);
    expect(process.threadCpuUsage(cpuBefore).user / 1000).toBeLessThan(3000);
  });
});
