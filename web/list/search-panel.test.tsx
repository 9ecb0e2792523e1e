import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { useRef, useState, type ReactElement } from "react";
import { expect, test, vi } from "vitest";
import { allReceived, type MailQuery } from "../navigation/mail-query.ts";
import { problem, renderUi, type Rendered, type Responses } from "../testing/render-ui.tsx";
import { accountSession, server, summary } from "../testing/samples.ts";
import { SearchPanel } from "./search-panel.tsx";

const seen: { q: string; replace: boolean }[] = [];

function Panel({ q, direction }: Pick<MailQuery, "q" | "direction">): ReactElement {
  const [query, setQuery] = useState<MailQuery>({ ...allReceived, q, direction });
  const [isLoading, setLoading] = useState(false);
  const inputRef = useRef<HTMLInputElement>(null);
  const list = { count: isLoading ? 0 : 1, at: () => (isLoading ? undefined : summary(1)) };
  return (
    <>
      <output>{query.direction}</output>
      <SearchPanel
        server={server.id}
        query={query}
        inputRef={inputRef}
        list={list}
        onSearch={(next, { replace = false } = {}) => {
          seen.push({ q: next.q, replace });
          setQuery(next);
        }}
      />
      <button
        onClick={() => {
          setQuery({ ...allReceived, q: "from:link words" });
        }}
      >
        Back
      </button>
      <button
        // Keeps the focus in the search box.
        onPointerDown={(event) => {
          event.preventDefault();
          setLoading(true);
        }}
      >
        Replace rows
      </button>
    </>
  );
}

function open(
  q = "",
  responses: Responses = {},
  direction: MailQuery["direction"] = "Received",
): Rendered & { readonly box: HTMLElement } {
  seen.length = 0;
  const tags = { [`GET /api/servers/${server.id}/tags`]: [{ tag: "paid", messages: 2 }] };
  const rendered = renderUi(<Panel q={q} direction={direction} />, {
    "GET /web/session": { ...accountSession },
    ...tags,
    ...responses,
  });
  return { ...rendered, box: screen.getByRole("combobox", { name: "Search messages" }) };
}

test("searches while one types, with one history entry, and makes chips of operators", async () => {
  const { user, box } = open();
  await user.type(box, "due from:ali ");
  await waitFor(() => {
    expect(seen.at(-1)?.q).toBe("from:ali due");
  });
  expect(seen.slice(1).every(({ replace }) => replace)).toBe(true);
  expect(seen[0]?.replace).toBe(false);
  screen.getByRole("button", { name: "Remove from:ali" });
  expect(box).toHaveProperty("value", "due ");
  await user.click(screen.getByRole("button", { name: "Remove from:ali" }));
  expect(seen.at(-1)).toEqual({ q: "due", replace: false });
});

test("takes over the query of the address, and drops what was typed before", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ["setTimeout", "clearTimeout"] });
  const { user, box } = open("is:read order");
  expect(box).toHaveProperty("value", "order");
  screen.getByRole("button", { name: "Remove is:read" });
  await user.type(box, "s");
  await user.click(screen.getByRole("button", { name: "Back" }));
  await act(async () => vi.advanceTimersByTimeAsync(1000));
  vi.useRealTimers();
  expect(box).toHaveProperty("value", "words");
  screen.getByRole("button", { name: "Remove from:link" });
});

test("suggests operators and known values; arrow keys select one, Enter takes it", async () => {
  const { user, box } = open();
  await user.type(box, "ta");
  const option = await screen.findByRole("option", { name: /^tag:Has/ });
  expect(option.getAttribute("aria-selected")).toBe("false");
  await user.keyboard("{ArrowDown}{Enter}");
  expect(box).toHaveProperty("value", "tag:");
  await screen.findByRole("option", { name: /^tag:paid/ });
  await user.keyboard("{ArrowDown}{Enter}");
  screen.getByRole("button", { name: "Remove tag:paid" });
  expect(seen.at(-1)?.q).toBe("tag:paid");
  await user.type(box, "from:");
  await screen.findByRole("option", { name: /^from:app@example.com/ });
});

test("closes the suggestions with Escape, then clears the text; Backspace removes the last chip", async () => {
  const { user, box } = open("is:unread");
  await user.type(box, "fro");
  expect(box.getAttribute("aria-expanded")).toBe("true");
  await user.keyboard("{Escape}");
  expect(box.getAttribute("aria-expanded")).toBe("false");
  await user.keyboard("{Escape}");
  expect(box).toHaveProperty("value", "");
  await user.keyboard("{Backspace}");
  expect(seen.at(-1)?.q).toBe("");
});

test("opens nothing when Escape clears a text without suggestions, and leaves the box with the next Escape", async () => {
  const { user, box } = open();
  await user.type(box, "zzz");
  expect(box.getAttribute("aria-expanded")).toBe("false");
  await user.keyboard("{Escape}");
  expect([box.getAttribute("aria-expanded"), document.activeElement]).toEqual(["false", box]);
  expect(box).toHaveProperty("value", "");
  await user.keyboard("{ArrowDown}");
  expect(box.getAttribute("aria-expanded")).toBe("true");
  await user.keyboard("{Escape}t");
  expect(box.getAttribute("aria-expanded")).toBe("true");
  await user.keyboard("{Escape}{Escape}{Escape}");
  expect([box.getAttribute("aria-expanded"), document.activeElement]).toEqual(["false", document.body]);
});

