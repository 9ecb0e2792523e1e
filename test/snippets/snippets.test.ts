/**
 * Executes, compiles or parses every fenced block of the README and the guides. Exceptions are listed here, or give their
 * reason in a comment on the page. The blocks of one page run in one shell and in order, as a reader runs them.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { freePort } from "../../src/testing/free-port.test-aid.ts";
import { readText } from "../tidy/source-files.ts";
import { allBlocks, blocksOf, folderOf, type Block } from "./blocks.ts";
import { serviceKey, startAs } from "./start-as.ts";
import { windowSnippets } from "./window-snippets.ts";
import { put, Workspace } from "./workspace.ts";

/** Languages that are not executed, with the reason. */
const notExecuted: Readonly<Record<string, string>> = {
  csharp: "no .NET here",
  dockerfile: "no Docker here",
  dotenv: "settings of other programs",
  groovy: "no Gradle here",
  html: "templates of e-mails",
  ini: "settings of other programs",
  kotlin: "no Kotlin here",
  nginx: "settings of other programs",
  php: "no PHP here",
  properties: "settings of other programs",
  ruby: "no Ruby here",
  sql: "run by the tests of the store, or for databases of other programs",
  text: "messages to recognise",
  toml: "settings of other programs",
  xml: "settings of other programs",
};

const blocks = allBlocks();
const pages = Array.from(new Set(blocks.map(({ page }) => page)));
const titled = (language: RegExp): readonly (readonly [title: string, block: Block])[] =>
  blocks
    .filter((block) => language.test(block.language))
    .map((block) => [`${block.page}:${block.line}`, block] as const);
const has = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;

let workspace: Workspace;
beforeAll(async () => {
  workspace = await Workspace.open();
  for (const page of pages) {
    const folder = workspace.page(folderOf(page));
    for (const { file, code } of blocks.filter((block) => block.page === page && block.file !== null)) {
      put(join(folder, file ?? ""), workspace.withPorts(code));
    }
  }
  await workspace.service.send("ada@abcd1234.restante.example.com", "Confirm your address");
});
afterAll(async () => workspace[Symbol.asyncDispose]());

test("every code block has a language that is executed, parsed, or exempt with a reason", () => {
  const known = ["sh", "ts", "js", "python", "json", "yaml", "java", "go", ...Object.keys(notExecuted)];
  expect(blocks.filter(({ language }) => !known.includes(language)).map(({ page, line }) => `${page}:${line}`)).toEqual(
    [],
  );
});

test("extracts blocks, their file names, and the reasons for not running them", () => {
  const text = "<!-- not run: needs Docker -->\n```sh\ndocker ps\n```\n- a\n  ```ts\n  // a.ts\n  f();\n  ```\n";
  expect(blocksOf("p", text)).toEqual([
    { page: "p", line: 3, language: "sh", code: "docker ps\n", notRun: "needs Docker", file: null },
    { page: "p", line: 7, language: "ts", code: "// a.ts\nf();\n", notRun: null, file: "a.ts" },
  ]);
});

test("the guide names every option of startRestante", () => {
  const [, options = ""] =
    /interface RestanteOptions \{([^]*?)^\}/m.exec(readText("src/testing/restante-options.ts")) ?? [];
  const names = Array.from(options.matchAll(/^  readonly (\w+)\?:/gm), ([, name]) => name);
  const listed = readText("docs/guide/in-process.md").matchAll(/^\| `(\w+)` \|/gm);
  expect(Array.from(listed, ([, name]) => name)).toEqual(names);
});

