import { describe, expect, test } from "vitest";
import { catalogue, Problem, type ProblemCode } from "../../core/errors.ts";
import { closing, reply, replyLines, replyToError } from "./reply.ts";

describe("reply", () => {
  test("repeats code and enhanced status on every line and marks the last", () => {
    expect(reply("250 2.0.0", "Done").wire).toBe("250 2.0.0 Done\r\n");
    expect(reply("354", "Go").wire).toBe("354 Go\r\n");
    expect(replyLines("214 2.0.0", ["a", "b", "c"]).wire).toBe("214-2.0.0 a\r\n214-2.0.0 b\r\n214 2.0.0 c\r\n");
  });

  test("closes after 421 and after closing()", () => {
    expect(reply("421 4.3.2", "Bye").end).toBe("close");
    expect(reply("451 4.3.0", "No").end).toBeNull();
    expect(closing(reply("451 4.3.0", "No"))).toMatchObject({ code: 451, end: "close" });
  });
});

describe("replyToError", () => {
  test.each(Object.keys(catalogue) as ProblemCode[])("returns the reply of the row of %s, or 451 4.3.0", (code) => {
    const { smtp } = catalogue[code];
    const expected = smtp === null ? "451 4.3.0 " : `${smtp.code} ${smtp.enhancedStatus} `;
    expect(replyToError(new Problem(code)).wire.startsWith(expected)).toBe(true);
  });

  test("returns no detail of an unexpected error", () => {
    expect(replyToError(new Error("/secret/path")).wire).not.toContain("secret");
    expect(replyToError(undefined).code).toBe(451);
  });

  test("replaces line ends and everything but ASCII", () => {
    const { wire } = replyToError(new Problem("storage_full", { text: "full\r\n250 ok\0ä" }));
    expect(wire).toBe("452 4.3.1 full 250 ok \r\n");
  });
});
