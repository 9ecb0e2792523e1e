import { describe, expect, test } from "vitest";
import type { Message } from "../wire.ts";
import { firstTab, tabItems, type TabFacts } from "./message-tabs.ts";
import { uniqueLinks } from "./checks/unique-links.ts";

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
const alone: TabFacts = { turnCount: 1, requested: null };
const names = (change: Partial<Message>, facts = alone): readonly string[] =>
  tabItems(message(change), facts).map(({ name }) => name);

describe("tabItems", () => {
  test("returns the tabs that the message has content for", () => {
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

  test("includes the conversation if there is one or it is requested", () => {
    expect(names({})).not.toContain("conversation");
    expect(names({}, { turnCount: 2, requested: null })).toContain("conversation");
    expect(names({}, { turnCount: 1, requested: "conversation" })).toContain("conversation");
  });

  test("starts with the richest body, or the conversation of an SMS", () => {
    expect(firstTab(message({}))).toBe("html");
    expect(firstTab(message({ type: "SMS" }))).toBe("conversation");
    expect(firstTab(message({ html: { body: null, links: [], codes: [], images: [] } }))).toBe("text");
  });
});

test("uniqueLinks returns each link of both bodies once, with its first text", () => {
  const html = { body: "", codes: [], images: [], links: [link("https://a", "A"), link("https://b")] };
  const text = { body: "", codes: [], links: [link("https://a", "https://a"), link("https://c", "https://c")] };
  expect(uniqueLinks(message({ html, text }))).toEqual([
    link("https://a", "A"),
    link("https://b"),
    link("https://c", "https://c"),
  ]);
});
