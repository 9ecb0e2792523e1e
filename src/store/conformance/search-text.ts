import { expect, test } from "vitest";
import { draft } from "./drafts.ts";
import { addDrafts, find, makeServer, useStore, type OpenStore } from "./setup.ts";

/** Texts, each with substrings of it. */
const contained: readonly (readonly [string, readonly string[]])[] = [
  ["Straße", ["straße", "STRAßE", "aße", "ß"]],
  ["İstanbul", ["i̇stanbul", "İSTANBUL", "stanbul"]],
  ["ΣΊΣΥΦΟΣ και Οδυσσεύς", ["σίσυφος", "ΣΊΣΥΦΟΣ", "σίσυφοσ", "οδυσσεύσ", "ΟΔΥΣΣΕΎΣ"]],
  ["Привет, Мир", ["ПРИВЕТ", "мир", "т, м"]],
  ["確認コードは１２３４です", ["確", "認コ", "１２３４", "です", "確認コードは１２３４です"]],
  ["인증번호 안내", ["인증", "호 안", "내"]],
  ["Party 🎉👩‍👩‍👧‍👦 now", ["🎉", "👩‍👩‍👧‍👦", "👩", "🎉👩", "y 🎉"]],
  ["שלום עולם — مرحبا", ["שלום", "עולם — م", "مرحبا", "ا"]],
  ["e\u0301clair", ["e\u0301", "\u00e9c", "E\u0301CLAIR", "\u00c9CLAIR"]],
  ["ﬁnal oﬀer", ["ﬁnal", "oﬀ"]],
  ["Ⅷ K Å", ["ⅷ", "k", "å"]],
  ["100% off_now", ["100%", "%", "_", "off_now", "% o"]],
  ["C:\\temp\\new", ["\\", "\\t", "c:\\temp", "\\new"]],
  [`say "hi" 'there' \`x\` ;--`, [`"hi"`, "'there'", "'", "`x`", ";--"]],
  ["[a-z]*? (glob) {x}", ["[a-z]", "*?", "*", "?", "(glob)", "{x}"]],
  ["nul\0led text", ["nulled", "led text"]],
  ["lone \ud800 surrogate", ["lone", "\ud800", "\ufffd", "surrogate"]],
  ["line one\r\nline two\ttab", ["one\r\nline", "two\ttab", "\n"]],
  ["tab\u00a0nbsp\u200bzero so\u00adft", ["\u00a0", "nbsp\u200bzero", "nbspzero", "tab nbsp", "tab \t\nnbsp", "soft"]],
  ["aaaaaaaaab", ["aaab", "ab", "aaaaaaaaab"]],
];

/** Texts, each with terms that a careless comparison would find. */
const notContained: readonly (readonly [string, readonly string[]])[] = [
  ["100 percent off-now", ["100%", "off_now", "1%t"]],
  ["e\u0301clair", ["eclair", "\u0301c"]],
  ["now  here", ["nowhere", "now-here"]],
  ["Straße", ["strasse"]],
  ["aXb", ["a_b", "a%b", "a?b", "a*b", "[x]"]],
  ["back/slash", ["back\\/slash", "back\\slash"]],
  ["é", ["\u00c3", "©"]],
  ["確認", ["確確", "認確"]],
  ["short", ["shorter", "short ", " short"]],
];

/** Substring search in any script, without regard to letter case. */
export function describeSearchText(open: OpenStore): void {
  const store = useStore(open);

  test.each(contained)("%j contains %j", async (text, patterns) => {
    const server = await makeServer(store());
    const ids = await addDrafts(store(), server, [{ subject: text }, { body: text }, { subject: "x", body: "x" }]);
    for (const pattern of patterns) {
      expect(await find(store(), server, { subject: pattern })).toEqual([ids[0]]);
      expect(await find(store(), server, { body: pattern })).toEqual([ids[1]]);
      expect(await find(store(), server, { subject: pattern, body: pattern, match: "ANY" })).toEqual([ids[1], ids[0]]);
      expect(await find(store(), server, { subject: pattern, body: pattern })).toEqual([]);
    }
  });

  test("is exact for texts that the store may release before the commit", async () => {
    const server = await makeServer(store());
    const message = draft(server, { body: "a needle" });
    await store().addMessages([message], { releasesBodies: true });
    expect(await find(store(), server, { body: "needle" })).toEqual([message.id]);
  });

  test.each(notContained)("%j does not contain %j", async (text, patterns) => {
    const server = await makeServer(store());
    await addDrafts(store(), server, [{ subject: text, body: text }]);
    for (const pattern of patterns) {
      expect(await find(store(), server, { subject: pattern })).toEqual([]);
      expect(await find(store(), server, { body: pattern })).toEqual([]);
    }
  });

  test("finds phrases at both ends of a long text, and none across its end", async () => {
    const server = await makeServer(store());
    const body = `begin ${"lorem ipsum dolor ".repeat(20_000)} finish`;
    const [id] = await addDrafts(store(), server, [{ subject: body, body }]);
    for (const pattern of ["begin lorem", "dolor  finish", "finish", "begin", body]) {
      expect(await find(store(), server, { body: pattern })).toEqual([id]);
      expect(await find(store(), server, { subject: pattern })).toEqual([id]);
    }
    expect(await find(store(), server, { body: "finish begin" })).toEqual([]);
    expect(await find(store(), server, { body: `${body}x` })).toEqual([]);
  });

  test("searches subject and body separately", async () => {
    const server = await makeServer(store());
    await addDrafts(store(), server, [{ subject: "first half", body: "second half" }]);
    expect(await find(store(), server, { subject: "second" })).toEqual([]);
    expect(await find(store(), server, { body: "first" })).toEqual([]);
    expect(await find(store(), server, { body: "halfsecond" })).toEqual([]);
  });

  test.each([
    "'",
    "a'b@x.test",
    '"quoted local"@x.test',
    "%@x.test",
    "ünï@x.test",
    "用户@例子.test",
    "a\\b@x.test",
    "x".repeat(3000),
  ])("finds the whole address %j", async (address) => {
    const server = await makeServer(store());
    const [id] = await addDrafts(store(), server, [{ from: [address], to: [address] }, { to: ["other@x.test"] }]);
    expect(await find(store(), server, { sentTo: address })).toEqual([id]);
    expect(await find(store(), server, { sentFrom: address.toUpperCase(), match: "ANY" })).toEqual([id]);
  });

  test("answers a search for a hostile pattern in a hostile text", async () => {
    const server = await makeServer(store());
    await store().addMessages([draft(server, { subject: "a".repeat(100_000), body: "a".repeat(100_000) })]);
    const pattern = `${"a".repeat(999)}b`;
    expect(await find(store(), server, { subject: pattern })).toEqual([]);
    expect(await find(store(), server, { body: pattern })).toEqual([]);
    expect(await find(store(), server, { body: `b${"a".repeat(999)}` })).toEqual([]);
    expect(await find(store(), server, { subject: "%a".repeat(400) })).toEqual([]);
  });
}
