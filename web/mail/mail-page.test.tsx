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
