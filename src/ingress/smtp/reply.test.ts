import { describe, expect, test } from "vitest";
import { catalogue, Problem, type ProblemCode } from "../../core/errors.ts";
import { closing, reply, replyLines, replyToFault } from "./reply.ts";

describe("a reply", () => {
  test("has its code and enhanced status on every line, and marks the last", () => {
    expect(reply("250 2.0.0", "Done").wire).toBe("250 2.0.0 Done\r\n");
    expect(reply("354", "Go").wire).toBe("354 Go\r\n");
    expect(replyLines("214 2.0.0", ["a", "b", "c"]).wire).toBe("214-2.0.0 a\r\n214-2.0.0 b\r\n214 2.0.0 c\r\n");
  });

  test("421 always closes, others only when they are made to", () => {
    expect(reply("421 4.3.2", "Bye").next).toBe("close");
    expect(reply("451 4.3.0", "No").next).toBeNull();
    expect(closing(reply("451 4.3.0", "No"))).toMatchObject({ code: 451, next: "close" });
  });
});

describe("a fault", () => {
  test.each(Object.keys(catalogue) as ProblemCode[])("%s becomes its row's reply, or 451 4.3.0", (code) => {
    const { smtp } = catalogue[code];
    const expected = smtp === null ? "451 4.3.0 " : `${smtp.code} ${smtp.enhancedStatus} `;
    expect(replyToFault(new Problem(code)).wire.startsWith(expected)).toBe(true);
  });

  test("that is none of ours tells nothing", () => {
    expect(replyToFault(new Error("/secret/path")).wire).not.toContain("secret");
    expect(replyToFault(undefined).code).toBe(451);
  });

  test("cannot write a second line or anything but ASCII", () => {
    const { wire } = replyToFault(new Problem("storage_full", { text: "full\r\n250 ok\0ä" }));
    expect(wire).toBe("452 4.3.1 full 250 ok \r\n");
  });
});
