/** Keycloak: sign-up and reset by link, in its pages. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { freePort } from "../../src/testing/free-port.test-aid.ts";
import { otherPassword, password, tryApplication } from "./trial.ts";

await tryApplication(async (trial) => {
  const folder = readdirSync(trial.folder).find((name) => name.startsWith("keycloak-")) ?? "";
  const port = await freePort();
  const url = `http://127.0.0.1:${String(port)}`;
  const done = `${url}/signed-in`;
  const realm = {
    realm: "shop",
    enabled: true,
    registrationAllowed: true,
    registrationEmailAsUsername: true,
    verifyEmail: true,
    resetPasswordAllowed: true,
    clients: [{ clientId: "site", publicClient: true, redirectUris: [done] }],
    ...(JSON.parse(trial.settings()) as object),
  };
  const imports = join(trial.folder, folder, "data", "import");
  mkdirSync(imports, { recursive: true });
  writeFileSync(join(imports, "realm.json"), JSON.stringify(realm));
  const keycloak = ["nice", "-n", "10", join(trial.folder, folder, "bin", "kc.sh"), "start-dev"] as const;
  await trial.start(`${url}/realms/shop`, [...keycloak, "--import-realm", `--http-port=${String(port)}`], {
    environment: { JAVA_OPTS_APPEND: "-Xmx1g" },
  });

  const start = new URL(`${url}/realms/shop/protocol/openid-connect/auth`);
  start.search = new URLSearchParams({ client_id: "site", response_type: "code", redirect_uri: done }).toString();
  const email = trial.address("keycloak");
  const page = await trial.page();
  const confirmation = await trial.mailTo(email, async () => {
    await page.goto(`${start.href}&prompt=create`);
    await fill(page, { email, firstName: "Ada", lastName: "Byron" });
  });
  await page.goto(confirmation.link());
  await fill(page, { "password-new": password, "password-confirm": password });
  await page.waitForURL(`${done}?**`);

  const other = await trial.page();
  const reset = await trial.mailTo(email, async () => {
    await other.goto(start.href);
    await other.getByRole("link", { name: "Forgot Password?" }).click();
    await fill(other, { username: email });
  });
  await other.goto(reset.link());
  await fill(other, { "password-new": otherPassword, "password-confirm": otherPassword });
  await other.waitForURL(`${done}?**`);
  const last = await trial.page();
  await last.goto(start.href);
  await fill(last, { username: email, password: otherPassword });
  await last.waitForURL(`${done}?**`);
  return { version: folder.replace("keycloak-", ""), flows: "sign-up by link, reset by link" };
});

/** Fills fields by their ids, and submits their form. */
async function fill(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [id, value] of Object.entries(fields)) await page.fill(`[id="${id}"]`, value);
  await page.locator("form [type=submit]").last().click();
}
