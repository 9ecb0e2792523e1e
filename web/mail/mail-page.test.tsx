import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { queryKeys } from "../api/query-keys.ts";
import { problem } from "../testing/render-ui.tsx";
import { message, server, summary } from "../testing/samples.ts";
import { listOf, openMailPage, shownRows } from "./mail-page.test-aid.tsx";

test("shows an error of the list and retries", async () => {
  let isUp = false;
  const { user } = openMailPage(`/servers/${server.id}`, {
    "GET /api/messages": () => (isUp ? listOf([summary(1)]) : problem(503, "Retry later")),
  });
  await screen.findByText(/Retry later/);
  isUp = true;
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByRole("link", { name: /Subject 1$/ });
});

test("shows how to send the first email to an empty server, and nothing of that for an empty search", async () => {
  openMailPage(`/servers/${server.id}`, { "GET /api/messages": listOf([]) });
  await screen.findByRole("heading", { name: "Send your first email" });
});

test.each([
  ["?subject=nothing", "No messages match."],
  ["?dir=sent", "No messages have been sent from this server."],
])("explains an empty result of %s", async (search, text) => {
  openMailPage(`/servers/${server.id}${search}`, {
    "GET /api/messages": listOf([]),
    "POST /api/messages/search": listOf([]),
  });
  await screen.findByText(text);
});

test("adds messages that arrive without changing the focus", async () => {
  let items = [summary(1)];
  const { cache } = openMailPage(`/servers/${server.id}`, { "GET /api/messages": () => listOf(items) });
  const first = await screen.findByRole("link", { name: /Subject 1$/ });
  first.focus();
  items = [summary(2), summary(1)];
  await act(async () => cache.invalidateQueries({ queryKey: queryKeys.serverMessages(server.id) }));
  await screen.findByRole("link", { name: /Subject 2$/ });
  expect(document.activeElement).toBe(screen.getByRole("link", { name: /Subject 1$/ }));
});

test("begins to load a message when its row is pressed, once, and nothing when a box or a tag is", async () => {
  const { user, requests } = openMailPage(`/servers/${server.id}`, {
    "GET /api/messages": listOf([summary(2), summary(1)]),
    "GET /api/messages/m2": message({ id: "m2", subject: "Subject 2" }),
  });
  const reads = (): readonly string[] => requests.filter((line) => line.startsWith("GET /api/messages/m"));
  await user.click(await screen.findByRole("checkbox", { name: "Select Subject 1" }));
  expect(reads()).toEqual([]);
  const row = screen.getByRole("link", { name: /Subject 2$/ });
  await user.pointer({ keys: "[MouseLeft>]", target: row });
  expect(reads()).toEqual(["GET /api/messages/m2"]);
  expect(screen.queryByRole("article")).toBeNull();
  await user.pointer({ keys: "[/MouseLeft]", target: row });
  await screen.findByRole("heading", { name: "Subject 2" });
  expect(reads().filter((line) => !line.includes("/m2/"))).toEqual(["GET /api/messages/m2"]);
});

test("says that the open message no longer exists", async () => {
  openMailPage(`/servers/${server.id}/messages/m9`, { "GET /api/messages": listOf([summary(1)]) });
  await screen.findByText("This message no longer exists.");
});

test("does not show a message of another server", async () => {
  openMailPage(`/servers/${server.id}/messages/m9`, {
    "GET /api/messages": listOf([summary(1)]),
    "GET /api/messages/m9": message({ id: "m9", server: "other123", subject: "Secret" }),
  });
  await screen.findByText("This message no longer exists.");
  expect(screen.queryByText("Secret")).toBeNull();
});