describe("shell", () => {
  test.each(pages.filter((page) => blocks.some((block) => block.page === page && isRunShell(block))))(
    "the commands of %s do what they say",
    async (page) => {
      const shown = blocks.filter((block) => block.page === page && isRunShell(block));
      const script = shown.map(({ line, code }) => `echo "· line ${line}"\n${code}`).join("\n");
      await workspace.run(workspace.withPorts(script), join(workspace.folder, folderOf(page)));
    },
  );

  test.each(titled(/^sh$/))("%s is a valid script", (_title, { code }) => {
    const { status, stderr } = spawnSync("bash", ["-n"], { input: code, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });
});

function isSelfContained([, { notRun }]: readonly [title: string, block: Block]): boolean {
  return notRun === null;
}

function isRunShell({ language, notRun }: Block): boolean {
  return language === "sh" && notRun === null;
}

describe("services that the guides start", () => {
  test.each(pages.filter((page) => blocks.some((block) => block.page === page && isService(block))))(
    "the service of %s starts, and programs use its ports",
    async (page) => {
      const folder = join(workspace.folder, folderOf(page));
      for (const service of blocks.filter((block) => block.page === page && isService(block))) {
        const ports = new Map<string, string>();
        for (const [, port = ""] of service.code.matchAll(/_PORT=(\d+)/g)) ports.set(port, String(await freePort()));
        const withPorts = (code: string): string =>
          code.replaceAll(/\b\d{3,5}\b/g, (number) => ports.get(number) ?? number);
        await using running = await startAs(await workspace.run(withPorts(service.code), folder), folder);
        await running.send("ada@abcd1234.restante.test", "Your invoice");
        for (const { language, code } of blocks.filter((block) => block.page === page && usesPort(block))) {
          const shown = withPorts(code).replaceAll("the password", serviceKey);
          put(join(folder, "client"), shown);
          await workspace.run(`${language === "python" ? "python3" : "bash"} client`, folder);
        }
      }
    },
  );
});

function isService({ notRun }: Block): boolean {
  return notRun?.startsWith("does not end") === true;
}

function usesPort({ notRun }: Block): boolean {
  return /^needs the \S+ port$/.test(notRun ?? "");
}

// `test/package/snippet-types.ts` compiles all blocks against the package.
describe("TypeScript and JavaScript", () => {
  const whole = titled(/^[tj]s$/).filter(([, { code, file }]) => code.includes('from "restante"') && file === null);
  test.each(whole)("%s runs", async (_title, { page, line, code }) => {
    const folder = join(workspace.folder, folderOf(page));
    put(join(folder, `line-${line}.ts`), code);
    await workspace.run(`node line-${line}.ts`, folder);
  });
});

describe("data", () => {
  test.each(titled(/^json$/))("%s is JSON", (_title, { code }) => {
    expect(JSON.parse(code)).toBeTypeOf("object");
  });

  test.each(titled(/^yaml$/))("%s is YAML", (_title, { code }) => {
    expect(parse(code, { strict: true, uniqueKeys: true })).toBeTypeOf("object");
  });
});

describe.skipIf(!has("python3"))("Python", () => {
  test("every block is a module", () => {
    const syntax = "import ast, json, sys\nfor title, code in json.load(sys.stdin): ast.parse(code, title)";
    const input = JSON.stringify(titled(/^python$/).map(([title, { code }]) => [title, code]));
    expect(spawnSync("python3", ["-c", syntax], { input, encoding: "utf8" }).stderr).toBe("");
  });

  const whole = titled(/^python$/).filter(([, { file, notRun }]) => file === null && notRun === null);
  test.each(whole)("%s runs", async (_title, { page, line, code }) => {
    const folder = join(workspace.folder, folderOf(page));
    put(join(folder, `line-${line}.py`), workspace.withPorts(code));
    await workspace.run(`eval "$(restante env)"; python3 line-${line}.py`, folder);
  });
});

describe.skipIf(spawnSync("go", ["version"]).status !== 0)("Go", () => {
  test.each(titled(/^go$/).filter(isSelfContained))("%s passes go vet", (_title, { page, line, code }) => {
    const folder = join(workspace.folder, `${folderOf(page)}-go-${line}`);
    put(join(folder, "go.mod"), "module example\n\ngo 1.21\n");
    put(join(folder, code.includes('"testing"') ? "mail_test.go" : "mail.go"), code);
    const vet = spawnSync("go", ["vet", "."], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, GOFLAGS: "-mod=mod" },
    });
    expect([vet.status, vet.stderr]).toEqual([0, ""]);
  });
});

describe.skipIf(spawnSync("gofmt", { input: "" }).status !== 0)("Go in the web UI", () => {
  test("the test snippet is formatted Go", () => {
    const snippet = windowSnippets(workspace.service).find(({ file }) => file === "mail_test.go");
    const { stdout, stderr } = spawnSync("gofmt", ["-e"], { input: `${snippet?.code ?? ""}\n`, encoding: "utf8" });
    expect([stdout, stderr]).toEqual([`${snippet?.code ?? ""}\n`, ""]);
  });
});

describe.skipIf(!has("javac"))("Java", () => {
  test.each(titled(/^java$/).filter(isSelfContained))("%s compiles", (_title, { page, line, code }) => {
    const file = join(
      workspace.folder,
      `${folderOf(page)}-java-${line}`,
      `${/class (\w+)/.exec(code)?.[1] ?? ""}.java`,
    );
    put(file, code);
    const { status, stderr } = spawnSync("javac", ["-d", join(file, ".."), file], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });
});

describe("the web UI", () => {
  test("the test snippets pass when run as their first line says", async () => {
    const folder = workspace.page("web-ui-tests");
    await workspace.service.send("ada@abcd1234.restante.example.com", "Your code");
    for (const { file, code } of windowSnippets(workspace.service).filter(({ name }) =>
      /^Playwright$|client/.test(name),
    )) {
      put(join(folder, file), code);
      const start = /^\/\/ Start: (.+)$/m.exec(code)?.[1] ?? "exit 1";
      expect(await workspace.run(start, folder)).toMatch(/passed: |^# pass 1$|ℹ pass 1$/m);
    }
  });

  test("the nodemailer and shell snippets send mail to the server", async () => {
    const folder = workspace.page("web-ui-sending");
    const key = workspace.service.shown("API key");
    const answer = await workspace.service.fetch("/api/servers/abcd1234/password", key);
    const { value } = (await answer.json()) as { value: string };
    const [nodemailer, shell] = ["nodemailer", "Shell"].map((name) =>
      windowSnippets(workspace.service, value).find((snippet) => snippet.name === name),
    );
    const sending = 'await mail.sendMail({ from: "a@example.com", to: "b@example.com", subject: "By nodemailer" });';
    put(join(folder, "mail.ts"), `${nodemailer?.code ?? ""}\n${sending}`);
    await workspace.run(`node mail.ts\n${shell?.code ?? "exit 1"}`, folder);
    expect((await workspace.service.subjects("abcd1234", key)).slice(0, 2)).toEqual(["Hello", "By nodemailer"]);
  });
});
