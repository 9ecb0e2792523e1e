import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeControls } from "./listen.ts";
import { codePoint } from "../../testing/code-point.test-aid.ts";

test("escapes C0 and C1 control characters and changes of direction, and nothing else", () => {
  expect(escapeControls("\u001b[31m \u009b2J \u007f \u202e abc")).toBe("\\u001b[31m \\u009b2J \\u007f \\u202e abc");
  expect(escapeControls("Grüße 👋 \t\r\n")).toBe("Grüße 👋 \t\r\n");
});

test("leaves the meaning of JSON unchanged", () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (text) => {
      const escaped = escapeControls(JSON.stringify({ text }));
      expect(JSON.parse(escaped)).toEqual({ text });
      expect(escaped).not.toMatch(/\p{Cc}/u);
    }),
  );
});
