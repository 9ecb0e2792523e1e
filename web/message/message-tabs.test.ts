import { describe, expect, test } from "vitest";
import type { MessageTab } from "../navigation/routes.ts";
import type { Attachment, Message } from "../wire.ts";
import { firstTab, type TabFacts, tabItems, uniqueLinks } from "./message-tabs.ts";

const link = (href: string, text: string | null = null) => ({ href, text });
const message = (change: Partial<Message>): Message =>
  ({
    type: "Email",
    html: { body: "<p>", links: [], codes: [], images: [] },
    text: { body: "x", links: [], codes: [] },
    attachments: [],
    subject: "",
    metadata: { headers: [] },
    defects: [],
    ...change,
  }) as unknown as Message;
const file = (fileName: string, contentType: string): Attachment =>
  ({ fileName, contentType, contentId: null }) as unknown as Attachment;
const alone: TabFacts = { turnCount: 1, requested: null };
const none = { body: null, links: [], codes: [], images: [] };
const views = (change: Partial<Message>, facts = alone): readonly (readonly string[])[] =>
  tabItems(message(change), facts).map(({ name, views }) => [name, ...views.map(([view]) => view)]);

describe("tabItems", () => {
  test("returns the tabs and views that the message has content for", () => {
    const checks = [
      ["checks", "checks"],
      ["previews", "previews"],
      ["more", "delivery", "test"],
    ];
    const source = ["source", "source", "headers", "structure"];
    expect(views({})).toEqual([["mail", "html", "text"], source, ...checks]);
    expect(views({ html: none })[0]).toEqual(["mail", "text"]);
    const links = [link("https://app.example/")];
    expect(views({ text: { body: "x", links, codes: [] } })[2]).toEqual(["links", "links"]);
    expect(views({ text: { body: null, links: [], codes: [] } })[0]).toEqual(["mail", "html"]);
    expect(views({ type: "SMS", html: none })).toEqual([
      ["mail", "text", "conversation"],
      ["more", "delivery", "test"],
    ]);
  });

  test("includes the conversation if there is one or it is requested", () => {
    const conversation = (turnCount: number, requested: MessageTab | null): string | undefined =>
      tabItems(message({}), { turnCount, requested })[0]?.views[2]?.[1];
    expect(conversation(1, null)).toBeUndefined();
    expect(conversation(2, null)).toBe("Conversation 2");
    expect(conversation(1, "conversation")).toBe("Conversation");
  });

  test("starts with the richest body, or the conversation of an SMS", () => {
    expect(firstTab(message({}))).toBe("html");
    expect(firstTab(message({ type: "SMS" }))).toBe("conversation");
    expect(firstTab(message({ html: { body: null, links: [], codes: [], images: [] } }))).toBe("text");
  });
});

test.each<[string, Partial<Message>, boolean]>([
  ["a delivery status", { attachments: [file("delivery-status.txt", "message/delivery-status")] }, true],
  ["a name of a DMARC report", { attachments: [file("a.example!b.example!1!2.zip", "application/zip")] }, true],
  [
    "a subject with a file",
    { subject: "[Preview] Report Domain: a", attachments: [file("a.gz", "application/gzip")] },
    true,
  ],
  ["a notice of qmail", { text: { body: "Hi. This is the qmail-send program at a.", links: [], codes: [] } }, true],
  ["a field of Exim", { metadata: { headers: [{ field: "X-Failed-Recipients", value: "a@b" }] } as never }, true],
  ["a subject alone", { subject: "Report domain: a" }, false],
  ["another file", { attachments: [file("a!b.zip", "application/zip")] }, false],
])("shows the view of reports for %s: %s", (_title, change, isShown) => {
  expect(views(change)[0]?.includes("report")).toBe(isShown);
});

test("a report without a text opens as a report", () => {
  const only = { html: none, text: { body: null, links: [], codes: [] } };
  expect(firstTab(message({ ...only, attachments: [file("a!b!1!2.zip", "application/zip")] }))).toBe("report");
  expect(firstTab(message(only))).toBe("text");
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
