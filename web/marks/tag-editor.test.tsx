import { act, screen, waitFor } from "@testing-library/react";
import type { ReactElement } from "react";
import { expect, test, vi } from "vitest";
import { noteCursor } from "../api/mark-state.ts";
import { useFollowedMarks } from "../api/marks.ts";
import { renderUi } from "../testing/render-ui.tsx";
import { accountSession, server } from "../testing/samples.ts";
import { TagEditor } from "./tag-editor.tsx";

const responses = {
  "GET /web/session": { ...accountSession },
  [`GET /api/servers/${server.id}/tags`]: [{ tag: "invoice", count: 2 }],
  "POST /api/messages/marks": { changed: 1 },
};

test("adds and removes tags, at once and as one change each", async () => {
  const { user, requests } = renderUi(<TagEditor server={server.id} id="t1" />, {
    ...responses,
    "GET /api/messages/t1/marks": { flags: [], tags: ["beta"] },
  });
  const link = await screen.findByRole("link", { name: "beta" });
  expect(link.getAttribute("href")).toBe(`/servers/${server.id}?q=tag%3Abeta`);
  // Suggestions are loaded for a field that is used.
  expect(requests).not.toContain(`GET /api/servers/${server.id}/tags`);
  await user.type(screen.getByRole("combobox", { name: "Add tag" }), "Sign up, now{Enter}");
  await screen.findByRole("link", { name: "Sign up now" });
  await user.click(screen.getByRole("button", { name: "Remove tag beta" }));
  await waitFor(() => {
    expect(screen.queryByRole("link", { name: "beta" })).toBeNull();
  });
  expect(requests).toContain(`GET /api/servers/${server.id}/tags`);
  expect(requests.filter((line) => line.startsWith("POST"))).toEqual([
    `POST /api/messages/marks?server=${server.id} {"ids":["t1"],"addTags":["Sign up now"]}`,
    `POST /api/messages/marks?server=${server.id} {"ids":["t1"],"removeTags":["beta"]}`,
  ]);
});

test("only shows tags for a key that may only read", async () => {
  renderUi(<TagEditor server={server.id} id="t2" />, {
    ...responses,
    "GET /web/session": { ...accountSession, scope: "read" },
    "GET /api/messages/t2/marks": { flags: [], tags: ["beta"] },
  });
  await screen.findByRole("link", { name: "beta" });
  await waitFor(() => {
    expect(screen.queryByRole("button")).toBeNull();
  });
  expect(screen.queryByRole("combobox")).toBeNull();
});

function Followed(): ReactElement {
  useFollowedMarks(server.id);
  return <TagEditor server={server.id} id="t3" />;
}

test("reloads the marks of the server after a change that no change stream has reported", async () => {
  noteCursor(server.id, 3);
  const path = `GET /api/servers/${server.id}/marks`;
  const { user, requests } = renderUi(<Followed />, {
    ...responses,
    "GET /api/messages/t3/marks": { flags: [], tags: ["beta"] },
    [path]: [],
  });
  const remove = await screen.findByRole("button", { name: "Remove tag beta" });
  const reads = (): number => requests.filter((line) => line.startsWith(path)).length;
  expect(reads()).toBe(1);
  const timers = vi.spyOn(globalThis, "setTimeout");
  await user.click(remove);
  const isLate = ([, ms]: readonly unknown[]): boolean => ms === 1000;
  await waitFor(() => {
    expect(timers.mock.calls.filter(isLate)).toHaveLength(1);
  });
  const [reload] = timers.mock.calls.find(isLate) ?? [];
  timers.mockRestore();
  expect(reads()).toBe(1);
  act(() => {
    reload?.();
  });
  await waitFor(() => {
    expect(reads()).toBe(2);
  });
});
