/** Steps of a walk by keyboard: an empty server, pages of the account, unknown addresses, themes, and signing in. */
import { expect } from "vitest";
import { addAxe, press, tabBackTo, tabTo } from "./page-state.ts";
import { showView } from "./accessibility.ts";
import { clipboardOf, empty, request } from "./setup.ts";
import { inspect, inspectClosely, other, rowsOf, runNamed, server, waitForDialog, escape, type Walk } from "./walk.ts";

/** An empty server has settings and a command to copy, and a sample, which appears by itself. */
export async function startServer(walk: Walk): Promise<void> {
  const { setup, page, faults } = walk;
  await empty(setup, other);
  await runNamed(page, "server 2", "Server 2");
  await page.getByRole("heading", { name: "Send your first email" }).waitFor();
  await inspect(walk);
  await tabTo(page, "Copy SMTP host", faults);
  await press(page, "Enter");
  await expect.poll(async () => clipboardOf(page)).toBe("127.0.0.1");
  await tabTo(page, "Framework", faults);
  await press(page, "ArrowDown");
  await page.locator("main pre").getByText("createTransport").waitFor();
  await inspect(walk);
  await tabBackTo(page, "Send a sample", faults);
  await press(page, "Enter");
  await rowsOf(page).first().waitFor();
  await page.getByRole("button", { name: "Copy code 482913" }).waitFor();
  await inspect(walk);
}

/** Devices and numbers are added, changed and removed. */
export async function managePages(walk: Walk): Promise<void> {
  const { page, width, faults } = walk;
  await runNamed(page, "devices", "Devices");
  await page.getByRole("button", { name: "New device" }).waitFor();
  await tabTo(page, "New device", faults);
  await press(page, "Enter");
  await waitForDialog(page, "New device");
  await page.keyboard.insertText("otpauth://totp/Example:ada?secret=JBSWY3DPEHPK3PXP");
  await press(page, "Enter");
  await page.getByText(/valid for \d+ s/).waitFor();
  await inspect(walk);
  await tabTo(page, "Delete", faults);
  await press(page, "Enter");
  await waitForDialog(page, /^Delete/);
  await tabTo(page, "Delete", faults);
  await press(page, "Enter");
  await page.getByText("No devices yet.").waitFor();
  await inspect(walk);

  await runNamed(page, "numbers", "Numbers");
  await page.getByRole("button", { name: "New number" }).waitFor();
  await tabTo(page, "New number", faults);
  await press(page, "Enter");
  await waitForDialog(page, "New number");
  await page.keyboard.insertText(`+1555${String(width).padStart(7, "0")}`);
  await press(page, "Enter");
  await page.getByText("No webhook; replies disabled").waitFor();
  await tabBackTo(page, "Edit", faults);
  await press(page, "Enter");
  await waitForDialog(page, /^Edit/);
  await tabTo(page, "Webhook for replies (optional)", faults);
  await page.keyboard.insertText("http://127.0.0.1:9/sms");
  await press(page, "Enter");
  await page.getByRole("cell", { name: "http://127.0.0.1:9/sms" }).waitFor();
  await inspect(walk);
  await tabTo(page, "Remove", faults);
  await press(page, "Enter");
  await waitForDialog(page, /^Remove/);
  await tabTo(page, "Remove", faults);
  await press(page, "Enter");
  await page
    .getByText("No webhook; replies disabled")
    .or(page.getByRole("cell"))
    .first()
    .waitFor({ state: "detached" });
  await inspect(walk);
}

/** Unknown addresses and servers have pages; counts agree; a theme that is chosen differs from the other. */
export async function showWrongStates(walk: Walk): Promise<void> {
  const { setup, page, faults } = walk;
  await showView(page, "/nope");
  await page.getByRole("heading", { name: "Not found" }).waitFor();
  await tabTo(page, "All servers", faults);
  await inspect(walk);
  await showView(page, "/servers/unknown1");
  await page.getByRole("heading", { name: "Server not found" }).waitFor();
  await tabTo(page, "Server", faults);
  await inspect(walk);
  await press(page, "Tab", "g", "h");
  await page.getByRole("heading", { name: "Servers", exact: true }).waitFor();
  const servers = await request<readonly { readonly id: string; readonly messages: number }[]>(
    setup,
    "GET /api/servers",
  );
  const count = servers.find(({ id }) => id === server)?.messages ?? 0;
  await page.getByRole("listitem").filter({ hasText: "Server 1" }).getByText(`${count} messages`).waitFor();

  const grounds: string[] = [];
  for (const next of ["light", "dark", "system"]) {
    await runNamed(page, "change the theme", "Change the theme");
    await page.locator(`:root[data-theme=${next}]`).waitFor();
    grounds.push(await page.evaluate<string>("getComputedStyle(document.body).backgroundColor"));
  }
  if (grounds[0] === grounds[1]) faults.push(`light and dark have the same ground, ${String(grounds[0])}`);
}

/** The sign-in page says why a key, a link or the service fails; a restricted key opens its server alone, until it is revoked. */
export async function signInAgain(walk: Walk): Promise<void> {
  const { setup, page } = walk;
  await runNamed(page, "sign out", "Sign out");
  await page.getByLabel("API key").waitFor();
  await page.goto(`${setup.service.url}/#token=${"x".repeat(43)}`);
  const says = async (text: string): Promise<void> => {
    await page.getByRole("alert").getByText(text).waitFor();
    await page.getByLabel("API key").and(page.locator(":focus")).waitFor();
    await inspect(walk);
  };
  await page.getByRole("alert").waitFor();
  await says("This sign-in link has already been used");
  await addAxe(page);
  await inspectClosely(walk);
  await page.keyboard.insertText("wrong");
  await press(page, "Enter");
  await says("That key isn't valid.");
  expect(await page.context().cookies()).toEqual([]);
  await page.context().setOffline(true);
  await press(page, "Enter");
  await says("The service cannot be reached.");
  await page.context().setOffline(false);
  const restricted = await request<{ id: string; key: string }>(setup, "POST /api/keys", { name: "one", server });
  await press(page, "Control+a");
  await page.keyboard.insertText(restricted.key);
  await press(page, "Enter");
  await page.waitForURL(`**/servers/${server}`);
  await rowsOf(page).first().waitFor();
  await press(page, "g", "h");
  await page.getByRole("link", { name: "Server 1" }).waitFor();
  expect(await page.getByText("Server 2").count()).toBe(0);
  expect(await page.getByRole("button", { name: "New server" }).count()).toBe(0);
  await tabTo(page, "Server 1", walk.faults);
  await press(page, "Enter", "g", "s");
  await page.getByRole("heading", { name: "Settings" }).first().waitFor();
  expect(await page.getByRole("button", { name: "New key" }).count()).toBe(0);
  await inspect(walk);
  await press(page, "Control+k");
  await waitForDialog(page, "Search and commands");
  expect(await page.getByRole("option", { name: "Keys" }).count()).toBe(0);
  await escape(page);
  await request(setup, `DELETE /api/keys/${restricted.id}`);
  await says("Your session has ended, or its key was revoked.");
}
