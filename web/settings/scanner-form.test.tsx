import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { problem, renderUi } from "../testing/render-ui.tsx";
import { server } from "../testing/samples.ts";
import type { Scanner } from "../wire.ts";
import { ScannerForm } from "./scanner-form.tsx";

const path = `/api/servers/${server.id}/scanner`;
const settings = `GET /web/servers/${server.id}/optional-settings`;
const scanner: Scanner = {
  profile: "safelinks",
  targets: "links",
  methods: ["HEAD", "GET"],
  userAgent: "Mozilla/5.0",
  renders: false,
  when: "before",
  delayMs: 0,
};

function bodyOf(requests: readonly string[]): unknown {
  const line = requests.find((one) => one.startsWith("PUT")) ?? "";
  return JSON.parse(line.slice(line.indexOf("{")));
}

test("sets a profile, with the members that replace its own", async () => {
  const { user, requests } = renderUi(<ScannerForm server={server.id} />, {
    [settings]: { scanner: null, zone: null },
    [`PUT ${path}`]: scanner,
  });
  const profile = await screen.findByRole<HTMLSelectElement>("combobox", { name: "Profile" });
  expect(profile.value).toBe("off");
  expect(screen.queryByRole("textbox", { name: "User agent" })).toBeNull();
  await user.selectOptions(profile, "Barracuda");
  await user.selectOptions(screen.getByRole("combobox", { name: "When" }), "After the email is visible");
  await user.selectOptions(screen.getByRole("combobox", { name: "Methods" }), "HEAD, GET");
  await user.type(screen.getByRole("textbox", { name: "Delay (ms)" }), "500");
  await user.type(screen.getByRole("textbox", { name: "User agent" }), "Gateway/1");
  await user.click(screen.getByRole("checkbox", { name: "Open pages in a browser and run their scripts" }));
  await user.click(screen.getByRole("button", { name: "Save" }));
  await screen.findByText("Saved");
  expect(bodyOf(requests)).toEqual({
    profile: "barracuda",
    when: "after",
    delayMs: 500,
    methods: ["HEAD", "GET"],
    userAgent: "Gateway/1",
    renders: true,
  });
});

test("shows the scanner, takes another profile without the members of the first, and removes it", async () => {
  const { user, requests } = renderUi(<ScannerForm server={server.id} />, {
    [settings]: { scanner, zone: null },
    [`PUT ${path}`]: scanner,
    [`DELETE ${path}`]: new Response(null, { status: 204 }),
  });
  const agent = await screen.findByRole<HTMLInputElement>("textbox", { name: "User agent" });
  expect(agent.value).toBe("Mozilla/5.0");
  const profile = screen.getByRole("combobox", { name: "Profile" });
  await user.selectOptions(profile, "Gmail image proxy");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await screen.findByText("Saved");
  expect(bodyOf(requests)).toEqual({ profile: "gmail-image-proxy" });
  await user.selectOptions(profile, "Off");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await expect.poll(() => requests.includes(`DELETE ${path}`)).toBe(true);
});

test("sends no delay that is not a number, and shows why settings are refused", async () => {
  const { user, requests } = renderUi(<ScannerForm server={server.id} />, {
    [settings]: { scanner, zone: null },
    [`PUT ${path}`]: problem(400, "Requires the targets links"),
  });
  const delay = await screen.findByRole("textbox", { name: "Delay (ms)" });
  await user.clear(delay);
  await user.type(delay, "600001");
  screen.getByText(/Enter a whole number of milliseconds/);
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(true);
  await user.clear(delay);
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect((await screen.findByRole("alert")).textContent).toContain("Requires the targets links");
  expect(requests.filter((line) => line.startsWith("PUT"))).toHaveLength(1);
});
