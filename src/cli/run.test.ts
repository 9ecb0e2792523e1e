import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readVersion } from "../app/version.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { commands } from "./commands.ts";
import { run } from "./run.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-cli-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

async function call(...argv: string[]): Promise<Outcome> {
  let out = "";
  let error = "";
  const code = await run(argv, {
    environment: { RESTANTE_DATA_DIR: folder },
    out: (text) => (out += text),
    error: (text) => (error += text),
    clock: new FakeClock(),
  });
  return { code, out, error };
}

test.each(commands.filter(({ failureCode }) => failureCode !== undefined))(
  "$name exits with its own code when it fails",
  async ({ name, failureCode, operands }) => {
    let error = "";
    const environment = { RESTANTE_DATA_DIR: folder, RESTANTE_URL: "http://127.0.0.1:1", RESTANTE_API_KEY: "key" };
    const write = (text: string): void => void (error += text);
    const argv = [...name.split(" "), ...operands.map(() => "x")];
    const code = await run(argv, { environment, out: write, error: write, clock: new FakeClock() });
    expect([code, error !== ""]).toEqual([failureCode, true]);
  },
);

describe("help", () => {
  test.each([["help"], ["--help"], ["-h"]])("%s lists every command with its summary", async (word) => {
    const { code, out } = await call(word);
    expect(code).toBe(0);
    for (const { name, summary } of commands) expect(out).toMatch(new RegExp(`^  ${name}\\b.*${summary[0]}`, "m"));
  });

  test.each(commands.map((command) => [command.name, command] as const))(
    "tells all about %s",
    async (name, command) => {
      const { code, out } = await call("help", ...name.split(" "));
      expect(code).toBe(0);
      expect(out).toContain(`restante ${name}`);
      for (const flag of command.flags) expect(out).toContain(`--${flag.name}`);
      expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
    },
  );

  test("describes each command of a group", async () => {
    const { out } = await call("help", "keys");
    for (const name of ["keys create", "keys list", "keys rotate", "keys revoke"])
      expect(out).toContain(`restante ${name}`);
  });

  test.each([
    ["keys", "create", "--help"],
    ["serve", "-h"],
    ["backup", "--help", "--data-dir", "x"],
  ])("is shown for a flag after the command: %s %s %s", async (...argv) => {
    const { code, out } = await call(...argv);
    expect([code, out.startsWith(`restante ${argv[0]}`)]).toEqual([0, true]);
  });

  test("goes to standard error with the exit code of usage errors without arguments", async () => {
    const { code, out, error } = await call();
    expect([code, out]).toEqual([2, ""]);
    expect(error).toContain("restante help COMMAND");
  });

  test("contains examples and no Markdown", async () => {
    const texts = await Promise.all(commands.map(async ({ name }) => (await call("help", ...name.split(" "))).out));
    for (const text of texts) expect(text).not.toMatch(/\]\(|`/);
    expect((await call("help")).out).toContain('eval "$(restante env)"');
    expect((await call("help", "lint")).out).toContain("Examples:\n");
  });

  test("exits with a usage error for help about an unknown command", async () => {
    expect(await call("help", "everything")).toMatchObject({ code: 2, out: "" });
  });
});

test.each(["version", "--version", "-v", "-V"])("%s prints the version alone", async (word) => {
  expect(await call(word)).toEqual({ code: 0, out: `${readVersion()}\n`, error: "" });
});

describe("usage errors", () => {
  test.each([
    [["sevre"], 'there is no command "sevre"; did you mean serve? (see restante help)'],
    [["keys"], "use one of: restante keys create, restante keys list, restante keys rotate, restante keys revoke"],
    [
      ["keys", "make"],
      "use one of: restante keys create, restante keys list, restante keys rotate, restante keys revoke",
    ],
    [["keys", "create", "--nmae", "x"], "restante keys create has no flag --nmae; did you mean --name?"],
    [["keys", "create", "--name"], "--name needs a value"],
    [["keys", "create", "-n", "x"], "restante keys create has no flag -n"],
    [["keys", "create", "x"], "restante keys create takes no arguments"],
    [["keys", "revoke"], "usage: restante keys revoke ID"],
    [["backup", "a", "b"], "usage: restante backup FILE"],
    [["version", "--loud"], "restante version has no flag --loud"],
    [["serve", "--htp-port=1"], "unknown flag --htp-port; did you mean --http-port?"],
    [
      ["serve", "--http-port", "many"],
      '--http-port: "many" is not allowed; give a port from 0 to 65535 (0 picks a free one) or off',
    ],
    [["keys", "list", "--data-dir="], '--data-dir: "" is not allowed; give a path'],
  ])("exits with 2 and one sentence for %j", async (argv, sentence) => {
    expect(await call(...argv)).toEqual({ code: 2, out: "", error: `restante: ${sentence}\n` });
  });
});

describe("failures", () => {
  test.each([[["keys", "list"]], [["keys", "create"]], [["keys", "revoke", "x"]]])(
    "exits with 1 and one sentence for %j where no service ever ran",
    async (argv) => {
      const { code, out, error } = await call(...argv);
      expect([code, out]).toEqual([1, ""]);
      expect(error).toMatch(/^restante: There is no database in .+; .+\n$/);
    },
  );

  test("exits with 1 and one sentence for a backup without a database", async () => {
    const { code, error } = await call("backup", join(folder, "copy.db"));
    expect(code).toBe(1);
    expect(error).toMatch(/^restante: There is no database at .+\n$/);
  });
});
