import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { problem, renderUi } from "../testing/render-ui.tsx";
import { readOnlySession } from "../testing/samples.ts";
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

test("shows limits, and the messages of each day", async () => {
  renderUi(<UsagePage />, {
    "GET /api/usage/limits": {
      servers: { limit: 2_147_483_647, current: 3 },
      users: { limit: 2_147_483_647, current: 0 },
      email: { limit: 500, current: 500 },
      sms: { limit: 10, current: 0 },
    },
    "GET /api/usage/transactions": [{ timestamp: "2026-11-20T00:00:00.000Z", email: 1200, sms: 3 }],
  });
  const rowOf = async (name: string): Promise<readonly (string | null)[]> =>
    within(await screen.findByRole("row", { name: new RegExp(`^${name}`) }))
      .getAllByRole("cell")
      .map(({ textContent }) => textContent);
  expect((await rowOf("2026-11-20")).slice(0, 2)).toEqual(["1,200", "3"]);
  screen.getByText("500 of 500 (limit reached)");
  screen.getByText("0 of 10");
  // Without a limit.
  expect(screen.queryByText("Servers")).toBeNull();
});

test("shows why the usage cannot be loaded", async () => {
  renderUi(<UsagePage />, { "GET /api/usage/limits": problem(503, "Unavailable"), "GET /api/usage/transactions": [] });
  expect((await screen.findByRole("alert")).textContent).toContain("Unavailable");
});
