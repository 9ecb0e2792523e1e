import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { problem, renderUi } from "../testing/render-ui.tsx";
import { accountSession, readOnlySession, server } from "../testing/samples.ts";
import { AddressesPage } from "./addresses-page.tsx";
import { AuditPage } from "./audit-page.tsx";
import { NumbersPage } from "./numbers-page.tsx";
import { PhrasesPage } from "./phrases-page.tsx";
import { StatusPage } from "./status-page.tsx";

const task = { task: "relay", state: "failing", backlog: 3, lastSuccess: null, degrades: "Email is not delivered" };
const failure = { at: "2026-01-01T00:00:00.000Z", reason: "connection refused" };

test("says in three lines what works, and shows failing tasks with their effect", async () => {
  const outbox = { ...task, task: "outbox", state: "ok", degrades: null, lastFailure: null };
  renderUi(<StatusPage />, {
    "GET /api/status": { tasks: [{ ...task, lastFailure: failure }, outbox] },
    "GET /web/disk": { freeBytes: 5_000_000_000 },
  });
  await screen.findByText("5.0 GB free");
  const lines = screen.getAllByRole("definition").map(({ textContent }) => textContent);
  expect(lines).toEqual(["Some features are degraded: Email is not delivered.", "Working · 3 waiting", "5.0 GB free"]);
  screen.getByRole("cell", { name: /connection refused/ });
  screen.getByRole("cell", { name: "Failing" });
});

test("loads older audit entries on request, until there are none", async () => {
  const entries = (count: number, from: number): object[] =>
    Array.from({ length: count }, (_, at) => ({
      id: `e${from + at}`,
      at: "2026-01-01T00:00:00.000Z",
      by: "key",
      key: "k1",
      name: "CI",
      clientAddress: null,
      action: `action.${from + at}`,
      target: null,
      details: {},
    }));
  const { user } = renderUi(<AuditPage />, {
    "GET /api/audit?page=0&itemsPerPage=50": entries(50, 0),
    "GET /api/audit?page=1&itemsPerPage=50": entries(3, 50),
  });
  await user.click(await screen.findByRole("button", { name: "Show older entries" }));
  const last = await screen.findByRole("cell", { name: "action.52" });
  // Phones show these instead of the head of the table.
  const labels = Array.from(last.closest("tr")?.querySelectorAll("td") ?? [], ({ dataset }) => dataset["label"]);
  expect(labels).toEqual(["Time", "Actor", "Client address", "Action", "Target", "Details"]);
  expect(screen.queryByRole("button", { name: "Show older entries" })).toBeNull();
});

test("shows empty lists with a hint", async () => {
  renderUi(
    <>
      <AddressesPage />
      <NumbersPage />
      <PhrasesPage />
      <AuditPage />
    </>,
    {
      "GET /api/verified-addresses": [],
      "GET /api/phone-numbers": [],
      "GET /api/approved-phrases": { phrases: [] },
      "GET /api/audit": [],
      "GET /api/servers": [server],
    },
  );
  await screen.findByText("No addresses yet.");
  await screen.findByText("No numbers yet.");
  await screen.findByText("No phrases: SMS replies are disabled.");
  await screen.findByText("No entries yet.");
});

test("shows why an address is rejected and keeps the text", async () => {
  const { user } = renderUi(<AddressesPage />, {
    "GET /api/verified-addresses": [],
    "POST /api/verified-addresses": problem(429, "Wait an hour"),
  });
  const field = await screen.findByRole<HTMLInputElement>("textbox", { name: "Address" });
  await user.type(field, "a@b.example{Enter}");
  expect((await screen.findByRole("alert")).textContent).toContain("Wait an hour");
  expect(field.value).toBe("a@b.example");
});

test("offers no actions on addresses and phrases to a key that may only read", async () => {
  renderUi(
    <>
      <AddressesPage />
      <PhrasesPage />
    </>,
    {
      "GET /api/verified-addresses": [
        { id: "a1", address: "a@b.example", status: "Pending", createdAt: "2026-01-01T00:00:00.000Z" },
      ],
      "GET /api/approved-phrases": { phrases: ["YES"] },
    },
    readOnlySession,
  );
  await screen.findByText("a@b.example");
  await screen.findByText("YES");
  expect([...screen.queryAllByRole("button"), ...screen.queryAllByRole("textbox")]).toEqual([]);
});

test("lists the addresses that the settings of the service verify", async () => {
  const session = { ...accountSession, verified: ["owner@corp.example", "@corp.example"] };
  renderUi(<AddressesPage />, { "GET /api/verified-addresses": [] }, session);
  await screen.findByText("owner@corp.example, @corp.example");
});
