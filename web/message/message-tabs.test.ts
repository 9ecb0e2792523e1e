import { describe, expect, test } from "vitest";
import type { Message } from "../wire.ts";
import { firstTab, tabItems, type TabFacts } from "./message-tabs.tsx";
import { uniqueLinks } from "./unique-links.ts";

const link = (href: string, text: string | null = null) => ({ href, text });
const message = (change: Partial<Message>): Message =>
  ({
    type: "Email",
    html: { body: "<p>", links: [], codes: [], images: [] },
    text: { body: "x", links: [], codes: [] },
    attachments: [],
    defects: [],
    ...change,
  }) as unknown as Message;
const alone: TabFacts = { turnCount: 1, asked: null };
const names = (change: Partial<Message>, facts = alone): readonly string[] =>
  tabItems(message(change), facts).map(({ name }) => name);

describe("tabs", () => {
  test("are those that the message has something for", () => {
    expect(names({})).toEqual([
      "html",
      "text",
      "source",
      "headers",
      "structure",
      "links",
      "delivery",
      "checks",
      "previews",
      "test",
    ]);
    expect(names({ html: { body: null, links: [], codes: [], images: [] } })).not.toContain("html");
    expect(names({ text: { body: null, links: [], codes: [] } })).not.toContain("text");
    expect(names({ type: "SMS", html: { body: null, links: [], codes: [], images: [] } })).toEqual([
      "text",
      "conversation",
      "links",
      "delivery",
      "test",
    ]);
  });

  test("have a conversation where there is one, or where it is asked for", () => {
    expect(names({})).not.toContain("conversation");
    expect(names({}, { turnCount: 2, asked: null })).toContain("conversation");
    expect(names({}, { turnCount: 1, asked: "conversation" })).toContain("conversation");
  });

  test("begin with the best one", () => {
    expect(firstTab(message({}))).toBe("html");
    expect(firstTab(message({ type: "SMS" }))).toBe("conversation");
    expect(firstTab(message({ html: { body: null, links: [], codes: [], images: [] } }))).toBe("text");
  });
});

test("links of both bodies are shown once, under their first text", () => {
  const html = { body: "", codes: [], images: [], links: [link("https://a", "A"), link("https://b")] };
  const text = { body: "", codes: [], links: [link("https://a", "https://a"), link("https://c", "https://c")] };
  expect(uniqueLinks(message({ html, text }))).toEqual([
    link("https://a", "A"),
    link("https://b"),
    link("https://c", "https://c"),
  ]);
});
