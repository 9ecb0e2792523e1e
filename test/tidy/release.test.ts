/** Static checks of the release workflow, the action, and what a release generates. */
import { createHash } from "node:crypto";
import { existsSync, globSync } from "node:fs";
import { join, matchesGlob, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { formulaOf } from "../../scripts/write-formula.ts";
import { blocksOf } from "../snippets/blocks.ts";
import { filesBelow, readText, root } from "./source-files.ts";
import { actionErrors, workflowErrors } from "./workflows.ts";

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly needs?: string | readonly string[];
  readonly "timeout-minutes"?: number;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly on: unknown;
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const path = ".github/workflows/release.yml";
const text = readText(path);
const workflow = parse(text, { strict: true, uniqueKeys: true }) as Workflow;
const jobs = Object.entries(workflow.jobs);
const scriptsOf = (name: string): string => (workflow.jobs[name]?.steps ?? []).map(({ run }) => run ?? "").join("\n");
const version = (JSON.parse(readText("package.json")) as { version: string }).version;

describe("the release workflow", () => {
  test("has no errors by GitHub's parser, which finds those of a broken one", async () => {
    expect(await workflowErrors(path, text)).toEqual([]);
    expect(await workflowErrors(path, text.replace("runs-on:", "runs-onn:"))).not.toEqual([]);
    expect(await workflowErrors(path, text.replace("github.actor", "githubb.actor"))).not.toEqual([]);
    expect(await workflowErrors(path, text.replace("needs: test", "needs: tests"))).not.toEqual([]);
  });

  test("runs for version tags, with read-only permissions by default", () => {
    expect(workflow.on).toEqual({ push: { tags: ["v*.*.*"] } });
    expect(workflow.permissions).toEqual({ contents: "read" });
  });

  test("publishes only after the tests pass", () => {
    const needsOf = (name: string): readonly string[] => {
      const direct = [workflow.jobs[name]?.needs ?? []].flat();
      return [...direct, ...direct.flatMap(needsOf)];
    };
    const publishing = jobs.filter(([, { permissions = {} }]) => Object.values(permissions).includes("write"));
    expect(publishing.map(([name]) => name)).toEqual(["npm", "image", "chart", "release"]);
    for (const [name] of publishing) expect(needsOf(name)).toContain("test");
    expect(scriptsOf("test")).toMatch(/GITHUB_REF_NAME[^]*npm ci\nnpm test/);
  });

  test("publishes the tarball that was packed before, with provenance and the name of the repository", () => {
    expect(scriptsOf("package")).toMatch(/npm pkg set [^]*repository\.url=git\+[^]*npm pack /);
    expect(scriptsOf("npm")).toMatch(/npm publish "release\/[^"]+\.tgz" --provenance --access public/);
  });

  test("builds the image for both architectures from an existing file, with attestations of the pushed digest", () => {
    const { steps } = workflow.jobs["image"] as Job;
    const push = steps.find(({ id }) => id === "push")?.with;
    expect(push).toMatchObject({ push: true, file: "deploy/Dockerfile", sbom: true, provenance: "mode=max" });
    expect(push?.["platforms"]).toBe("linux/amd64,linux/arm64");
    expect(existsSync(join(root, String(push?.["file"])))).toBe(true);
    const attest = steps.find(({ uses }) => uses?.startsWith("actions/attest-build-provenance@"));
    expect(attest?.with?.["subject-digest"]).toBe("${{ steps.push.outputs.digest }}");
  });

  test("runs existing scripts, and attests what it releases", () => {
    const scripts = Array.from(text.matchAll(/node (scripts\/\S+\.ts)/g), ([, script = ""]) => script);
    expect(scripts.filter((script) => !existsSync(join(root, script)))).toEqual([]);
    expect(scripts).toEqual(["scripts/write-sbom.ts", "scripts/write-formula.ts"]);
    const attested = (workflow.jobs["release"]?.steps ?? []).map((step) => step.with ?? {});
    expect(attested).toContainEqual({ "subject-checksums": "release/SHA256SUMS" });
    expect(attested).toContainEqual(expect.objectContaining({ "sbom-path": "release/restante.cdx.json" }));
  });
});

describe("every workflow", () => {
  const workflows = filesBelow(".github/workflows", ".yml");
  const jobsOf = (content: string): readonly Job[] => Object.values((parse(content) as Workflow).jobs);

  test.each(workflows)("$path has no errors by GitHub's parser", async (file) => {
    expect(await workflowErrors(file.path, file.text)).toEqual([]);
  });

  test.each(workflows)("$path may only read by default, and its jobs have a timeout", (file) => {
    expect((parse(file.text) as Workflow).permissions).toEqual({ contents: "read" });
    for (const job of jobsOf(file.text)) expect(job["timeout-minutes"]).toBeGreaterThan(0);
  });

  test.each(workflows)("$path keeps no credentials in the checkout", (file) => {
    const checkouts = jobsOf(file.text).flatMap(({ steps }) =>
      steps.filter(({ uses }) => uses?.startsWith("actions/checkout@")),
    );
    for (const checkout of checkouts) expect(checkout.with).toMatchObject({ "persist-credentials": false });
  });

  test.each(workflows)("$path runs scripts of package.json", (file) => {
    const { scripts } = JSON.parse(readText("package.json")) as { scripts: Record<string, string> };
    const run = Array.from(file.text.matchAll(/\bnpm run ([\w:-]+)/g), ([, name = ""]) => name);
    expect(run.filter((name) => !(name in scripts))).toEqual([]);
  });

  test("pins actions by commit, one for each action, and names their versions", () => {
    const all = workflows.map((file) => file.text).join("\n");
    const pins = Array.from(all.matchAll(/uses: (\S+@[0-9a-f]{40}) # (v\d+\.\d+\.\d+)$/gm), ([, pin]) => pin);
    const uses = workflows.flatMap((file) =>
      jobsOf(file.text).flatMap(({ steps }) => steps.flatMap((step) => step.uses ?? [])),
    );
    expect(pins).toEqual(uses);
    expect(new Set(uses.map((one) => one.split("@")[0])).size).toBe(new Set(uses).size);
  });
});

describe("the workflow of tests", () => {
  test("runs every script for other languages and runners", () => {
    const { scripts } = JSON.parse(readText("package.json")) as { scripts: Record<string, string> };
    // Takes the address of a running cluster, and is run by hand before a release.
    const byHand = "compat:citus";
    const compat = Object.keys(scripts).flatMap((name) =>
      name.startsWith("compat:") && name !== byHand ? [name.slice(7)] : [],
    );
    const content = readText(".github/workflows/test.yml");
    const matrix = parse(content) as { jobs: { compat: { strategy: { matrix: { script: readonly string[] } } } } };
    const steps = Array.from(content.matchAll(/run: npm run compat:([\w-]+)$/gm), ([, name = ""]) => name);
    expect([...matrix.jobs.compat.strategy.matrix.script, ...steps].toSorted()).toEqual(compat.toSorted());
  });
});

test("Dependabot watches every folder with a lock file or a manifest", () => {
  const { updates } = parse(readText(".github/dependabot.yml")) as {
    updates: readonly { directory?: string; directories?: readonly string[] }[];
  };
  const watched = updates.flatMap(({ directory, directories = [] }) => [directory ?? [], directories].flat());
  const manifests = ["**/package-lock.json", "**/go.sum", "clients/java/pom.xml", "**/pyproject.toml", "**/Dockerfile"];
  const found = globSync(manifests, { cwd: root, exclude: ["**/node_modules/**"] });
  const folders = found.map((file) => `/${file.split(sep).slice(0, -1).join("/")}`);
  expect(folders.length).toBeGreaterThan(8);
  expect(folders.filter((folder) => !watched.some((pattern) => matchesGlob(folder, pattern)))).toEqual([]);
});

describe("the GitHub Action", () => {
  const action = readText("action.yml");
  const { inputs, outputs, runs } = parse(action, { strict: true }) as {
    outputs: Readonly<Record<string, unknown>>;
    inputs: Readonly<Record<string, { default?: string }>>;
    runs: Readonly<Record<"main" | "post", string>>;
  };

  test("has no errors by GitHub's parser, which finds those of a broken one", () => {
    expect(actionErrors("action.yml", action)).toEqual([]);
    expect(actionErrors("action.yml", action.replace("using: node24", "using: node24\n  mainn: x"))).not.toEqual([]);
  });

  test("runs existing files, and installs this version", () => {
    expect([runs.main, runs.post].filter((file) => !existsSync(join(root, file)))).toEqual([]);
    expect(inputs["version"]?.default).toBe(version);
  });

  test("workflows in the guide use the action and the image with existing inputs and outputs", async () => {
    const guide = readText("docs/guide/ci.md");
    const shown = blocksOf("ci.md", guide).filter(({ code }) => code.includes("runs-on:"));
    expect(shown).toHaveLength(2);
    for (const { code } of shown) expect(await workflowErrors("test.yml", `on: push\n${code}`)).toEqual([]);
    const { jobs: shownJobs } = parse(shown[0]?.code ?? "") as Workflow;
    const use = shownJobs["test"]?.steps.find(({ id }) => id === "restante");
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(use?.with ?? {})));
    expect(use?.uses).toMatch(new RegExp(`^[\\w-]+/[\\w.-]+@v${RegExp.escape(version)}$`));
    const used = Array.from(guide.matchAll(/steps\.restante\.outputs\.([\w-]+)/g), ([, name = ""]) => name);
    expect(Object.keys(outputs)).toEqual(expect.arrayContaining(used));
  });

  test("reads only the inputs that it declares, and all of them", () => {
    const scripts = filesBelow("packaging/action", ".js").map((file) => file.text);
    const read = scripts.flatMap((script) =>
      Array.from(script.matchAll(/input\("([\w-]+)"\)/g), ([, name = ""]) => name),
    );
    expect(Array.from(new Set(read)).toSorted()).toEqual(Object.keys(inputs).toSorted());
  });
});

test("the Homebrew formula has the address and the checksum of the tarball", () => {
  const formula = formulaOf(Buffer.from("tarball"));
  expect(formula).toContain(`url "https://registry.npmjs.org/restante/-/restante-${version}.tgz"`);
  expect(formula).toContain(`sha256 "${createHash("sha256").update("tarball").digest("hex")}"`);
  expect(formula).not.toMatch(/\{\{|\}\}/);
});
