/** The examples, with the package as it is published and the runners of the checkout. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { linkModules, runIn, writeIsolationTests } from "../../compat/playwright/project.ts";
import { chromiumPath } from "../../src/testing/chromium-path.test-aid.ts";
import { root, runProgram, type InstalledPackage } from "./installed-package.ts";
import { compileSnippets } from "./snippet-types.ts";

interface PlaywrightReport {
  readonly suites: readonly {
    readonly title: string;
    readonly specs: readonly {
      readonly title: string;
      readonly ok: boolean;
      readonly tests: readonly {
        readonly results: readonly {
          readonly error?: { readonly message: string };
          readonly attachments: readonly { readonly name: string }[];
        }[];
      }[];
    }[];
  }[];
}

const examples = ["playwright", "vitest", "node-test"];

/** A test of an example that waits for a mail that is not sent. */
const failingTest = `
test("fails on purpose", async ({ request, app, inbox }) => {
  await request.get(\`\${app}/sign-up\`, { params: { email: inbox.address } });
  await inbox.waitForOne();
  await inbox.waitForOne({ subject: "Your order" }, { timeout: 0 });
});
`;

/** Writes a file that no test compares, and returns its path and the line that names it. */
function putObsolete(folder: string, file: string, option: string): readonly [path: string, line: string] {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  return [path, `restante: ${file} is obsolete: no test compares it; ${option} removes it\n`];
}

