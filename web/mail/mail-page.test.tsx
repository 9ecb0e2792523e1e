import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { act, type ReactElement } from "react";
import { expect, test, vi } from "vitest";
import { queryKeys } from "../api/query-keys.ts";
import { useRoute } from "../navigation/location.tsx";
import { problem, renderUi, type Rendered, type Responses } from "../testing/render-ui.tsx";
import { accountSession, message, server, summary } from "../testing/samples.ts";
import type { Summary } from "../wire.ts";
import { MailPage } from "./mail-page.tsx";

function Page(): ReactElement {
  const route = useRoute();
  return route.kind === "mail" ? <MailPage session={accountSession} {...route} /> : <p>Elsewhere</p>;
}

function listOf(items: readonly Summary[]): Response {
  return new Response(JSON.stringify(items), {
    headers: { "x-total-count": String(items.length), "x-cursor": String(items.length) },
  });
}

function open(path: string, responses: Responses): Rendered {
  history.replaceState(null, "", path);
  return renderUi(<Page />, {
    "GET /web/glances": [],
    "GET /api/servers/shop1234/password": { value: "x" },
    ...responses,
  });
}

const rows = (): readonly HTMLElement[] =>
  within(screen.getByRole("region", { name: "Messages" })).getAllByRole("listitem");

test("shows an error of the list and retries", async () => {
  let isUp = false;
  const { user } = open(`/servers/${server.id}`, {
    "GET /api/messages": () => (isUp ? listOf([summary(1)]) : problem(503, "Retry later")),
  });
  await screen.findByText(/Retry later/);
  isUp = true;
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByRole("link", { name: /Subject 1$/ });
});

test("shows how to send the first email to an empty server, and nothing of that for an empty search", async () => {
  open(`/servers/${server.id}`, { "GET /api/messages": listOf([]) });
  await screen.findByRole("heading", { name: "Send your first email" });
});

test.each([
  ["?subject=nothing", "No messages match."],
  ["?dir=sent", "No messages have been sent from this server."],
])("explains an empty result of %s", async (search, text) => {
  open(`/servers/${server.id}${search}`, {
    "GET /api/messages": listOf([]),
    "POST /api/messages/search": listOf([]),
  });
  await screen.findByText(text);
});

test("adds messages that arrive without changing the focus", async () => {
  let items = [summary(1)];
  const { cache } = open(`/servers/${server.id}`, { "GET /api/messages": () => listOf(items) });
  const first = await screen.findByRole("link", { name: /Subject 1$/ });
  first.focus();
  items = [summary(2), summary(1)];
  await act(async () => cache.invalidateQueries({ queryKey: queryKeys.serverMessages(server.id) }));
  await screen.findByRole("link", { name: /Subject 2$/ });
  expect(document.activeElement).toBe(screen.getByRole("link", { name: /Subject 1$/ }));
});

test("says that the open message no longer exists", async () => {
  open(`/servers/${server.id}/messages/m9`, { "GET /api/messages": listOf([summary(1)]) });
  await screen.findByText("This message no longer exists.");
});

test("does not show a message of another server", async () => {
  open(`/servers/${server.id}/messages/m9`, {
    "GET /api/messages": listOf([summary(1)]),
    "GET /api/messages/m9": message({ id: "m9", server: "other123", subject: "Secret" }),
  });
  await screen.findByText("This message no longer exists.");
  expect(screen.queryByText("Secret")).toBeNull();
});

test("returns messages to the list when they cannot be deleted", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ["setTimeout", "clearTimeout"] });
  const { user } = open(`/servers/${server.id}`, {
    "GET /api/messages": () => listOf([summary(2), summary(1)]),
    "DELETE /api/messages/m2": problem(503, "Retry later"),
  });
  await user.click(await screen.findByRole("checkbox", { name: "Select Subject 2" }));
  await user.click(screen.getByRole("button", { name: "Delete" }));
  expect(rows()).toHaveLength(1);
  await act(async () => vi.advanceTimersByTimeAsync(6000));
  await screen.findByText("1 message could not be deleted");
  await waitFor(() => {
    expect(rows()).toHaveLength(2);
  });
  vi.useRealTimers();
});

