/** WordPress on MariaDB: sign-up and reset by link, in its pages. */
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../src/testing/free-port.test-aid.ts";
import { otherPassword, password, tryApplication, type Trial } from "./trial.ts";

const installation = `<?php
define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = 'localhost';
require __DIR__ . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('Shop', 'admin', 'admin@example.com', false, '', getenv('ADMIN_PASSWORD'));
update_option('users_can_register', 1);
`;

await tryApplication(async (trial) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${String(port)}`;
  const site = join(trial.folder, "site");
  // The package keeps its themes and its configuration elsewhere, to which it has links.
  cpSync("/usr/share/wordpress", site, { recursive: true, dereference: true });
  const plugins = join(site, "wp-content", "mu-plugins");
  mkdirSync(plugins, { recursive: true });
  writeFileSync(join(plugins, "restante.php"), trial.settings());
  writeFileSync(join(site, "wp-config.php"), configuration(url, await startDatabase(trial)));
  writeFileSync(join(site, "install.php"), installation);
  await trial.run(["php", join(site, "install.php")], { environment: { ADMIN_PASSWORD: password } });
  const serve = ["php", "-S", `127.0.0.1:${String(port)}`, "-t", site] as const;
  await trial.start(`${url}/wp-login.php`, serve);

  const email = trial.address("wordpress");
  const setPassword = async (path: string, fields: Record<string, string>, secret: string): Promise<void> => {
    const page = await trial.page();
    const submit = async (filled: Record<string, string>): Promise<void> => {
      for (const [name, value] of Object.entries(filled)) await page.fill(`[name=${name}]`, value);
      await page.click("[name=wp-submit]");
    };
    const mail = await trial.mailTo(email, async () => {
      await page.goto(`${url}/wp-login.php?action=${path}`);
      await submit(fields);
    });
    await page.goto(mail.link(/action=rp/));
    // The page proposes a password when its script runs.
    await page.locator("#pass1:not([value=''])").or(page.locator("#pass1[data-pw]")).first().waitFor();
    await submit({ pass1: secret });
    await page.locator(".reset-pass").first().waitFor();
    await page.goto(`${url}/wp-login.php`);
    await submit({ log: "ada", pwd: secret });
    await page.waitForURL(`${url}/wp-admin/**`);
  };
  await setPassword("register", { user_login: "ada", user_email: email }, password);
  await setPassword("lostpassword", { user_login: "ada" }, otherPassword);

  const version = await trial.run(["php", "-r", `require '${site}/wp-includes/version.php'; echo $wp_version;`]);
  return { version, flows: "sign-up by link, reset by link" };
});

/** Starts MariaDB without a password, and returns the path of its socket. */
async function startDatabase(trial: Trial): Promise<string> {
  const socket = join(trial.folder, "mariadb.sock");
  const folder = join(trial.folder, "mariadb");
  const auth = ["--auth-root-authentication-method=normal", "--skip-test-db", "--user=root"];
  await trial.run(["mariadb-install-db", "--no-defaults", `--datadir=${folder}`, ...auth]);
  const server = [
    "mariadbd",
    "--no-defaults",
    `--datadir=${folder}`,
    `--socket=${socket}`,
    "--skip-networking",
  ] as const;
  await trial.start(null, [...server, "--user=root"]);
  const client = ["--no-defaults", `--socket=${socket}`, "--user=root"];
  await trial.run(["mariadb-admin", ...client, "--wait=600", "ping"]);
  await trial.run(["mariadb", ...client, "--execute=CREATE DATABASE wordpress"]);
  return socket;
}

function configuration(url: string, socket: string): string {
  const constants = {
    DB_NAME: "wordpress",
    DB_USER: "root",
    DB_PASSWORD: "",
    DB_HOST: `localhost:${socket}`,
    WP_HOME: url,
    WP_SITEURL: url,
    WP_HTTP_BLOCK_EXTERNAL: "1",
  };
  const lines = Object.entries(constants).map(([name, value]) => `define('${name}', '${value}');\n`);
  return `<?php\n${lines.join("")}$table_prefix = 'wp_';\nif (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');\nrequire_once ABSPATH . 'wp-settings.php';\n`;
}
