import { expect, test } from "vitest";
import { analyseText } from "./analysed-text.ts";

test("lists links and codes in the order of the text", () => {
  expect(
    analyseText(
      "Your code is 804219 (or 118-402).\nSee <https://a.example/482910> and www.b.example.\nYour special ID is G3H1Y2",
    ),
  ).toEqual({
    links: [
      { href: "https://a.example/482910", text: "https://a.example/482910" },
      { href: "www.b.example", text: "www.b.example" },
    ],
    codes: [{ value: "804219" }, { value: "118402" }, { value: "G3H1Y2" }],
  });
});

test("returns no findings for an empty text", () => {
  expect(analyseText("")).toEqual({ links: [], codes: [] });
});

test.each(["482913", "ABCDEFGHIJ", "A1B2C3D4E5", "k3j5k2", "ABC123"])(
  "ignores %s on an unrelated line when the text has two labelled codes",
  (token) => {
    const text = `hello.\n\n${token} text\n\nThe verification code is 654321\n\nSome special ID is 5H0Y2\n\ninvalid`;
    expect(analyseText(text).codes).toEqual([{ value: "654321" }, { value: "5H0Y2" }]);
  },
);