test("shows the marks of the store, marks an opened message as read, and follows changes from elsewhere", async () => {
  const excerpt = (id: string, flags: readonly string[]) => ({
    id,
    codes: [],
    sizeBytes: 10,
    inline: 0,
    tags: [],
    sequence: 3,
    flags,
  });
  let changed: readonly Record<string, unknown>[] = [];
  const { cache, requests, user } = open(`/servers/${server.id}`, {
    "GET /api/messages": listOf([summary(3), summary(2), summary(1)]),
    "GET /web/glances": [excerpt("m3", []), excerpt("m2", []), excerpt("m1", ["seen"])],
    [`GET /api/servers/${server.id}/marks`]: () => changed,
    "GET /api/messages/m3": message({ id: "m3" }),
    "POST /api/messages/marks": { changed: 1 },
  });
  await user.click(await screen.findByRole("link", { name: /^Unread .*Subject 3$/ }));
  await waitFor(() => {
    expect(requests).toContain(`POST /api/messages/marks?server=${server.id} {"ids":["m3"],"addFlags":["seen"]}`);
  });
  await screen.findByRole("link", { name: /^user-3.*Subject 3$/ });
  expect(screen.getByRole("link", { name: /Subject 2$/ }).getAttribute("aria-label")).toMatch(/^Unread/);
  changed = [{ id: "m2", flags: ["seen"], tags: [], sequence: 5 }];
  await act(async () => cache.invalidateQueries({ queryKey: queryKeys.allMarks(server.id) }));
  await screen.findByRole("link", { name: /^user-2.*Subject 2$/ });
  expect(requests.filter((line) => /\/marks\?after=\d+&limit=1000$/.test(line))).not.toEqual([]);
});

test("restores the mark when the service rejects the change, and offers none to a key that may only read", async () => {
  const rows = {
    "GET /api/messages": listOf([summary(6)]),
    "GET /web/glances": [{ id: "m6", codes: [], sizeBytes: 1, inline: 0, flags: ["seen"], tags: [], sequence: 1 }],
  };
  const { user } = open(`/servers/${server.id}`, {
    ...rows,
    "POST /api/messages/marks": problem(507, "Storage is full"),
  });
  (await screen.findByRole("link", { name: /Subject 6$/ })).focus();
  await user.keyboard("u");
  await screen.findByText("Not changed: Storage is full");
  await screen.findByRole("link", { name: /^user-6/ });
  cleanup();
  const reader = open(`/servers/${server.id}`, { ...rows, "GET /web/session": { ...accountSession, scope: "read" } });
  const row = await screen.findByRole("link", { name: /Subject 6$/ });
  await waitFor(() => {
    expect(screen.queryByRole("button", { name: "Mark all as read" })).toBeNull();
  });
  row.focus();
  await reader.user.keyboard("u");
  expect(reader.requests.filter((line) => line.startsWith("POST"))).toEqual([]);
});

const excerptOf = (id: string, change: Readonly<Record<string, unknown>> = {}) => ({
  id,
  codes: [],
  sizeBytes: 10,
  inline: 0,
  flags: ["seen"],
  tags: [],
  sequence: 1,
  ...change,
});

test("shows tags within bounds, and attachments apart from inline images; a tag narrows the list", async () => {
  const { user } = open(`/servers/${server.id}?q=invoice`, {
    "GET /api/messages": listOf([{ ...summary(7), attachments: 3 }]),
    "GET /web/glances": [excerptOf("m7", { inline: 2, tags: ["a", "b b", "c", "d"] })],
  });
  await user.click(await screen.findByRole("button", { name: "Show only messages tagged b b" }));
  expect(new URLSearchParams(location.search).get("q")).toBe('invoice tag:"b b"');
  const [row] = rows();
  expect(within(row ?? document.body).queryByRole("button", { name: /tagged c/ })).toBeNull();
  within(row ?? document.body).getByText("Further tags: c, d");
  within(row ?? document.body).getByText("1 attachment");
  within(row ?? document.body).getByText("2 inline images or files");
  expect(screen.getByRole("link", { name: /Subject 7$/ }).title).toBe(
    "From app@example.com to user-7@shop1234.restante.test",
  );
});

