/** The package that npm would publish, unpacked in a separate directory and used as users do. */
import { existsSync, globSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand, ServiceProcess } from "../../src/testing/service-process.ts";
import { installPackage, root, runProgram as run, type InstalledPackage, type Manifest } from "./installed-package.ts";
import { testExamples } from "./examples.ts";
import { testFirstMinutes } from "./first-minutes.ts";
import { testGitHubAction } from "./github-action.ts";
import { testReadOnlyRoot } from "./read-only-root.ts";
import { testSupportedNodes } from "./supported-nodes.ts";

let installation: InstalledPackage;
let folder: string;
let installed: string;
let main: string;
let manifest: Manifest;

beforeAll(() => {
  installation = installPackage();
  ({ folder, installed, main, manifest } = installation);
}, 300_000);

afterAll(() => {
  installation[Symbol.dispose]();
});

test("contains the build and the licence, and no development files", () => {
  const files = globSync("**/*.*", { cwd: installed, exclude: ["node_modules"] });
  expect(files).toContain("package.json");
  expect(statSync(join(installed, "LICENSE")).isFile()).toBe(true);
  expect(files.filter((file) => /\.test\.|conformance|(?<!\.d)\.ts$/.test(file))).toEqual([]);
});

test("contains the licences of the libraries in the files of the web UI", () => {
  const licences = readFileSync(join(installed, "dist", "web", "licenses.md"), "utf8");
  expect(licences).toMatch(/^## react-dom .*\(MIT\)$[^]*Permission is hereby granted/m);
  expect(licences).toMatch(/^## pdfjs-dist .*\(Apache-2\.0\)$/m);
  expect(licences).toMatch(/^## ical\.js .*\(MPL-2\.0\)$/m);
});

test("contains the fonts of mail screenshots, and their licence", () => {
  for (const file of ["fonts.br", "LICENSE.txt"]) {
    const own = readFileSync(join(root, "src", "previews", "fonts", file));
    expect(readFileSync(join(installed, "dist", "previews", "fonts", file)).equals(own)).toBe(true);
  }
});

test("has no scripts that need a checkout, and leaves the checkout's manifest unchanged", () => {
  const lifecycle = ["prepare", "prepack", "postpack"];
  expect(Object.keys(manifest.scripts ?? {}).filter((name) => lifecycle.includes(name))).toEqual([]);
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
  expect(Object.keys(scripts ?? {})).toEqual(expect.arrayContaining(lifecycle));
});

test("imports only declared dependencies, and optional ones only on demand", () => {
  const imported = new Set<string>();
  const later = new Set<string>();
  for (const file of globSync("dist/**/*.js", { cwd: installed, exclude: ["dist/web/**"] })) {
    const code = readFileSync(join(installed, file), "utf8");
    for (const [, statement, call] of code.matchAll(
      /(?:^import|^export|^\}) [^"']*?from "([^".][^"]*)"|import\("([^".][^"]*)"\)/gm,
    )) {
      const name = statement ?? call ?? "";
      const isLater = isOptional(file, statement === undefined && code.includes("// src/previews/browser.ts"));
      if (!name.startsWith("node:")) (isLater ? later : imported).add(/^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
    }
  }
  expect(imported.size).toBeGreaterThan(3);
  expect(Array.from(imported).filter((name) => !(name in manifest.dependencies))).toEqual([]);
  expect(Array.from(later).toSorted()).toEqual([
    "@playwright/test",
    "@sparticuz/chromium",
    "playwright-core",
    "testcontainers",
    "vitest",
  ]);
  for (const name of later) expect(manifest.peerDependenciesMeta[name]?.optional).toBe(true);
});

test("contains bundles of ASCII characters only, whose source V8 keeps with one byte per character", () => {
  const files = globSync("dist/**/*.js", { cwd: installed, exclude: ["dist/web/**", "dist/reference/**"] });
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => /[^\0-\x7f]/.test(readFileSync(join(installed, file), "utf8")))).toEqual([]);
});

/** Whether an import is one of optional peer dependencies: those of browsers on demand, and others in entries of their own. */
function isOptional(file: string, isOfBrowser: boolean): boolean {
  return isOfBrowser || file.startsWith("dist/fixtures/") || file === "dist/testing/restante-container.js";
}

test("works without a browser: previews explain how to install one, and lint uses the built-in rules", async () => {
  await using service = await ServiceProcess.start([`--data-dir=${join(folder, "browserless")}`], { main });
  const [server, key] = [service.shown("Server"), service.shown("API key")];
  await service.send(`anyone@${server}.restante.test`, "Look");
  const [message] = (await (await service.fetch(`/api/messages?server=${server}`, key)).json()) as { id: string }[];
  const body = JSON.stringify({ emailClients: ["web-gmail-lightmode"] });
  const path = `/api/messages/${message?.id ?? ""}/screenshots`;
  const refused = await service.fetch(path, key, { method: "POST", body });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("npm install playwright-core @sparticuz/chromium");
  const report = await (await service.fetch(`/api/analysis/lint/${message?.id ?? ""}`, key)).json();
  expect(report).toMatchObject({ accessibility: { engine: "restante" } });
  expect(await service.stop()).toMatchObject({ code: 0 });
});

test("provides a command that runs the service, receives and returns a message, and shuts down cleanly", async () => {
  expect(statSync(main).mode & 0o111).toBe(0o111);
  expect(run(main, ["version"], folder).trim()).toBe(manifest.version);
  const dataDir = join(folder, "data");
  await using service = await ServiceProcess.start([`--data-dir=${dataDir}`], { main });
  const [server, key] = [service.shown("Server"), service.shown("API key")];
  await service.send(`anyone@${server}.restante.test`, "From the package");
  expect(await service.subjects(server, key)).toEqual(["From the package"]);
  expect(await (await fetch(service.url)).text()).toContain('<div id="root">');
  const found = await service.fetch(`/api/messages/search?server=${server}`, key, {
    method: "POST",
    body: JSON.stringify({ subject: "the package" }),
  });
  expect(await found.json()).toHaveLength(1);
  expect(await service.stop()).toMatchObject({ code: 0, error: expect.not.stringContaining("rror") as unknown });
});

test("starts as one process with one thread of its own, in few cached files, and without Node's HTTP client", async () => {
  const report = `process.on("SIGUSR2", () => {
    const files = process.moduleLoadList.filter((name) => name.includes("undici"));
    process.stderr.write("loaded " + JSON.stringify([...files, urls.size < 20, uncached]) + "\\n");
  });
  const urls = new Set();
  const module = process.getBuiltinModule("node:module");
  module.registerHooks({ load: (url, context, next) => {
    if (url.includes("/restante/dist/")) urls.add(url);
    return next(url, context);
  } });
  let uncached;
  const { enableCompileCache } = module;
  module.enableCompileCache = (folder) => {
    uncached = Array.from(urls, (url) => url.replace(/^.*[/]|-.{8}[.]js$|[.]js$/g, ""));
    return enableCompileCache(folder);
  };`;
  const environment = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(report)}` };
  await using service = await ServiceProcess.start([`--data-dir=${join(folder, "light")}`], { main, environment });
  service.signal("SIGUSR2");
  expect(await service.logged(/^loaded /)).toBe('loaded [true,["main","supported-node","re-exec","memory-profile"]]');
  if (process.platform !== "linux") return;
  const tasks = `/proc/${service.pid}/task`;
  const names = readdirSync(tasks).map((task) => readFileSync(join(tasks, task, "comm"), "utf8").trim());
  expect(names.filter((name) => /^(?:reader|writer|indexer|backup)$/.test(name))).toEqual(["writer"]);
  expect(readFileSync(join(tasks, String(service.pid), "children"), "utf8")).toBe("");
});

test("has no fault that publint finds", async () => {
  const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
  const published = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Record<string, unknown>;
  expect(messages.map((message) => formatMessage(message, published, { color: false }))).toEqual([]);
});

test("has every file that its manifest exports", () => {
  const files = [manifest.bin, ...Object.values(manifest.exports).filter((target) => typeof target !== "string")];
  for (const file of files.flatMap((target) => Object.values(target))) {
    expect([file, existsSync(join(installed, file))]).toEqual([file, true]);
  }
});

test("runs inside a test process", () => {
  const script = join(folder, "use.mjs");
  writeFileSync(
    script,
    `import { startRestante } from "restante";
     await using restante = await startRestante();
     console.log(restante.emailAddress("me"));`,
  );
  expect(run(process.execPath, [script], folder)).toMatch(/^me@[a-z0-9]{8}\.restante\.example\.com\n$/);
});

test("redirects the official Node client to a service with the redirect module alone", async () => {
  const dataDir = join(folder, "redirected");
  await using service = await ServiceProcess.start([`--data-dir=${dataDir}`], { main });
  const script = join(folder, "client.cjs");
  writeFileSync(
    script,
    `const Client = require(${JSON.stringify(join(root, "node_modules", "mailosaur"))});
     new Client(process.argv[2]).servers.list().then(({ items }) => console.log(items[0].id));`,
  );
  const environment = { NODE_OPTIONS: "--import=restante/redirect", RESTANTE_DATA_DIR: dataDir };
  const found = await runCommand([service.shown("API key")], { main: script, environment, folder });
  expect([found.error, found.out]).toEqual(["", `${service.shown("Server")}\n`]);
});

test("has type declarations for it", () => {
  const types = readFileSync(join(installed, "dist/testing/package-entry.d.ts"), "utf8");
  expect(types).toContain("export declare function startRestante(options?: RestanteOptions): Promise<Restante>;");
  expect(types).toContain("await using restante = await startRestante();");
});

const pretend = encodeURIComponent('Object.defineProperty(process,"versions",{value:{node:"20.20.2"}})');
const oldNode = { NODE_OPTIONS: `--import=data:text/javascript,${pretend}` };

test("refuses to run on an unsupported Node version, in one sentence", async () => {
  expect(await runCommand(["serve"], { main, environment: oldNode })).toEqual({
    code: 1,
    signal: null,
    out: "",
    error: "restante needs Node 24.15 or newer, and this is 20.20.2.\n",
  });
});

test("refuses to be imported on an unsupported Node version, in one sentence", async () => {
  const script = join(folder, "import.mjs");
  writeFileSync(script, 'import("restante").catch((error) => console.log(error.stack));');
  const { out } = await runCommand([], { main: script, environment: oldNode, folder });
  expect(out).toBe("Error: restante needs Node 24.15 or newer, and this is 20.20.2.\n");
});

test("can be loaded with require()", async () => {
  const script = join(folder, "require.cjs");
  writeFileSync(script, 'console.log(typeof require("restante").startRestante);');
  expect(await runCommand([], { main: script, folder })).toMatchObject({ code: 0, out: "function\n" });
});

testSupportedNodes(() => installation);
testFirstMinutes(() => installation);
testReadOnlyRoot(() => installation);
testGitHubAction(() => installation);
testExamples(() => installation);
