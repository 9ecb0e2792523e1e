import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { queryKeys } from "../api/query-keys.ts";
import { problem } from "../testing/render-ui.tsx";
import { accountSession, message, server, summary } from "../testing/samples.ts";
import type { Summary } from "../wire.ts";
import { listOf, openMailPage, shownRows } from "./mail-page.test-aid.tsx";

const excerptOf = (id: string, change: Readonly<Record<string, unknown>> = {}) => ({
  id,
  codes: [],
  sizeBytes: 10,
  inline: 0,
  files: [],
  providerTags: [],
  flags: ["seen"],
  tags: [],
  sequence: 1,
  ...change,
});

test("shows the marks of the store, marks an opened message as read, and follows changes from elsewhere", async () => {
  const unread = { flags: [], sequence: 3 };
  let changed: readonly Record<string, unknown>[] = [];
  const { cache, requests, user } = openMailPage(`/servers/${server.id}`, {
    "GET /api/messages": listOf([summary(3), summary(2), summary(1)]),
    "GET /web/glances": [excerptOf("m3", unread), excerptOf("m2", unread), excerptOf("m1", { sequence: 3 })],
    [`GET /api/servers/${server.id}/marks`]: () => changed,
    "GET /api/messages/m3": message({ id: "m3" }),
    "POST /api/messages/marks": { changed: 1 },
  });
  await user.click(await screen.findByRole("link", { name: /^Unread, from .*Subject 3$/ }));
  await waitFor(() => {
    expect(requests).toContain(`POST /api/messages/marks?server=${server.id} {"ids":["m3"],"addFlags":["seen"]}`);
  });
  await screen.findByRole("link", { name: /^From .* to user-3.*Subject 3$/ });
  expect(screen.getByRole("link", { name: /Subject 2$/ }).getAttribute("aria-label")).toMatch(/^Unread/);
  changed = [{ id: "m2", flags: ["seen"], tags: [], sequence: 5 }];
  await act(async () => cache.invalidateQueries({ queryKey: queryKeys.allMarks(server.id) }));
  await screen.findByRole("link", { name: /^From .* to user-2.*Subject 2$/ });
  expect(requests.filter((line) => /\/marks\?after=\d+&limit=1000$/.test(line))).not.toEqual([]);
});

test("restores the mark when the service rejects the change, and offers none to a key that may only read", async () => {
  const rows = {
    "GET /api/messages": listOf([summary(6)]),
    "GET /web/glances": [excerptOf("m6")],
  };
  const { user } = openMailPage(`/servers/${server.id}`, {
    ...rows,
    "POST /api/messages/marks": problem(507, "Storage is full"),
  });
  (await screen.findByRole("link", { name: /Subject 6$/ })).focus();
  await user.keyboard("u");
  await screen.findByText("Not changed: Storage is full");
  await screen.findByRole("link", { name: /^From .* to user-6/ });
  cleanup();
  const reader = openMailPage(`/servers/${server.id}`, {
    ...rows,
    "GET /web/session": { ...accountSession, scope: "read" },
  });
  const row = await screen.findByRole("link", { name: /Subject 6$/ });
  await waitFor(() => {
    expect(screen.queryByRole("button", { name: "Mark all as read" })).toBeNull();
  });
  row.focus();
  await reader.user.keyboard("u");
  expect(reader.requests.filter((line) => line.startsWith("POST"))).toEqual([]);
});

test("shows tags within bounds, and attachments apart from inline images; a tag narrows the list", async () => {
  const { user } = openMailPage(`/servers/${server.id}?q=invoice`, {
    "GET /api/messages": listOf([{ ...summary(7), attachments: 3 }]),
    "GET /web/glances": [excerptOf("m7", { inline: 2, tags: ["a", "b b", "c", "d"] })],
  });
  await user.click(await screen.findByRole("button", { name: "Show only messages tagged b b" }));
  expect(new URLSearchParams(location.search).get("q")).toBe('invoice tag:"b b"');
  const [row] = shownRows();
  expect(within(row ?? document.body).queryByRole("button", { name: /tagged c/ })).toBeNull();
  within(row ?? document.body).getByText("More tags: c, d");
  within(row ?? document.body).getByText("1 attachment");
  within(row ?? document.body).getByText("2 inline images or files");
  expect(screen.getByRole("link", { name: /Subject 7$/ }).title).toBe(
    "From app@example.com to user-7@shop1234.restante.test",
  );
});