test("keeps filters in the address", async () => {
  const { user, requests } = open(`/servers/${server.id}`, { "GET /api/messages": () => listOf([summary(1)]) });
  await user.click(await screen.findByRole("button", { name: "Unread" }));
  await user.click(screen.getByRole("button", { name: "Has attachment" }));
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
  const { user, requests } = open(`/servers/${server.id}?q=invoice`, {
    [`GET ${path}100&dir=Received&q=invoice`]: () => page(all.slice(0, 2), true),
    [`GET ${path}1000&dir=Received&q=invoice`]: () => page(all, false),
    "GET /web/glances": all.map(({ id }) => excerptOf(id)),
    [`GET /api/servers/${server.id}/tags`]: [],
    "POST /api/messages/marks": { changed: 3 },
    "DELETE /api/messages/search": { deleted: 3, hasMore: false },
  });
  await screen.findByRole("link", { name: /Subject 3$/ });
  await user.click(screen.getByRole("checkbox", { name: "Select all loaded messages" }));
  await user.click(screen.getByRole("button", { name: "Select all results" }));
  await screen.findByText("3 selected");
  await user.click(screen.getByRole("button", { name: "Mark as unread" }));
  await user.click(screen.getByRole("button", { name: "Tags" }));
  await user.type(await screen.findByRole("combobox", { name: "Add tag" }), "paid{Enter}{Escape}");
  await user.click(await screen.findByRole("button", { name: "Delete" }));
  await screen.findByText("Permanently deletes 3 messages and their attachments.");
  await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Delete" }));
  await screen.findByText("3 messages deleted");
  const ids = '"ids":["m3","m2","m1"]';
  expect(requests.filter((line) => !line.startsWith("GET"))).toEqual([
    `POST /api/messages/marks?server=${server.id} {${ids},"removeFlags":["seen"]}`,
    `POST /api/messages/marks?server=${server.id} {${ids},"addTags":["paid"]}`,
    `DELETE /api/messages/search?server=${server.id}&dir=Received&q=invoice+before%3A${Date.parse(all[0]?.received ?? "") + 1}`,
  ]);
});

test("goes on from the row of a message that has left a list of unread messages", async () => {
  let items = [summary(9), summary(8), summary(7)];
  const { user, cache } = open(`/servers/${server.id}/messages/m8?q=is%3Aunread`, {
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
    expect(rows()).toHaveLength(2);
  });
  await user.keyboard("j");
  await screen.findByRole("heading", { name: "Seven" });
});

test("offers searches that find messages when a search finds none", async () => {
  const suggestion = { kind: "replace", q: "from:a", server: server.id, dir: "Received", term: "to:a" };
  const { user } = open(`/servers/${server.id}?q=to%3Aa`, {
    "GET /api/messages": listOf([]),
    "GET /api/search/suggestions": [
      { ...suggestion, replacement: "from:a", count: 12, isExact: true },
      {
        ...suggestion,
        kind: "servers",
        server: null,
        q: "to:a",
        term: null,
        replacement: null,
        count: 100,
        isExact: false,
      },
    ],
  });
  await screen.findByRole("button", { name: "100+ on all servers" });
  await user.click(screen.getByRole("button", { name: "12 for from:a" }));
  expect(location.search).toBe("?q=from%3Aa");
});

test("shows the result of the last search only, whatever arrives later", async () => {
  const late = Promise.withResolvers<Response>();
  const { user } = open(`/servers/${server.id}`, { "GET /api/messages": listOf([summary(1)]) });
  const answer = fetch;
  vi.stubGlobal("fetch", async (path: string, init?: RequestInit) => {
    const { searchParams } = new URL(path, location.href);
    if (searchParams.get("q") === "a") return late.promise;
    return searchParams.get("q") === "ab" ? listOf([summary(2)]) : answer(path, init);
  });
  const box = await screen.findByRole("combobox", { name: "Search messages" });
  await user.type(box, "a");
  await waitFor(() => {
    expect(location.search).toBe("?q=a");
  });
  await user.type(box, "b");
  await screen.findByRole("link", { name: /Subject 2$/ });
  await act(async () => {
    late.resolve(listOf([summary(3)]));
    await late.promise;
  });
  expect(rows()).toHaveLength(1);
  screen.getByRole("link", { name: /Subject 2$/ });
});