/** Runs the examples whose runners are development dependencies. */
export function testExamples(installation: () => InstalledPackage): void {
  const folderOf = (name: string): string => join(installation().folder, `example-${name}`);
  const bin = (name: string): string => join(root, "node_modules", name);
  const recordFolder = (): string => join(installation().folder, "record");
  const report = (): string => {
    const out = join(installation().folder, "report.html");
    return runProgram(installation().main, ["report", "--record", recordFolder(), "--out", out, "--remove"], root);
  };

  describe("examples", () => {
    beforeAll(() => {
      linkModules(installation().folder, null);
      const isOwn = (path: string): boolean => !path.includes("node_modules");
      for (const name of examples)
        cpSync(join(root, "examples", name), folderOf(name), { recursive: true, filter: isOwn });
    });

    test("all have a lock file, and the version of their runner that the checkout has", () => {
      const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
      for (const name of readdirSync(join(root, "examples")).filter((one) => !one.endsWith(".md"))) {
        const folder = join(root, "examples", name);
        expect(readdirSync(folder)).toEqual(expect.arrayContaining(["package-lock.json", "README.md"]));
        const own = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
        for (const [dependency, range] of Object.entries(own.devDependencies)) {
          const ours = devDependencies[dependency] ?? range;
          expect(`${name}: ${dependency} ${range.replace("^", "")}`).toBe(
            `${name}: ${dependency} ${ours.replace("^", "")}`,
          );
        }
      }
    });

    // Where the package is copied instead of linked (.npmrc), the lock file has its dependencies, too.
    // npm ci rejects a lock file without the packages of other platforms, which npm leaves out where a registry lacks them.
    test.each(readdirSync(join(root, "examples")).filter((name) => !name.endsWith(".md")))(
      "the lock file of %s has all packages that its packages name",
      (name) => {
        const { packages } = JSON.parse(
          readFileSync(join(root, "examples", name, "package-lock.json"), "utf8"),
        ) as Lock;
        const { dependencies: locked } = packages["node_modules/restante"] ?? {};
        if (locked !== undefined) expect(locked).toEqual(installation().manifest.dependencies);
        const known = new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, "")));
        const named = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
          path === "../.." ? [] : Object.keys({ ...dependencies, ...optionalDependencies }),
        );
        expect(named.filter((one) => !known.has(one))).toEqual([]);
      },
    );

    test.each(examples)("types of %s hold under strict", async (name) => {
      expect(await runIn(folderOf(name), [bin("typescript/bin/tsc"), "--skipLibCheck"])).toEqual({
        code: 0,
        output: "",
      });
    });

    test("all blocks of the guides but those of the examples, and the snippets of the web UI, compile in a strict project", async () => {
      expect(await compileSnippets(installation().folder)).toEqual({ code: 0, output: "" });
    });

    test("vitest and node-test pass, and record their mail for a report", async () => {
      const environment = { RESTANTE_RECORD: recordFolder() };
      const [vitest, nodeTest] = await Promise.all([
        runIn(folderOf("vitest"), [bin("vitest/vitest.mjs"), "run", "--testTimeout=20000"], environment),
        runIn(folderOf("node-test"), ["--test"], environment),
      ]);
      expect(vitest.output).toMatch(/Tests +3 passed/);
      expect(nodeTest.output).toMatch(/pass 3/);
      expect(report()).toContain("6 tests, 4 messages, 0 failed");
    });

    test("vitest and node-test name obsolete pictures of whole files only, and remove them on update", async () => {
      const picture = join("__screenshots__", "sign-up", "former-gmail.png");
      const vitest = [bin("vitest/vitest.mjs"), "run", "--testTimeout=20000"];
      const runs = [
        {
          name: "vitest",
          whole: vitest,
          part: [...vitest, "-t", "one"],
          option: "vitest -u",
          update: [...vitest, "-u"],
        },
        {
          name: "node-test",
          whole: ["--test"],
          part: ["--test", "--test-name-pattern=one"],
          option: "--test-update-snapshots",
          update: ["--test", "--test-update-snapshots"],
        },
      ];
      for (const { name, whole, part, option, update } of runs) {
        const [path, line] = putObsolete(folderOf(name), picture, option);
        expect((await runIn(folderOf(name), part)).output).not.toContain("restante:");
        expect((await runIn(folderOf(name), whole)).output).toContain(line);
        expect((await runIn(folderOf(name), update)).output).toContain(`restante: removed ${picture}`);
        expect(existsSync(path)).toBe(false);
      }
    });

    test("playwright names obsolete snapshots and pictures of whole files only, and removes them on update", async () => {
      const folder = folderOf("playwright");
      const runs = [bin("@playwright/test/cli.js"), "test", "--workers=2"];
      const environment = { CHROMIUM_PATH: await chromiumPath() };
      const mail = join("sign-up.spec.ts-snapshots", "mail");
      const [path, line] = putObsolete(folder, join(mail, "former-1.txt"), "--update-snapshots");
      const [, pictureLine] = putObsolete(folder, join(mail, "former-gmail.png"), "--update-snapshots");
      for (const part of [["-g", "one"], ["--shard=1/2"], ["sign-up.spec.ts:19"]])
        expect((await runIn(folder, [...runs, ...part], environment)).output).not.toContain("restante:");
      expect((await runIn(folder, runs, environment)).output).toContain(line + pictureLine);
      const { output } = await runIn(folder, [...runs, "--update-snapshots"], environment);
      expect(output).toContain(`restante: removed ${join(mail, "former-1.txt")}`);
      expect([existsSync(path), readdirSync(join(folder, mail))]).toEqual([
        false,
        ["a-new-user-confirms-the-address-1.txt"],
      ]);
    });

    test("playwright passes in a browser, and attaches the mail of a failed test", async () => {
      const folder = folderOf("playwright");
      const spec = readFileSync(join(folder, "sign-up.spec.ts"), "utf8");
      writeFileSync(join(folder, "sign-up.spec.ts"), spec + failingTest);
      const argv = [bin("@playwright/test/cli.js"), "test", "--reporter=json", "--workers=2"];
      const environment = { CHROMIUM_PATH: await chromiumPath(), RESTANTE_RECORD: recordFolder() };
      const { code, output } = await runIn(folder, argv, environment);
      const { suites } = JSON.parse(output.slice(output.indexOf("{"))) as PlaywrightReport;
      const specs = suites.flatMap((suite) => suite.specs);
      expect([code, specs.map(({ ok }) => ok)]).toEqual([1, [true, true, true, false]]);
      const result = specs[3]?.tests[0]?.results[0];
      expect(result?.error?.message).toContain('subject: expected "Your order", is "Confirm your address"');
      const names = result?.attachments.map(({ name }) => name);
      expect(names).toEqual(
        expect.arrayContaining(["restante.txt", "mail-1.png", "mail-1.eml", "mail-1.zip", "trace"]),
      );
      expect(report()).toMatch(/4 tests, \d messages, 1 failed/);
    });

    test("parallel Playwright workers on one service receive their own mail alone", async () => {
      const folder = join(installation().folder, "isolation");
      writeIsolationTests(folder, { count: 8 });
      const { code, output } = await runIn(folder, [bin("@playwright/test/cli.js"), "test", "--workers=2"]);
      expect(output).toContain('"expected": 8');
      expect(code).toBe(0);
    });
  });
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly dependencies?: object; readonly optionalDependencies?: object }>
  >;
}
interface Manifest {
  readonly devDependencies: Readonly<Record<string, string>>;
}