test("returns messages to the list when they cannot be deleted", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ["setTimeout", "clearTimeout"] });
  const { user } = openMailPage(`/servers/${server.id}`, {
    "GET /api/messages": () => listOf([summary(2), summary(1)]),
    "DELETE /api/messages/m2": problem(503, "Retry later"),
  });
  await user.click(await screen.findByRole("checkbox", { name: "Select Subject 2" }));
  await user.click(await screen.findByRole("button", { name: "Delete" }));
  expect(shownRows()).toHaveLength(1);
  await act(async () => vi.advanceTimersByTimeAsync(6000));
  await screen.findByText(/^1 message could not be deleted: ./);
  await waitFor(() => {
    expect(shownRows()).toHaveLength(2);
  });
  vi.useRealTimers();
});

test("offers searches that find messages when a search finds none", async () => {
  const suggestion = { kind: "replace", q: "from:a", server: server.id, dir: "Received", term: "to:a" };
  const { user } = openMailPage(`/servers/${server.id}?q=to%3Aa`, {
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
  const { user } = openMailPage(`/servers/${server.id}`, { "GET /api/messages": listOf([summary(1)]) });
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
  expect(shownRows()).toHaveLength(1);
  screen.getByRole("link", { name: /Subject 2$/ });
});

test("shows the part of a text that a search found, where nothing else in the row shows it", async () => {
  const excerpt = (id: string) => ({
    id,
    codes: [],
    sizeBytes: 9,
    inline: 0,
    files: [],
    flags: [],
    tags: [],
    sequence: 0,
  });
  const { requests } = openMailPage(`/servers/${server.id}?q=needle+from%3Aapp`, {
    "GET /api/messages": listOf([{ ...summary(3), subject: "A Needle" }, summary(2), summary(1)]),
    "GET /web/glances": [3, 2, 1].map((number) => ({ ...excerpt(`m${number}`), providerTags: [] })),
    "POST /web/passages": [{ id: "m2", text: "…in the needle stack…" }],
  });
  const passage = await screen.findByText("…in the needle stack…");
  expect(passage.closest("[data-id]")?.getAttribute("data-id")).toBe("m2");
  const sent = requests.filter((line) => line.startsWith("POST /web/passages"));
  expect(sent).toEqual(['POST /web/passages {"ids":["m2","m1"],"terms":["needle"]}']);
  expect(screen.getAllByText("Some words")).toHaveLength(2);
});

test("loads the page after the one in view before it comes into view", async () => {
  const items = Array.from({ length: 100 }, (_, at) => summary(1000 - at));
  const { requests } = openMailPage(`/servers/${server.id}`, {
    "GET /api/messages": new Response(JSON.stringify(items), { headers: { "x-total-count": "1000", "x-cursor": "9" } }),
  });
  const isRequested = (page: number): boolean => requests.some((line) => line.includes(`page=${page}&`));
  await screen.findByRole("link", { name: /Subject 1000$/ });
  expect(isRequested(1)).toBe(false);
  const scroller = screen.getByRole("region", { name: "Messages" });
  scroller.scrollTop = 380;
  fireEvent.scroll(scroller);
  await waitFor(() => {
    expect(isRequested(1)).toBe(true);
  });
  expect(isRequested(3)).toBe(false);
});

test("follows the open template when its new rendering takes the place of the message, in the same tab", async () => {
  const template = (row: number, local: string) => ({
    ...summary(row),
    to: [{ name: "", email: `${local}@shop1234.example`, phone: null }],
  });
  let items = [template(2, "welcome+template"), template(1, "order+template")];
  const { cache } = openMailPage(`/servers/${server.id}/messages/m2/headers`, {
    "GET /api/messages": () => listOf(items),
    "GET /api/messages/m2": message({ id: "m2", subject: "Subject 2" }),
    "GET /api/messages/m4": message({ id: "m4", subject: "Subject 4" }),
  });
  const refresh = async (): Promise<void> => cache.invalidateQueries({ queryKey: queryKeys.serverMessages(server.id) });
  await screen.findByRole("heading", { name: "Subject 2" });
  items = [template(4, "welcome+template"), template(3, "order+template")];
  await act(refresh);
  await screen.findByRole("heading", { name: "Subject 4" });
  expect(location.pathname).toBe(`/servers/${server.id}/messages/m4/headers`);
});
