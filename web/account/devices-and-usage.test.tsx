import { screen, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { problem, renderUi } from "../testing/render-ui.tsx";
import { readOnlySession, sessionOfMember } from "../testing/samples.ts";
import { DevicesPage } from "./devices-page.tsx";
import { UsagePage } from "./usage-page.tsx";

const devices = [{ id: "d1", name: "Phone" }];
const otp = (code: string, inMs: number): Record<string, string> => ({
  code,
  expires: new Date(Date.now() + inMs).toISOString(),
});

test("replaces a one-time password when it expires", async () => {
  const codes = ["111111", "222222"];
  renderUi(<DevicesPage />, {
    "GET /api/devices": devices,
    "GET /api/devices/d1/otp": () => (codes.length > 1 ? otp(codes.shift() ?? "", 0) : otp("222222", 30_000)),
  });
  await screen.findByRole("button", { name: "Copy code 222222" });
  await screen.findByText(/^valid for \d+ s$/);
  expect(screen.queryByRole("button", { name: "Copy code 111111" })).toBeNull();
});

test("counts by the clock of the service when that of the browser is wrong", async () => {
  const aheadMs = 3_600_000;
  const response = (): Response =>
    new Response(JSON.stringify(otp("111111", 20_000 - aheadMs)), {
      headers: { date: new Date(Date.now() - aheadMs).toUTCString() },
    });
  renderUi(<DevicesPage />, { "GET /api/devices": devices, "GET /api/devices/d1/otp": response });
  await screen.findByText(/^valid for (?:2\d|1\d) s$/);
});

test("shows why there is no code, and no actions to a key that may only read", async () => {
  renderUi(
    <DevicesPage />,
    { "GET /api/devices": devices, "GET /api/devices/d1/otp": problem(409, "Another secret key") },
    readOnlySession,
  );
  expect((await screen.findByRole("alert")).textContent).toContain("Another secret key");
  expect(screen.queryByRole("button", { name: /New device|Delete/ })).toBeNull();
});

test("adds a device by its URI without a name, and shows why a secret is rejected", async () => {
  let response: Response | Record<string, string> = problem(400, "The secret is not base32");
  const { user, requests } = renderUi(<DevicesPage />, {
    "GET /api/devices": [],
    "POST /api/devices": () => response,
  });
  await screen.findByText("No devices yet.");
  await user.click(screen.getByRole("button", { name: "New device" }));
  await user.type(await screen.findByRole("textbox", { name: "Secret or otpauth URI" }), "otpauth://totp/x");
  await user.keyboard("{Enter}");
  expect((await screen.findByRole("alert")).textContent).toContain("not base32");
  response = { id: "d1", name: "x" };
  await user.keyboard("{Enter}");
  await screen.findByText("x added");
  expect(requests).toContain('POST /api/devices {"sharedSecret":"otpauth://totp/x"}');
});

const limits = {
  servers: { limit: 2_147_483_647, current: 3 },
  users: { limit: 2_147_483_647, current: 0 },
  email: { limit: 500, current: 500 },
  sms: { limit: 10, current: 0 },
};
const noLimits = {
  messagesMax: null,
  bytesMax: null,
  ageSecondsMax: null,
  emailsPerDayMax: null,
  smsPerDayMax: null,
  outboundPerHourMax: null,
};
const counts = { email: 1200, sms: 3, bytes: 2048, outbound: 4, messages: 9, storedBytes: 1024 };
const payments = { team: "t1", name: "Payments", ...counts, servers: 2, limits: { ...noLimits, bytesMax: 1024 } };
const others = { team: null, name: null, ...counts, servers: 1, limits: noLimits };
const idle = {
  server: "abcd1234",
  name: "Old branch",
  team: "t1",
  teamName: "Payments",
  managers: ["ann@corp.example"],
  ...counts,
  lastTrafficAt: "2026-09-01T08:00:00.000Z",
  idleDays: 80,
  isProtected: false,
  isKept: false,
  removedAt: "2099-12-01T08:00:00.000Z",
};
const month = new Date().toISOString().slice(0, 7);
const responses = {
  "GET /api/usage/limits": limits,
  "GET /api/usage/transactions": [{ timestamp: "2026-11-20T00:00:00.000Z", email: 1200, sms: 3 }],
  [`GET /api/usage/teams?month=${month}`]: [payments, others],
  "GET /api/usage/servers?idleDays=30": [idle],
};
const rowOf = async (name: string): Promise<readonly (string | null)[]> =>
  within(await screen.findByRole("row", { name: new RegExp(`^${name}`) }))
    .getAllByRole("cell")
    .map(({ textContent }) => textContent);

test("shows limits, and the messages of each day", async () => {
  renderUi(<UsagePage />, responses);
  expect((await rowOf("2026-11-20")).slice(0, 2)).toEqual(["1,200", "3"]);
  screen.getByText("500 of 500 (limit reached)");
  screen.getByText("0 of 10");
  // Without a limit.
  expect(screen.queryByText("Servers")).toBeNull();
});

test("shows the usage of each team, and changes the limits of one", async () => {
  const { user, requests } = renderUi(<UsagePage />, { ...responses, "PUT /api/teams/t1/limits": {} });
  const held = "9 messages, 1.0 kB of 1.0 kB (limit reached)";
  expect(await rowOf("Payments")).toEqual(["1,200", "3", "2.0 kB", "4", held, "Limits…"]);
  expect(await rowOf("Servers without a team")).toEqual(["1,200", "3", "2.0 kB", "4", "9 messages, 1.0 kB", ""]);
  await user.click(screen.getByRole("button", { name: "Limits…" }));
  const field = (name: string): HTMLElement => screen.getByRole("textbox", { name });
  await user.type(field("Delete messages after (days)"), "0.5");
  await user.type(field("Outbound deliveries per hour"), "x");
  screen.getByText("Limits are numbers above 0; outbound deliveries may be 0.");
  await user.clear(field("Outbound deliveries per hour"));
  await user.type(field("Outbound deliveries per hour"), "0");
  await user.clear(field("Storage (MiB)"));
  await user.click(screen.getByRole("button", { name: "Save limits" }));
  const body = { ...noLimits, ageSecondsMax: 43_200, outboundPerHourMax: 0 };
  await vi.waitFor(() => {
    expect(requests).toContain(`PUT /api/teams/t1/limits ${JSON.stringify(body)}`);
  });
});

test("shows a manager its teams and their idle servers, and neither limits to change nor the account", async () => {
  const shop = { ...payments, team: "t2", name: "Shop" };
  const { requests } = renderUi(
    <UsagePage />,
    { ...responses, [`GET /api/usage/teams?month=${month}`]: [payments, shop] },
    sessionOfMember("manager"),
  );
  expect(await rowOf("Shop")).toHaveLength(5);
  await rowOf("Old branch");
  expect(screen.queryByRole("button", { name: "Limits…" })).toBeNull();
  expect(requests.filter((line) => /limits|transactions/.test(line))).toEqual([]);
});

test("saves the CSV of the chosen month", async () => {
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, "click").mockReturnValue();
  const { user } = renderUi(<UsagePage />, {
    ...responses,
    "GET /api/usage/teams?month=2026-01": [others],
    [`GET /api/usage/teams.csv?month=${month}`]: () => new Response("month,team\r\n"),
  });
  await user.click(await screen.findByRole("button", { name: "Teams (CSV)" }));
  await vi.waitFor(() => {
    expect(clicked).toHaveBeenCalledOnce();
  });
  expect((clicked.mock.contexts[0] as HTMLAnchorElement).download).toBe(`usage-teams-${month}.csv`);
  clicked.mockRestore();
});

