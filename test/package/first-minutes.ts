/** The README's quick start in a shell: serve, send, list, `restante env`, stop. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { InstalledPackage } from "./installed-package.ts";
import { requireNode, supportedNodes, type SupportedNode } from "./supported-nodes.ts";

/** Only the service holds descriptor 3, so that it closes when the service exits. */
const script = `set -e
npx --no-install restante serve &
restante=$!
exec 3>&-
read ready
eval "$(npx --no-install restante env)"
curl -sS "smtp://127.0.0.1:$MAILOSAUR_SMTP_PORT" --mail-from app@example.com \\
  --mail-rcpt "anyone@$RESTANTE_SERVER.restante.example.com" -T mail.eml
curl -sS -u "$RESTANTE_API_KEY:" "$RESTANTE_URL/api/messages?server=$RESTANTE_SERVER"
kill $restante
wait $restante || true
`;

/** Declares the quick-start test on each supported Node. */
export function testFirstMinutes(installed: () => InstalledPackage): void {
  const canRun = process.platform === "linux" && process.arch === "x64" && spawnSync("curl", ["-V"]).status === 0;
  describe.skipIf(!canRun)("the first minutes of a new user", () => {
    test.each(supportedNodes)("lead to a received mail on Node $version", async (node) => {
      const project = newProject(installed(), node);
      const out = await typed(project, join(project, "bin"));
      expect(out).toContain('"subject":"Hello"');
      expect(out).not.toMatch(/rror/);
      // The service shut down cleanly with the killed npx.
      expect(existsSync(join(project, "restante-data", "restante.db"))).toBe(true);
      expect(existsSync(join(project, "restante-data", "service.json"))).toBe(false);
    });
  });
}

/** Creates an empty directory with the package installed as by `npm install ./restante.tgz`, and one Node. */
function newProject({ folder, installed, main }: InstalledPackage, supported: SupportedNode): string {
  const { version, node } = requireNode(supported);
  const project = join(folder, `project-${version}`);
  rmSync(project, { recursive: true, force: true });
  mkdirSync(join(project, "node_modules", ".bin"), { recursive: true });
  mkdirSync(join(project, "bin"));
  symlinkSync(installed, join(project, "node_modules", "restante"));
  symlinkSync(main, join(project, "node_modules", ".bin", "restante"));
  symlinkSync(node, join(project, "bin", "node"));
  writeFileSync(join(project, "package.json"), "{}");
  writeFileSync(join(project, "mail.eml"), "Subject: Hello\r\n\r\nYour code is 804 219.\r\n");
  return project;
}

/** Runs the script, reports when the service is ready, and resolves with all output when every process has exited. */
async function typed(project: string, nodeFolder: string): Promise<string> {
  const ports = { RESTANTE_HTTP_PORT: "0", RESTANTE_HTTPS_PORT: "0", RESTANTE_SMTP_PORT: "0", RESTANTE_LOG: "warn" };
  const env = { ...ports, HOME: project, PATH: `${nodeFolder}${delimiter}${process.env["PATH"] ?? ""}` };
  const shell = spawn("sh", ["-c", script], { cwd: project, env, stdio: ["pipe", "pipe", "pipe", "pipe"] });
  let out = "";
  const take = (text: string): void => void (out += text);
  shell.stdout.setEncoding("utf8").on("data", take);
  shell.stderr.setEncoding("utf8").on("data", take);
  const closed = once(shell, "close");
  const ofService = (shell.stdio[3] as Readable).resume();
  const ended = once(ofService, "close");
  while (!out.includes(" is ready.") && !ofService.closed) await Promise.race([once(shell.stdout, "data"), ended]);
  shell.stdin.end("\n");
  await closed;
  return out;
}