test("shows no chip for a filter that is above the list", () => {
  open("is:unread from:ann");
  screen.getByRole("button", { name: "Remove from:ann" });
  expect(screen.queryByRole("button", { name: "Remove is:unread" })).toBeNull();
});

test("offers operators with examples when the box gets the focus, and the searches before", async () => {
  localStorage.clear();
  const { user, box } = open();
  await user.click(box);
  screen.getByRole("option", { name: /: has:code$/ });
  await user.type(box, "from:ann due");
  await user.tab();
  await user.click(await screen.findByRole("button", { name: "Clear search" }));
  await user.click(box);
  await user.click(screen.getByRole("option", { name: "from:ann dueRecent search" }));
  expect(seen.at(-1)?.q).toBe("from:ann due");
});

test("searches by sender, recipient, day and size in the panel, and takes a value out again", async () => {
  const { user } = open("due OR paid");
  await user.click(screen.getByRole("button", { name: "Filters" }));
  await user.type(await screen.findByLabelText("From"), "ann@x.example{Enter}");
  expect(seen.at(-1)?.q).toBe("(due OR paid) from:ann@x.example");
  await user.type(screen.getByLabelText("To"), "Bob B");
  await user.tab();
  fireEvent.change(screen.getByLabelText("Before the day"), { target: { value: "2026-11-28" } });
  await user.selectOptions(screen.getByLabelText("Larger than"), "1 MB");
  expect(seen.at(-1)?.q).toBe('(due OR paid) from:ann@x.example to:"Bob B" before:2026-11-28 larger:1M');
  await user.selectOptions(screen.getByLabelText("Larger than"), "Any size");
  await user.clear(screen.getByLabelText("From"));
  await user.tab();
  expect(seen.at(-1)?.q).toBe('(due OR paid) to:"Bob B" before:2026-11-28');
});

test("saves, opens, renames and deletes searches, and shows why it cannot", async () => {
  const path = `/api/servers/${server.id}/searches`;
  let isAllowed = false;
  const { user, requests } = open("is:unread", {
    [`GET ${path}`]: [{ name: "Unpaid", q: "-tag:paid" }],
    [`PUT ${path}/New`]: () => (isAllowed ? { name: "New", q: "is:unread" } : problem(403, "This key may only read")),
    [`PUT ${path}/Due`]: { name: "Due", q: "-tag:paid" },
    [`DELETE ${path}/Unpaid`]: {},
  });
  await user.click(await screen.findByRole("button", { name: "Save search" }));
  const name = await screen.findByLabelText("Save the current search as");
  await user.type(name, "New{Enter}");
  await screen.findByText(/This key may only read/);
  isAllowed = true;
  await user.type(name, "{Enter}");
  await waitFor(() => {
    expect(screen.queryByText(/This key may only read/)).toBeNull();
  });
  await user.click(screen.getByRole("button", { name: "Rename Unpaid" }));
  const renamed = screen.getByLabelText("Name");
  await user.clear(renamed);
  await user.type(renamed, "Due{Enter}");
  await waitFor(() => {
    expect(requests).toContain(`DELETE ${path}/Unpaid`);
  });
  expect(requests).toContain(`PUT ${path}/Due {"q":"-tag:paid"}`);
  await user.click(await screen.findByRole("button", { name: /^Unpaid/ }));
  expect(seen.at(-1)?.q).toBe("-tag:paid");
});

test("offers a key that may only read no change of saved searches, and one of a server no other servers", async () => {
  const { user } = open("is:unread", {
    "GET /web/session": { ...accountSession, scope: "read", server: server.id },
    [`GET /api/servers/${server.id}/searches`]: [{ name: "Unpaid", q: "-tag:paid" }],
  });
  await user.click(screen.getByRole("button", { name: "Saved searches" }));
  await screen.findByRole("button", { name: /^Unpaid/ });
  for (const name of ["Rename Unpaid", "Delete Unpaid", "Save search"]) {
    expect(screen.queryByRole("button", { name })).toBeNull();
  }
  expect(screen.queryByRole("link", { name: "Search all servers" })).toBeNull();
});

test("keeps suggested addresses while a search replaces the rows", async () => {
  const { user, box } = open();
  await user.type(box, "recipient:");
  const [option] = await screen.findAllByRole("option");
  const term = option?.querySelector("code")?.textContent ?? "";
  expect(term).toMatch(/^recipient:.+@/);
  fireEvent.pointerDown(screen.getByRole("button", { name: "Replace rows" }));
  await user.keyboard("{ArrowDown}{Enter}");
  screen.getByRole("button", { name: `Remove ${term}` });
});

test("clears a search among sent messages without leaving them, and offers that only with a search", async () => {
  const { user } = open("due", {}, "Sent");
  await user.click(screen.getByRole("button", { name: "Clear search" }));
  expect(seen.at(-1)?.q).toBe("");
  screen.getByText("Sent");
  expect(screen.queryByRole("button", { name: "Clear search" })).toBeNull();
});
