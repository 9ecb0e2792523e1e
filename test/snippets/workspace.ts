/** Directory in which the blocks of a page run as a reader runs them, against a running service. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { mainFile, processEnvironment, ServiceProcess } from "../../src/testing/service-process.ts";
import { root } from "../tidy/source-files.ts";

/** Development dependencies that snippets may import. */
export const modules: readonly string[] = [
  "@aws-sdk",
  "@azure",
  "@sendgrid",
  "@types",
  "@getbrevo",
  "@googleapis",
  "@microsoft",
  "@vonage",
  "express",
  "fastify",
  "gaxios",
  "google-auth-library",
  "googleapis-common",
  "mailersend",
  "mailgun.js",
  "mailpit-api",
  "mailtrap",
  "node-mailjet",
  "mailosaur",
  "nodemailer",
  "twilio",
  "playwright-core",
  "postmark",
  "resend",
  "sns-validator",
  "standardwebhooks",
  "@stablelib",
  "fast-sha256",
  "svix",
  "testcontainers",
  "typescript",
  "vitest",
  "undici-types",
];

/**
 * Commands that snippets call. Those of the reader's own project (`npm test`, `go test`) only check that the variables
 * of `restante env` are set. Playwright is the real one, but a stand-in runs tests that open a page of the reader's
 * application.
 */
const commands: Readonly<Record<string, string>> = {
  // Most pages begin with `restante env`, which prints the same for all of them: one run of it is a process.
  // `serve`, which does not end, prints its arguments and environment instead.
  restante: `run() { exec "$TEST_NODE" "$TEST_MAIN" "$@"; }
  if [ "$1" = serve ]; then exec "$TEST_NODE" -p 'JSON.stringify([process.argv.slice(2), process.env])' "$@"; fi
  if [ "$*" != env ]; then run "$@"; fi
  if [ ! -s "$TEST_VARIABLES" ]; then (run env) > "$TEST_VARIABLES" || exit; fi
  exec cat "$TEST_VARIABLES"`,
  curl: 'exec "$TEST_CURL" --fail-with-body --silent --show-error "$@"',
  node: 'exec "$TEST_NODE" "$@"',
  npm: 'case "$*" in "run -s restante -- "*) shift 4; exec restante "$@";; test*) exec project;; *) exit 127;; esac',
  npx: `case "$1" in
  restante) shift; exec restante "$@";;
  playwright)
    if grep -qs '{ page }' *.spec.ts; then for file in *.spec.ts; do node "$file" || exit 1; done; exit; fi
    mkdir -p node_modules/@playwright
    ln -sfn "$TEST_ROOT/node_modules/@playwright/test" node_modules/@playwright/test
    exec node "$TEST_ROOT/node_modules/@playwright/test/cli.js" test --pass-with-no-tests;;
  vitest) shift; exec node "$TEST_ROOT/node_modules/vitest/vitest.mjs" "$@";;
  *) exit 127;; esac`,
  go: "exec project",
  pytest: "exec project",
  project: '[ -n "$MAILOSAUR_API_KEY" ] && [ -n "$MAILOSAUR_BASE_URL" ]',
};

/** A service and directories to run snippets in. */
export class Workspace implements AsyncDisposable {
  readonly folder: string;
  readonly service: ServiceProcess;

  private constructor(folder: string, service: ServiceProcess) {
    this.folder = folder;
    this.service = service;
  }

  /** Starts the service and installs the commands and modules. */
  static async open(): Promise<Workspace> {
    const folder = mkdtempSync(join(tmpdir(), "restante-snippets-"));
    for (const name of modules) link(join(root, "node_modules", name), join(folder, "node_modules", name));
    link(join(import.meta.dirname, "playwright-stand-in"), join(folder, "node_modules", "@playwright", "test"));
    link(join(root, "src", "testing", "package-entry.ts"), join(folder, "node_modules", "restante", "entry.ts"));
    link(join(root, "src", "testing", "redirect.ts"), join(folder, "node_modules", "restante", "redirect.ts"));
    link(join(root, "src", "client", "package-entry.ts"), join(folder, "node_modules", "restante", "client.ts"));
    link(join(root, "src/testing/restante-container.ts"), join(folder, "node_modules/restante/testcontainers.ts"));
    const exports = {
      ".": "./entry.ts",
      "./redirect": "./redirect.ts",
      "./client": "./client.ts",
      "./testcontainers": "./testcontainers.ts",
    };
    put(join(folder, "node_modules/restante/package.json"), JSON.stringify({ type: "module", exports }));
    for (const [name, script] of Object.entries(commands)) {
      put(join(folder, "bin", name), `#!/bin/bash\n${script}\n`);
      chmodSync(join(folder, "bin", name), 0o755);
    }
    const settings = ["--servers=abcd1234:Shop", "--smtp-starttls=never"];
    const service = await ServiceProcess.start([`--data-dir=${join(folder, "data")}`, ...settings]);
    return new Workspace(folder, service);
  }

  /** Creates a directory whose `restante-data` links to the data directory of the service. */
  page(name: string): string {
    const page = join(this.folder, name);
    put(join(page, "package.json"), '{"type":"module"}');
    link(join(this.folder, "data"), join(page, "restante-data"));
    return page;
  }

  /** Returns the text with the default ports replaced by those of the service. */
  withPorts(text: string): string {
    const http = new URL(this.service.url).port;
    return text
      .replaceAll(/((?:127\.0\.0\.1|localhost):)8025/g, `$1${http}`)
      .replaceAll(/\b1025\b/g, this.service.smtpPort.toString());
  }

  /** Runs a bash script in a directory and returns its output; rejects with the output when a command fails. */
  async run(script: string, folder: string): Promise<string> {
    const path = `${join(this.folder, "bin")}:${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`;
    const env = {
      ...processEnvironment,
      PATH: path,
      HOME: folder,
      TEST_NODE: process.execPath,
      TEST_MAIN: mainFile,
      TEST_ROOT: root,
      TEST_VARIABLES: join(this.folder, "variables"),
      TEST_CURL: "/usr/bin/curl",
    };
    const child = spawn("bash", ["-eo", "pipefail", "-c", script], { cwd: folder, env });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    }
    child.stdin.end();
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) throw new Error(`ended with ${code ?? "a signal"}:\n${output}`);
    return output;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Writes a file and creates its parent directories. */
export function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Creates a symbolic link and its parent directories. */
export function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