test("lists idle servers with their owners and the day of their removal, and protects one", async () => {
  const { user, requests } = renderUi(<UsagePage />, { ...responses, "PUT /api/servers/abcd1234": {} });
  expect(await rowOf("Old branch")).toEqual([
    "Payments, ann@corp.example",
    "80 days",
    "9 messages, 1.0 kB",
    "Removed on 2099-12-01",
    "Keep",
  ]);
  await user.click(screen.getByRole("button", { name: "Keep Old branch" }));
  expect(requests).toContain('PUT /api/servers/abcd1234 {"isProtected":true}');
});

test("shows all servers in one row without teams, and kept servers without a choice", async () => {
  renderUi(<UsagePage />, {
    ...responses,
    [`GET /api/usage/teams?month=${month}`]: [others],
    "GET /api/usage/servers?idleDays=30": [
      { ...idle, removedAt: null, isKept: true, team: null, teamName: null, managers: [] },
    ],
  });
  expect(await rowOf("All servers")).toHaveLength(5);
  expect((await rowOf("Old branch")).slice(3)).toEqual(["Stays: catch-all or configured", ""]);
  expect((await rowOf("Old branch"))[0]).toBe("No team");
});

test("shows why the usage cannot be loaded", async () => {
  renderUi(<UsagePage />, { "GET /api/usage/limits": problem(503, "Unavailable"), "GET /api/usage/transactions": [] });
  expect((await screen.findByRole("alert")).textContent).toContain("Unavailable");
});
