import { screen, waitFor } from "@testing-library/react";
import { useState, type ReactElement } from "react";
import { expect, test } from "vitest";
import { allReceived, type MailQuery } from "../navigation/mail-query.ts";
import { problem, renderUi, type Responses } from "../testing/render-ui.tsx";
import { server } from "../testing/samples.ts";
import { FilterBar } from "./filter-bar.tsx";

const path = `GET /api/servers/${server.id}/tags`;

function Bar({ q }: { readonly q: string }): ReactElement {
  const [query, setQuery] = useState<MailQuery>({ ...allReceived, q });
  return (
    <>
      <FilterBar server={server.id} query={query} onSearch={setQuery} />
      <output>{query.q}</output>
    </>
  );
}

function open(q: string, responses: Responses) {
  const rendered = renderUi(<Bar q={q} />, responses);
  return { ...rendered, tags: screen.getByRole("button", { name: "Tags" }) };
}

test("lists the tags of the server with their messages, when it is opened, by keyboard", async () => {
  const responses = {
    [path]: [
      { tag: "beta", count: 1200 },
      { tag: "to do", count: 3 },
    ],
  };
  const { user, requests, tags } = open("invoice", responses);
  expect(requests).toEqual([]);
  tags.focus();
  await user.keyboard("{Enter}");
  const item = await screen.findByRole("menuitemcheckbox", { name: "to do, 3 messages", checked: false });
  screen.getByRole("menuitemcheckbox", { name: "beta, 1,200 messages" });
  await waitFor(() => {
    expect(screen.getByRole("menu").contains(document.activeElement)).toBe(true);
  });
  await user.keyboard("{End}");
  expect(document.activeElement).toBe(item);
  await user.keyboard("{Enter}");
  expect(screen.getByRole("status").textContent).toBe('invoice tag:"to do"');
  await waitFor(() => {
    expect(document.activeElement).toBe(tags);
  });
  expect(tags.dataset["active"]).toBe("true");
  await user.keyboard("{Enter}");
  await user.click(await screen.findByRole("menuitemcheckbox", { name: "to do, 3 messages", checked: true }));
  expect(screen.getByRole("status").textContent).toBe("invoice");
  expect(tags.dataset["active"]).toBe("false");
});

test("closes the menu with Escape, and says that there are no tags", async () => {
  const { user, tags } = open("", { [path]: [] });
  await user.click(tags);
  await screen.findByText(/^No tags yet/);
  await user.keyboard("{Escape}");
  await waitFor(() => {
    expect(screen.queryByRole("menu")).toBeNull();
  });
  expect(document.activeElement).toBe(tags);
});

test("shows why tags cannot be listed", async () => {
  const { user, tags } = open("", { [path]: problem(500, "The service failed") });
  await user.click(tags);
  expect((await screen.findByRole("alert")).textContent).toContain("The service failed");
});

test("toggles the other filters", async () => {
  const { user } = open("", { [path]: [] });
  await user.click(screen.getByRole("button", { name: "Code", pressed: false }));
  expect(screen.getByRole("status").textContent).toBe("has:code");
  await user.click(screen.getByRole("button", { name: "Code", pressed: true }));
  expect(screen.getByRole("status").textContent).toBe("");
});