test("shows the tags that a provider's API was given beside those of the message, each once", async () => {
  openMailPage(`/servers/${server.id}`, {
    "GET /api/messages": listOf([summary(8)]),
    "GET /web/glances": [excerptOf("m8", { tags: ["Receipts"], providerTags: ["receipts", "welcome"] })],
  });
  const [row] = await waitFor(() => {
    screen.getByRole("button", { name: "Show only messages tagged welcome" });
    return shownRows();
  });
  expect(within(row ?? document.body).getAllByRole("button", { name: /tagged/ })).toHaveLength(2);
});

test("keeps filters in the address", async () => {
  const { user, requests } = openMailPage(`/servers/${server.id}`, { "GET /api/messages": () => listOf([summary(1)]) });
  await user.click(await screen.findByRole("button", { name: "Unread" }));
  await user.click(screen.getByRole("button", { name: "Attachment" }));
  expect(location.search).toBe("?q=is%3Aunread+has%3Aattachment");
  expect(screen.getByRole("button", { name: "Unread" }).getAttribute("aria-pressed")).toBe("true");
  await waitFor(() => {
    expect(requests.some((line) => line.endsWith("q=is%3Aunread+has%3Aattachment"))).toBe(true);
  });
});

test("selects all results, changes their tags and marks together, and deletes them after a confirmation", async () => {
  const all = Array.from({ length: 3 }, (_, at) => summary(3 - at));
  const page = (items: readonly Summary[], hasMore: boolean) =>
    new Response(JSON.stringify(items), { headers: { "x-cursor": "1", ...(hasMore && { link: "<next>" }) } });
  const path = `/api/messages?server=${server.id}&page=0&itemsPerPage=`;
  const { user, requests } = openMailPage(`/servers/${server.id}?q=invoice`, {
    [`GET ${path}100&dir=Received&q=invoice`]: () => page(all.slice(0, 2), true),
    [`GET ${path}1000&dir=Received&q=invoice`]: () => page(all, false),
    "GET /web/glances": all.map(({ id }) => excerptOf(id)),
    [`GET /api/servers/${server.id}/tags`]: [],
    "POST /api/messages/marks": { changed: 3 },
    "POST /web/count": { count: 3, isExact: true, cursor: 1 },
    "POST /web/passages": [],
    "DELETE /api/messages/search": { deleted: 3, hasMore: false },
  });
  await screen.findByRole("link", { name: /Subject 3$/ });
  await user.click(screen.getByRole("checkbox", { name: "Select all loaded messages" }));
  await user.click(await screen.findByRole("button", { name: "Select all 3 results" }));
  await screen.findByText("3 selected");
  await user.click(screen.getByRole("button", { name: "Mark as unread" }));
  await user.click(screen.getByRole("button", { name: "Tags" }));
  await user.type(await screen.findByRole("combobox", { name: "Add tag" }), "paid{Enter}{Escape}");
  await user.click(await screen.findByRole("button", { name: "Delete" }));
  await screen.findByText("Permanently deletes 3 messages and their attachments.");
  await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Delete" }));
  await screen.findByText("3 messages deleted");
  const ids = '"ids":["m3","m2","m1"]';
  expect(requests.filter((line) => !/^GET|^POST \/web\/passages/.test(line))).toEqual([
    `POST /web/count?server=${server.id}&dir=Received&q=invoice {}`,
    `POST /api/messages/marks?server=${server.id} {${ids},"removeFlags":["seen"]}`,
    `POST /api/messages/marks?server=${server.id} {${ids},"addTags":["paid"]}`,
    `DELETE /api/messages/search?server=${server.id}&dir=Received&q=invoice+before%3A${Date.parse(all[0]?.received ?? "") + 1}`,
  ]);
});

test("goes on from the row of a message that has left a list of unread messages", async () => {
  let items = [summary(9), summary(8), summary(7)];
  const { user, cache } = openMailPage(`/servers/${server.id}/messages/m8?q=is%3Aunread`, {
    "GET /api/messages": () => listOf(items),
    "GET /api/messages/m8": message({ id: "m8" }),
    "GET /api/messages/m7": message({ id: "m7", subject: "Seven" }),
    "POST /api/messages/marks": { changed: 1 },
  });
  await screen.findByRole("link", { name: /Subject 8$/ });
  await screen.findByRole("heading", { name: "Subject 1" });
  items = [summary(9), summary(7)];
  await act(async () => cache.invalidateQueries({ queryKey: queryKeys.serverMessages(server.id) }));
  await waitFor(() => {
    expect(shownRows()).toHaveLength(2);
  });
  await user.keyboard("j");
  await screen.findByRole("heading", { name: "Seven" });
});
