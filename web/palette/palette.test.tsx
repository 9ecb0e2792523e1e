import { screen, waitFor, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { renderUi, type Rendered, type Responses, type SimulatedResponse } from "../testing/render-ui.tsx";
import { server, summary } from "../testing/samples.ts";
import type { Typed } from "./commands.ts";
import { Palette } from "./palette.tsx";

const [onClose, onCompose] = [vi.fn<() => void>(), vi.fn<() => void>()];

function open(responses: Responses = {}, typed: Partial<Typed> = {}): Rendered & { readonly box: HTMLElement } {
  onClose.mockClear();
  onCompose.mockClear();
  history.replaceState(null, "", "/");
  const pages = [{ name: "Webhooks", note: "Shop", href: "/servers/shop1234/webhooks" }];
  const rendered = renderUi(
    <Palette
      pages={pages}
      actions={[{ name: "New email", run: onCompose }]}
      typed={{ text: "", isEntered: false, ...typed }}
      onClose={onClose}
    />,
    { "GET /api/servers": [server], "GET /api/search": [summary(1)], ...responses },
  );
  return { ...rendered, box: screen.getByRole("combobox") };
}

const selected = (): string | null =>
  screen.getAllByRole("option").find((option) => option.getAttribute("aria-selected") === "true")?.textContent ?? null;

test("lists servers, pages, actions and recent messages, in groups, and opens the chosen one by keyboard", async () => {
  const { user, box } = open();
  await within(await screen.findByRole("group", { name: "Servers" })).findByText("Shop");
  await within(await screen.findByRole("group", { name: "Recent messages" })).findByText("Subject 1");
  expect(document.activeElement).toBe(box);
  expect(selected()).toBe("Shopshop1234");
  await user.keyboard("{ArrowUp}");
  expect(selected()).toMatch(/^Subject 1app@example\.com → user-1@shop1234\.restante\.test\d+ Jan( 2026)?$/);
  expect(box.getAttribute("aria-activedescendant")).toBe(
    screen.getByRole("option", { name: /^Subject 1/ }).getAttribute("id"),
  );
  await user.keyboard("{ArrowDown}{ArrowDown}{Enter}");
  expect([location.pathname, onClose.mock.calls.length]).toEqual(["/servers/shop1234/webhooks", 1]);
});

test("begins with what was typed while it loaded", async () => {
  const { box, user } = open({}, { text: "web" });
  expect(selected()).toBe("WebhooksShop");
  await user.type(box, "x");
  expect((box as HTMLInputElement).value).toBe("webx");
});

test.each([
  ["web", "/servers/shop1234/webhooks"],
  ["order 17", "/search?q=order+17"],
])("runs the command of %j when Enter was pressed while it loaded", (text, opened) => {
  open({}, { text, isEntered: true });
  expect([location.pathname + location.search, onClose.mock.calls.length]).toEqual([opened, 1]);
});

test("tells messages of the same subject apart by people, age and, with several servers, the server", async () => {
  const [one, two] = [summary(1), summary(2)];
  const subject = "Meeting";
  const from = [{ name: "Anna Berg", email: "anna@x.test", phone: null }];
  open({
    "GET /api/servers": [server, { ...server, id: "auth5678", name: "Sign-in" }],
    "GET /api/search": [
      { ...one, subject, from, cc: one.to },
      { ...two, subject, server: "auth5678", from: [], to: [] },
    ],
  });
  await screen.findByText("Sign-in", { selector: "[role=option] span span" });
  const texts = screen.getAllByRole("option", { name: /^Meeting/ }).map(({ textContent }) => textContent);
  expect(texts).toEqual([
    expect.stringMatching(/^MeetingAnna Berg → user-1@shop1234\.restante\.test \+1\d.*Shop$/),
    expect.stringMatching(/^Meeting\(no sender\) → \(no recipient\)\d.*Sign-in$/),
  ]);
});

test("finds by every word of a name, runs actions, and searches messages of all servers", async () => {
  const { user, box, requests } = open({ "GET /api/search": () => [summary(2)] });
  await user.type(box, "new em");
  expect(screen.queryByRole("group", { name: "Servers" })).toBeNull();
  await waitFor(() => {
    expect(requests.some((line) => line.startsWith("GET /api/search?") && line.includes("q=new+em"))).toBe(true);
  });
  await user.keyboard("{Enter}");
  expect(onCompose).toHaveBeenCalledOnce();
  await user.click(await screen.findByRole("option", { name: "Search all servers for new em" }));
  expect(location.pathname + location.search).toBe("/search?q=new+em");
});

test("does not open a message of the former text when Enter follows the text at once", async () => {
  const results = Promise.withResolvers<SimulatedResponse>();
  const responses = [[summary(1)], results.promise];
  const { user, box } = open({
    "GET /api/servers": [],
    "GET /api/search": async () => (await responses.shift()) ?? [],
  });
  await screen.findByText("Subject 1");
  await user.type(box, "subj");
  expect(screen.getByText("Subject 1")).toBeDefined();
  expect(selected()).toBe("Search all servers for subj");
  results.resolve([summary(2)]);
  await screen.findByText("Subject 2");
  expect(selected()).toMatch(/^Subject 2/);
});

test("stays usable when messages cannot be searched", async () => {
  const { user, box } = open({ "GET /api/search": () => new Response("{}", { status: 503 }) });
  await user.type(box, "webh");
  expect(selected()).toBe("WebhooksShop");
  await user.keyboard("{Escape}");
  expect(onClose).toHaveBeenCalled();
});
