/** Django with allauth: sign-up and reset, by link and by code. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { freePort } from "../../src/testing/free-port.test-aid.ts";
import { otherPassword, password, tryApplication, type Trial } from "./trial.ts";

type Means = "link" | "code";

await tryApplication(async (trial) => {
  const python = join(trial.folder, "bin", "python");
  writeFileSync(join(trial.folder, "mail_settings.py"), trial.settings("Django"));
  for (const means of ["link", "code"] as const) {
    const port = await freePort();
    const site = [join(import.meta.dirname, "allauth-site.py"), join(trial.folder, "mail_settings.py"), trial.folder];
    await trial.run([python, ...site, means, "migrate"]);
    const url = `http://127.0.0.1:${String(port)}/accounts`;
    const serve = ["runserver", "--noreload", `127.0.0.1:${String(port)}`];
    await trial.start(`${url}/login/`, [python, ...site, means, ...serve]);
    await signUp(trial, url, means);
    await reset(trial, url, means);
  }
  const version = await trial.run([python, "-c", "import allauth; print(allauth.__version__)"]);
  const flows = "sign-up by link, reset by link, sign-up by code, reset by code";
  return { version: version.trim(), flows };
});

/** The account can sign in only when its address is confirmed. */
async function signUp(trial: Trial, url: string, means: Means): Promise<void> {
  const [page, address] = [await trial.page(), trial.address(`allauth-${means}`)];
  const mail = await trial.mailTo(address, async () => {
    await page.goto(`${url}/signup/`);
    await page.fill("[name=email]", address);
    await page.fill("[name=password1]", password);
    await submit(page);
  });
  if (means === "link") await page.goto(mail.link());
  else await page.fill("[name=code]", mail.code());
  await submit(page);
  await signIn(trial, url, { address, password });
}

async function reset(trial: Trial, url: string, means: Means): Promise<void> {
  const [page, address] = [await trial.page(), trial.address(`allauth-${means}`)];
  const mail = await trial.mailTo(address, async () => {
    await page.goto(`${url}/password/reset/`);
    await page.fill("[name=email]", address);
    await submit(page);
  });
  if (means === "link") await page.goto(mail.link());
  else {
    await page.fill("[name=code]", mail.code());
    await submit(page);
  }
  await page.fill("[name=password1]", otherPassword);
  await page.fill("[name=password2]", otherPassword);
  await submit(page);
  await signIn(trial, url, { address, password: otherPassword });
}

async function signIn(
  trial: Trial,
  url: string,
  account: { readonly address: string; readonly password: string },
): Promise<void> {
  const page = await trial.page();
  await page.goto(`${url}/login/`);
  await page.fill("[name=login]", account.address);
  await page.fill("[name=password]", account.password);
  await submit(page);
  await page.waitForURL(`${url}/email/`);
}

/** Submits the form of the page; buttons that name a form leave it. */
async function submit(page: Page): Promise<void> {
  await page.locator("button[type=submit]:not([form])").last().click();
}
