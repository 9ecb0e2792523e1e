import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeMessageId, type ServerId } from "../../core/ids.ts";
import { expectLinearCpu } from "../../testing/cpu-growth.test-aid.ts";
import { baseSubjectOf, type SortedMessage } from "./sort-command.ts";
import { threadDepthMax, threadsByReferences, writeThreads } from "./thread-references.ts";

const server = "abcd1234" as ServerId;

function message(number: number, given: Partial<SortedMessage> & { readonly written?: string } = {}): SortedMessage {
  const { written = `subject ${number}`, ...rest } = given;
  const id = encodeMessageId({ server, direction: "Received", receivedAt: 1e12 + number, random: 0 });
  return {
    message: { number, uid: number, id },
    arrivedAt: number,
    sentAt: number,
    sizeBytes: 1,
    subject: baseSubjectOf(written),
    from: "",
    to: "",
    cc: "",
    messageId: `m${number}`,
    references: [],
    ...rest,
  };
}

const threadsOf = (messages: readonly SortedMessage[]): string =>
  writeThreads(threadsByReferences(messages), ({ message: { number } }) => number);

describe("the base subject", () => {
  test.each([
    ["Hello", "Hello", false],
    ["Re: Hello", "Hello", true],
    ["RE: re:  Fwd: [list] Re[2]: Hello  (fwd) ", "Hello", true],
    ["[list] Hello", "Hello", false],
    ["[list]", "[list]", false],
    ["[one] [two]", "[two]", false],
    ["[Fwd: [list] Hello]", "Hello", true],
    ["Re: [Fwd: Re: Hello] (fwd)", "Hello", true],
    ["Re:", "", true],
    ["a\t \u00a0b", "a b", false],
    ["Regards", "Regards", false],
    ["", "", false],
  ])("reduces the subject %j to its base %j", (subject, text, isReply) => {
    expect(baseSubjectOf(subject)).toEqual({ text, isReply });
  });

  test("is read in linear time", () => {
    for (const pump of ["Re:", "[a]", "(fwd)", "[Fwd:", " ", "["]) {
      expectLinearCpu((size) => baseSubjectOf(pump.repeat(size)), 50_000);
    }
  });
});

describe("threads by references", () => {
  test.each([
    ["separate messages", [message(1), message(2)], "(1)(2)"],
    ["a chain", [message(1), message(2, { references: ["m1"] }), message(3, { references: ["m1", "m2"] })], "(1 2 3)"],
    ["branches", [message(1), message(2, { references: ["m1"] }), message(3, { references: ["m1"] })], "(1 (2)(3))"],
    [
      "siblings by date",
      [message(1), message(2, { references: ["m1"], sentAt: 9 }), message(3, { references: ["m1"] })],
      "(1 (3)(2))",
    ],
    [
      "children of a message that is missing",
      [message(1, { references: ["x"] }), message(2, { references: ["x"] })],
      "((1)(2))",
    ],
    ["an only child of a missing message", [message(1, { references: ["x"] })], "(1)"],
    ["a child that arrived first", [message(1, { references: ["m2"], sentAt: 5 }), message(2)], "(2 1)"],
    ["a loop", [message(1, { references: ["m2"] }), message(2, { references: ["m1"] })], "(2 1)"],
    ["a message that refers to itself", [message(1, { references: ["m1"] })], "(1)"],
    ["a repeated Message-ID", [message(1), message(2, { messageId: "m1" })], "(1)(2)"],
    ["a reply by its subject", [message(1, { written: "a" }), message(2, { written: "Re: a" })], "(1 2)"],
    ["equal subjects", [message(1, { written: "a" }), message(2, { written: "a" })], "((1)(2))"],
    ["empty subjects", [message(1, { written: "" }), message(2, { written: "" })], "(1)(2)"],
  ])("show %s", (_, messages, expected) => {
    expect(threadsOf(messages)).toBe(expected);
  });

  test("contain each message once, whatever refers to what", () => {
    const some = fc.array(
      fc.record({
        id: fc.integer({ min: 0, max: 12 }),
        references: fc.array(
          fc.integer({ min: 0, max: 12 }).map((id) => `m${id}`),
          { maxLength: 5 },
        ),
        sentAt: fc.nat(5),
        written: fc.constantFrom("a", "Re: a", "b", "[Fwd: b]", ""),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(some, (given) => {
        const messages = given.map(({ id, ...rest }, at) =>
          message(at + 1, { ...rest, messageId: id === 0 ? null : `m${id}` }),
        );
        const numbers = Array.from(threadsOf(messages).matchAll(/\d+/g), ([number]) => Number(number));
        expect(numbers.toSorted((a, b) => a - b)).toEqual(messages.map((_, at) => at + 1));
      }),
    );
  });

  test("are bounded in depth, and written without recursion", () => {
    const count = 5 * threadDepthMax;
    const messages = Array.from({ length: count }, (_, at) => message(at + 1, { references: [`m${at}`] }));
    const written = threadsOf(messages);
    expect(written.match(/\d+/g)).toHaveLength(count);
    expect(written.match(/\(/g)?.length).toBeGreaterThanOrEqual(5);
  });
});
