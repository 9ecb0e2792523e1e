/** MediaWiki on SQLite: sign-up by link, and reset by a temporary password. */
import assert from "node:assert/strict";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { freePort } from "../../src/testing/free-port.test-aid.ts";
import { otherPassword, password, tryApplication } from "./trial.ts";

const program = "/usr/share/mediawiki";

await tryApplication(async (trial) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${String(port)}`;
  const install = [
    "--confpath",
    trial.folder,
    "--dbtype=sqlite",
    "--dbpath",
    trial.folder,
    "--scriptpath=",
    "--lang=en",
  ];
  const names = [`--server=${url}`, `--pass=${password}`, "Wiki", "Admin"];
  await trial.run(["php", join(program, "maintenance", "install.php"), ...install, ...names]);
  const settings = join(trial.folder, "LocalSettings.php");
  appendFileSync(settings, trial.settings());
  await trial.start(`${url}/index.php`, ["php", "-S", `127.0.0.1:${String(port)}`, "-t", program], {
    environment: { MW_CONFIG_FILE: settings },
  });

  const email = trial.address("mediawiki");
  const page = await trial.page();
  const confirmation = await trial.mailTo(email, async () => {
    await page.goto(`${url}/index.php?title=Special:CreateAccount`);
    await submit(page, { wpName: "Ada", wpPassword: password, retype: password, email });
  });
  await page.goto(confirmation.link(/Special:ConfirmEmail/));
  await page.goto(`${url}/api.php?action=query&meta=userinfo&uiprop=email&format=json`);
  assert.match(await page.innerText("body"), /"emailauthenticated"/);

  const other = await trial.page();
  const reset = await trial.mailTo(email, async () => {
    await other.goto(`${url}/index.php?title=Special:PasswordReset`);
    await submit(other, { wpUsername: "Ada" });
  });
  await other.goto(`${url}/index.php?title=Special:UserLogin`);
  await submit(other, { wpName: "Ada", wpPassword: reset.code() });
  for (const field of await other.locator("[type=password]").all()) await field.fill(otherPassword);
  await submit(other, {});
  await other.waitForURL(/Main_Page/);

  const defines = readFileSync(join(program, "includes", "Defines.php"), "utf8");
  const [, version = ""] = /'MW_VERSION', '(.+)'/.exec(defines) ?? [];
  return { version, flows: "sign-up by link, reset by temporary password" };
});

async function submit(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await page.fill(`[name=${name}]`, value);
  await page.locator("#mw-content-text [type=submit]").first().click();
}
