import { describe, expect, test } from "vitest";
import { TextCues } from "./cues.ts";
import { wordsByLanguage } from "./words.ts";
import { wordsOfFurtherLanguages, wordsOfOtherScripts } from "./words-of-other-scripts.ts";

const cuesOf = (text: string): string[] =>
  new TextCues(text).within(0, text.length).map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`);

describe("cues", () => {
  test.each<[string, string[]]>([
    ["Your CODE and your pin", ["code CODE", "code pin"]],
    ["encoded decoder spinning", []],
    ["sort code, then code", ["other sort code", "code code"]],
    ["Sicherheitscode, Rabattcode, Kundennummer", ["code Sicherheitscode", "other Rabattcode", "other Kundennummer"]],
    ["Bestätigungscode", ["code Bestätigungscode"]],
    ["PIN-koden", ["code PIN-koden"]],
    ["您的验证码为", ["code 验证码"]],
    ["クーポンコード", ["other クーポンコード"]],
    ["본인확인 인증번호는", ["sign 확인", "code 인증번호"]],
    ["รหัสไปรษณีย์", ["other รหัสไปรษณีย์"]],
    ["İŞLEM ŞİFRENİZ şifreniz", ["code ŞİFRENİZ", "code şifreniz"]],
    ["120 EUR, 10 minutes", ["money EUR", "unit minutes"]],
    ["", []],
  ])("are found in %j", (text, expected) => {
    expect(cuesOf(text)).toEqual(expected);
  });
});

describe("the word lists", () => {
  const lists = [wordsByLanguage, wordsOfOtherScripts, wordsOfFurtherLanguages];
  const languages = lists.flatMap((words) => Object.entries(words));

  test("contain a word for code in more than seventy languages", () => {
    const withCode = languages.map(([, words]) => words).filter((words) => words.code !== undefined);
    expect(withCode.length).toBeGreaterThan(70);
  });

  test.each(languages)("have the words of %s in lower case, without blanks or repetitions", (_, words) => {
    for (const list of Object.values(words)) {
      const entries = list.split(", ");
      expect(entries).toEqual(entries.map((entry) => entry.trim().toLowerCase()));
      expect(entries.filter((entry, index) => entries.indexOf(entry) !== index)).toEqual([]);
      expect(entries).not.toContain("");
    }
  });
});
