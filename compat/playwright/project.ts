/** Projects with runners of the checkout and the built package, to run examples and the proof of isolation in. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";

/** Directory of the checkout. */
const root = join(import.meta.dirname, "..", "..");

/** Packages of the checkout that examples use. */
const modules = ["@playwright/test", "@types/node", "nodemailer", "typescript", "vitest"];

/** Result of a command. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/**
 * Links the packages that projects in `folder` import; `restante` is the directory of the package, or null when it is
 * installed in the folder.
 */
export function linkModules(folder: string, restante: string | null): void {
  const packages = modules.map((name) => [name, join(root, "node_modules", name)]);
  const links = restante === null ? packages : [["restante", restante], ...packages];
  for (const [name = "", target = ""] of links) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target, link);
  }
}

/** Runs a program of a package of the checkout, or Node itself, in a project. */
export async function runIn(
  folder: string,
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, argv, {
    cwd: folder,
    // Without the variables that a test runner sets for its own workers.
    env: { ...process.env, NODE_OPTIONS: "", VITEST: undefined, NODE_TEST_CONTEXT: undefined, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, error] = [text(child.stdout), text(child.stderr)];
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output: stripVTControlCharacters((await out) + (await error)) };
}

/**
 * Writes tests that would fail if one received the mail of another: each sends a mail with a token of its own to its inbox,
 * half of them also one to the inbox of the next test of the worker, and expects its own mail, once.
 */
export function writeIsolationTests(folder: string, { count }: { readonly count: number }): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder, "playwright.config.ts"),
    `export default { fullyParallel: true, reporter: "json", timeout: 300_000, use: { restanteOptions: { timeout: 240_000 } } };\n`,
  );
  writeFileSync(join(folder, "isolation.spec.ts"), isolationSpec(count));
}

function isolationSpec(count: number): string {
  return `import { createTransport } from "nodemailer";
import { expect, test } from "restante/playwright";

for (let number = 0; number < ${String(count)}; number += 1) {
  test("test " + number, async ({ inbox, newInbox, restante }, testInfo) => {
    const token = "token-" + number + "-of-worker-" + testInfo.workerIndex;
    const mailer = createTransport({ host: restante.smtp.host, port: restante.smtp.port });
    const send = (to: string, text: string) => mailer.sendMail({ from: "app@example.com", to, subject: "Token", text });
    const other = newInbox();
    const sent = [send(inbox.address, token)];
    if (number % 2 === 0) sent.push(send(other.address, "for the other inbox of " + token));
    await Promise.all(sent);
    const message = await inbox.waitForOne();
    expect(message.text.body?.trim()).toBe(token);
    expect(await inbox.messages()).toHaveLength(1);
    expect(await other.messages()).toHaveLength(number % 2 === 0 ? 1 : 0);
    // The key of the worker can only access the server of the worker.
    expect((await restante.client.servers.list()).map(({ id }) => id)).toEqual([restante.serverId]);
    mailer.close();
  });
}
`;
}
