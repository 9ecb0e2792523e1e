import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldAddress, foldText, unfoldedIndex, withOtherDomains } from "./fold.ts";

const blanks = [" ", "\t", "\n", "\r\n", "\u00a0", "\u202f", "\u2003", "\u3000", "\u2028", "  \n "];
const invisibles = ["\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\ufe0f", "\u{e0041}", "\0"];
const texts = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(...blanks, ...invisibles, "é", "e\u0301", "ß", "ς", "ſ", "ẛ", "İ", "각", "か\u3099"),
        fc.string(),
      ),
    )
    .map((parts) => parts.join("")),
);

describe("foldText", () => {
  test("is idempotent, and equal for canonically equivalent texts", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const folded = foldText(text);
        return (
          foldText(folded) === folded &&
          foldText(text.normalize("NFD")) === foldText(text.normalize("NFC")) &&
          !/[\t-\r\u00a0\u202f\u3000\0\u00ad]| {2}/.test(folded)
        );
      }),
    );
  });

  test.each(blanks)("takes white space %j for one blank", (given) => {
    expect(foldText(`Reset${given}your`)).toBe("reset your");
    expect(foldText(`Résumé${given}${given}de`)).toBe("résumé de");
  });

  test.each(invisibles)("ignores the invisible %j", (given) => {
    expect(foldText(`pass${given}word`)).toBe("password");
    expect(foldText(`a ${given} b`)).toBe("a b");
  });

  test("composes letters and folds case as before", () => {
    expect(foldText("Re\u0301initialisation")).toBe("réinitialisation");
    expect(foldText("ΟΔΌΣ Maſſe")).toBe("οδόσ masse");
  });
});

test("folds a long text as it folds its parts", () => {
  const line = "Réinitialiser\nle  mot e\u0301 \u00ad de passe ";
  const [short, long] = [line.repeat(50), line.repeat(20_000)];
  expect(foldText(long)).toBe(foldText(short).repeat(400));
  const marks = `e${"\u0301".repeat(200_000)}`;
  expect(foldText(marks)).toBe(marks.normalize("NFC"));
});

describe("foldAddress", () => {
  test.each([
    ["Kundin@MÜLLER.example", "kundin@xn--mller-kva.example"],
    ["kundin@xn--mller-kva.example", "kundin@xn--mller-kva.example"],
    ["kundin@XN--MLLER-KVA.example", "kundin@xn--mller-kva.example"],
    ["a@mu\u0308ller.example", "a@xn--mller-kva.example"],
    ["ünal@例え.テスト", "ünal@xn--r8jz45g.xn--zckzah"],
    ["a@B.test", "a@b.test"],
    ["a@[192.0.2.1]", "a@[192.0.2.1]"],
    ["+1 (555) 010-0", "15550100"],
    ["@", "@"],
  ])("folds %s to %s", (address, folded) => {
    expect(foldAddress(address)).toBe(folded);
    expect(foldAddress(folded)).toBe(folded);
  });
});

test("names both forms of the domains in a text", () => {
  expect(withOtherDomains("shop <a@grün.example>")).toBe("shop <a@grün.example> a@xn--grn-ioa.example");
  expect(withOtherDomains("shop <a@xn--grn-ioa.example>")).toBe("shop <a@xn--grn-ioa.example> a@grün.example");
  expect(withOtherDomains("zoë <a@b.test>")).toBe("zoë <a@b.test>");
});

test("finds the place in a text of any place in its folded form", () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const text = `${before}\n needle${after}`;
      const at = foldText(text).indexOf("needle");
      const start = unfoldedIndex(text, at);
      return (
        at < 0 ||
        /^needle|^[^]\p{M}*needle/iu.test(text.slice(start)) ||
        foldText(text.slice(start)).startsWith("needle")
      );
    }),
  );
});
