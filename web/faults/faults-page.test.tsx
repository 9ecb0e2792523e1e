import { cleanup, screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { problem, renderUi } from "../testing/render-ui.tsx";
import { restrictedSession, server } from "../testing/samples.ts";
import type { Fault } from "../wire.ts";
import { FaultNotice } from "./fault-notice.tsx";
import { FaultsPage, ServiceFaultsPage } from "./faults-page.tsx";

const path = `/api/servers/${server.id}/faults`;
const fault: Fault = {
  name: "Defer",
  match: { stage: ["mail", "rcpt"], recipient: "*@app.example" },
  when: { first: 3 },
  then: { reply: { code: 451, enhanced: "4.3.0" }, delayMs: 5 },
  until: { hits: 9 },
  state: "active",
  seen: 7,
  hits: 3,
  skipped: 1,
  lastHits: [
    {
      received: "2026-11-20T10:00:00.000Z",
      stage: "rcpt",
      clientAddress: "192.0.2.1",
      sender: "shop@app.example",
      recipient: "anna@app.example",
      provider: null,
      action: "reply",
    },
  ],
};
const noneHeld = { [`GET /api/servers/${server.id}/held`]: [] };
const ended: Fault = {
  ...fault,
  name: "Lost",
  match: { stage: "after-data" },
  then: { loseReply: true },
  state: "ended",
};

test("says that a server has no rules, and adds one from a template", async () => {
  const { user, requests } = renderUi(<FaultsPage server={server.id} />, {
    ...noneHeld,
    [`GET ${path}`]: [],
    [`PUT ${path}?counts=keep`]: [fault],
  });
  await screen.findByRole("list", { name: "New rule" });
  expect(screen.queryByRole("table")).toBeNull();
  expect(screen.queryByRole("button", { name: "Remove all" })).toBeNull();
  const cards = within(screen.getByRole("list", { name: "New rule" })).getAllByRole("button");
  expect(cards.map(({ textContent }) => textContent)).toContain("Deliver after 30 seconds");
  await user.click(screen.getByRole("button", { name: "Reject with 550" }));
  const dialog = within(await screen.findByRole("dialog", { name: "New rule" }));
  expect(dialog.getByRole("combobox", { name: "Template" })).toHaveProperty("value", "reject");
  await user.type(dialog.getByRole("textbox", { name: "Recipient" }), "gone@app.example");
  await user.click(dialog.getByRole("button", { name: "Add" }));
  await expect.poll(() => screen.queryByRole("dialog")).toBeNull();
  const sent = requests.find((line) => line.startsWith("PUT")) ?? "";
  expect(JSON.parse(sent.slice(sent.indexOf("{")))).toEqual({
    items: [
      {
        name: "Reject with 550",
        match: { stage: "rcpt", recipient: "gone@app.example" },
        then: { reply: { code: 550, enhanced: "5.1.1", text: "User unknown" } },
      },
    ],
  });
});

test("lists rules with their counts, and shows the last hits of one", async () => {
  const { user } = renderUi(<FaultsPage server={server.id} />, {
    ...noneHeld,
    [`GET ${path}`]: [fault, ended],
  });
  const row = within(await screen.findByRole("row", { name: /Defer/ }));
  row.getByText("mail, rcpt · *@app.example · the first 3");
  row.getByText("reply 451 4.3.0, delayMs 5");
  for (const text of ["Active", "7", "3"]) row.getByText(text);
  within(screen.getByRole("row", { name: /Lost/ })).getByText("Ended");
  await user.click(row.getByRole("button", { name: "Actions of Defer" }));
  await user.click(await screen.findByRole("menuitem", { name: "Recent hits" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Recent hits of Defer" }));
  for (const text of ["rcpt", "192.0.2.1", "shop@app.example", "anna@app.example"]) dialog.getByText(text);
});

test("removes one rule, and all of them after a confirmation", async () => {
  const { user, requests } = renderUi(<FaultsPage server={server.id} />, {
    ...noneHeld,
    [`GET ${path}`]: [fault, ended],
    [`PUT ${path}?counts=keep`]: [],
    [`DELETE ${path}`]: new Response(null, { status: 204 }),
  });
  await user.click(await screen.findByRole("button", { name: "Actions of Lost" }));
  await user.click(await screen.findByRole("menuitem", { name: "Remove" }));
  await user.click(screen.getByRole("button", { name: "Remove all" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Remove all rules?" }));
  await user.click(dialog.getByRole("button", { name: "Remove" }));
  await expect.poll(() => screen.queryByRole("dialog")).toBeNull();
  const { name, match, when, then, until } = fault;
  expect(requests.filter((line) => !line.startsWith("GET"))).toEqual([
    `PUT ${path}?counts=keep ${JSON.stringify({ items: [{ name, match, when, then, until }] })}`,
    `DELETE ${path}`,
  ]);
});

test("shows why a rule is refused, and keeps the form", async () => {
  const { user } = renderUi(<FaultsPage server={server.id} />, {
    ...noneHeld,
    [`GET ${path}`]: [],
    [`PUT ${path}?counts=keep`]: problem(400, "Must be one address"),
  });
  await user.click(await screen.findByRole("button", { name: "Reply 451 to the first 3 emails" }));
  const dialog = within(await screen.findByRole("dialog", { name: "New rule" }));
  await user.type(dialog.getByRole("textbox", { name: "Recipient" }), "nobody");
  await user.click(dialog.getByRole("button", { name: "Add" }));
  expect((await dialog.findByRole("alert")).textContent).toContain("Must be one address");
  expect(dialog.getByRole<HTMLInputElement>("textbox", { name: "Recipient" }).value).toBe("nobody");
});

test("changes one rule as JSON and leaves the others as they are", async () => {
  const { user, requests } = renderUi(<ServiceFaultsPage />, {
    "GET /api/faults": [fault, ended],
    "PUT /api/faults?counts=keep": [fault, ended],
  });
  await user.click(await screen.findByRole("button", { name: "Actions of Lost" }));
  await user.click(await screen.findByRole("menuitem", { name: "Edit…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Edit Lost" }));
  const area = dialog.getByRole<HTMLTextAreaElement>("textbox", { name: "Rule as JSON" });
  await user.clear(area);
  await user.type(area, "nothing");
  await user.click(dialog.getByRole("button", { name: "Save" }));
  await dialog.findByRole("alert");
  const changed = { name: "Lost", match: { stage: "after-data" }, then: { drop: true } };
  await user.clear(area);
  await user.paste(JSON.stringify(changed));
  await user.click(dialog.getByRole("button", { name: "Save" }));
  await expect.poll(() => screen.queryByRole("dialog")).toBeNull();
  const { name, match, when, then, until } = fault;
  const sent = { items: [{ name, match, when, then, until }, changed] };
  expect(requests.filter((line) => line.startsWith("PUT"))).toEqual([
    `PUT /api/faults?counts=keep ${JSON.stringify(sent)}`,
  ]);
});

test("lists held messages with the time from which they are visible", async () => {
  const held = {
    id: "u1",
    type: "Email",
    accepted: "2026-11-20T10:00:00.000Z",
    visibleAt: "2026-11-20T10:00:30.000Z",
    scanAt: null,
    from: "shop@app.example",
    to: ["anna@app.example"],
    recipients: 3,
    sizeBytes: 2048,
    provider: null,
    faults: ["late"],
    error: null,
  };
  renderUi(<FaultsPage server={server.id} />, {
    [`GET ${path}`]: [],
    [`GET /api/servers/${server.id}/held`]: [
      held,
      { ...held, id: "u2", scanAt: "2026-11-20T10:00:20.000Z" },
      { ...held, id: "u3", error: "Quarantined" },
    ],
  });
  const table = within(await screen.findByRole("table", { name: "Held messages" }));
  for (const text of ["shop@app.example", "anna@app.example and 2 more", "late"]) {
    expect(table.getAllByText(text)).toHaveLength(3);
  }
  table.getByText("Quarantined");
  table.getByText(/^after its scan at .*, by .* at the latest$/);
});

test("names active rules above other pages, and removes one of them", async () => {
  const faults = [fault, ended];
  const { user, requests } = renderUi(<FaultNotice server={server.id} faults={[fault]} />, {
    [`GET ${path}`]: faults,
    [`PUT ${path}?counts=keep`]: [ended],
  });
  await screen.findByText("Fault rule “Defer” is active · 3 hits");
  await user.click(screen.getByRole("button", { name: "Remove the fault rule Defer" }));
  await expect.poll(() => requests.filter((line) => line.startsWith("PUT")).length).toBe(1);
  const sent = requests.find((line) => line.startsWith("PUT")) ?? "";
  expect(JSON.parse(sent.slice(sent.indexOf("{")))).toMatchObject({ items: [{ name: "Lost" }] });
});

test("pauses a rule above other pages, and resumes it on the page of the rules", async () => {
  const { name, match, when, then, until } = fault;
  const rule = { name, match, when, then, until };
  const paused: Fault = { ...fault, paused: true, state: "paused" };
  const notice = renderUi(<FaultNotice server={server.id} faults={[fault]} />, {
    [`GET ${path}`]: [fault],
    [`PUT ${path}?counts=keep`]: [paused],
  });
  await notice.user.click(await screen.findByRole("button", { name: "Pause the fault rule Defer" }));
  await expect
    .poll(() => notice.requests)
    .toContain(`PUT ${path}?counts=keep ${JSON.stringify({ items: [{ ...rule, paused: true }] })}`);
  cleanup();
  const page = renderUi(<FaultsPage server={server.id} />, {
    ...noneHeld,
    [`GET ${path}`]: [paused],
    [`PUT ${path}?counts=keep`]: [fault],
  });
  within(await screen.findByRole("row", { name: /Defer/ })).getByText("Paused");
  await page.user.click(screen.getByRole("button", { name: "Actions of Defer" }));
  await page.user.click(await screen.findByRole("menuitem", { name: "Resume" }));
  await expect.poll(() => page.requests).toContain(`PUT ${path}?counts=keep ${JSON.stringify({ items: [rule] })}`);
});

test("names active rules to a key that may only read, without a control", async () => {
  const session = { ...restrictedSession, scope: "read" } as const;
  renderUi(<FaultNotice server={server.id} faults={[fault]} />, { [`GET ${path}`]: [fault] }, session);
  await screen.findByText("Fault rule “Defer” is active · 3 hits");
  expect(screen.queryByRole("button")).toBeNull();
});
