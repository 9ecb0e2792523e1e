import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RestanteClient } from "../../client/client.ts";
import type { Screenshot, ScreenshotOptions } from "../../client/analyses.ts";
import { systemClock } from "../../core/clock.ts";
import { judgeScreenshots } from "./judge-templates.ts";
import { describeDifference } from "./line-difference.ts";
import { watchFolder } from "./preview.ts";
import { ShownTemplates } from "./shown-templates.ts";
import { compareSnapshot, findObsoleteSnapshots } from "./snapshot-files.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "restante-shown-")));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Messages that a service would have, by id: recipient and subject. */
function stubService(): {
  readonly messages: Map<string, string>;
  readonly service: ConstructorParameters<typeof ShownTemplates>[0]["service"];
} {
  const messages = new Map<string, string>();
  let count = 0;
  const service = {
    client: {
      messages: { delete: async (id: string) => void messages.delete(id) },
    } as unknown as RestanteClient,
    deliver: async (localPart: string, raw: Uint8Array) => {
      const [, subject = ""] = /^Subject: (.*?)\r$/m.exec(Buffer.from(raw).toString()) ?? [];
      const id = `message-${String(++count)}`;
      messages.set(id, `${localPart} ${subject}`);
      return id;
    },
    addressOf: (localPart: string) => `${localPart}@template.example`,
    url: "http://127.0.0.1:1",
    server: "template",
  };
  return { messages, service };
}

test("a new rendering takes the place of the former one, errors too, and deleted templates go", async () => {
  const { messages, service } = stubService();
  const lines: string[] = [];
  const shown = new ShownTemplates({ folder, service, clock: systemClock, report: (line) => lines.push(line) });
  const files = { first: join(folder, "first.html"), second: join(folder, "Second Mail.hbs") };
  writeFileSync(files.first, "<title>One</title>");
  writeFileSync(files.second, "{{#if");
  await shown.update();
  expect([...messages]).toEqual([
    ["message-1", "second-mail+template Error: Second Mail"],
    ["message-2", "first+template One"],
  ]);
  expect(lines).toEqual([
    expect.stringMatching(/Second Mail\.hbs(?::\d+)?: /),
    "first  http://127.0.0.1:1/servers/template/messages/message-2",
  ]);
  writeFileSync(files.first, '<title>Two</title><img src="/gone.png">');
  await Promise.all([shown.update(), shown.update()]);
  expect([...messages.values()]).toEqual(["second-mail+template Error: Second Mail", "first+template Two"]);
  expect(lines.at(-1)).toMatch(/first\.html: The image \/gone\.png is not in the folder$/);
  rmSync(files.second);
  writeFileSync(join(folder, "restante.config.json"), "{");
  await shown.update();
  expect(lines.at(-1)).toContain("restante.config.json: ");
  rmSync(join(folder, "restante.config.json"));
  await shown.update();
  expect([...messages.values()]).toEqual(["first+template Two"]);
});

test("snapshots are written, compared, updated and found obsolete", () => {
  const compare = (snapshot: string, isUpdating: boolean, isWriting: boolean): object =>
    compareSnapshot(folder, { id: "orders/sent", snapshot }, { isUpdating, isWriting });
  const file = "__snapshots__/orders/sent.txt";
  expect(compare("a\n", false, false)).toEqual({ file, kind: "missing", difference: "" });
  expect(compare("a\n", false, true)).toEqual({ file, kind: "written", difference: "" });
  expect(compare("a\n", false, false)).toEqual({ file, kind: "equal", difference: "" });
  expect(compare("b\n", false, true)).toEqual({ file, kind: "different", difference: "- a\n+ b\n" });
  expect(compare("b\n", true, true)).toMatchObject({ kind: "updated" });
  expect(findObsoleteSnapshots(folder, new Set(["orders/sent"]), true)).toEqual([]);
  expect(findObsoleteSnapshots(folder, new Set(), false)).toEqual([file]);
  expect(findObsoleteSnapshots(folder, new Set(), true)).toEqual([file]);
  expect(findObsoleteSnapshots(folder, new Set(), true)).toEqual([]);
});

test("screenshots are written, compared and named by their email client; obsolete ones are found", async () => {
  const asked: object[] = [];
  const notes: string[] = [];
  const judge = async (picture: string, isUpdating: boolean): Promise<readonly string[]> => {
    const message = {
      screenshot: async ({ client, dark, baseline }: ScreenshotOptions = {}): Promise<Screenshot> => {
        asked.push({ client, dark, baseline: baseline && Buffer.from(baseline).toString() });
        const isMatch = baseline !== undefined && Buffer.from(baseline).toString() === picture;
        const shown = { picture: Buffer.from(picture), difference: baseline === undefined ? null : Buffer.from("red") };
        const none = { picture: null, difference: null };
        return { isMatch, reason: "4 pixels differ", ...(isMatch ? none : shown) } as unknown as Screenshot;
      },
    };
    const policy = { isUpdating, isWriting: false };
    const own = { folder, id: "a", file: "a.html", mask: undefined, note: (text: string) => void notes.push(text) };
    const found = await judgeScreenshots({ ...own, policy, clients: ["gmail", "gmail:dark"] }, message);
    return found.map(({ message: words }) => words);
  };
  expect(await judge("one", false)).toEqual(["gmail: 4 pixels differ", "gmail:dark: 4 pixels differ"]);
  expect(await judge("one", true)).toEqual([]);
  expect(notes.map((note) => note.replace(/: .*\//, ": "))).toEqual([
    "screenshot written: a.gmail.png",
    "screenshot written: a.gmail-dark.png",
  ]);
  expect(await judge("one", false)).toEqual([]);
  expect(asked.at(-1)).toEqual({ client: "gmail", dark: true, baseline: "one" });
  const [words] = await judge("two", false);
  expect(words).toMatch(/^gmail: 4 pixels differ \(see .*__snapshots__\/a\.gmail\.difference\.png\)$/);
  expect(readFileSync(join(folder, "__snapshots__/a.gmail.difference.png"), "utf8")).toBe("red");
  expect(await judge("two", true)).toEqual([]);
  expect(existsSync(join(folder, "__snapshots__/a.gmail.difference.png"))).toBe(false);
  expect(findObsoleteSnapshots(folder, new Set(["a"]), false)).toEqual([]);
  expect(findObsoleteSnapshots(folder, new Set(), false)).toEqual([
    "__snapshots__/a.gmail-dark.png",
    "__snapshots__/a.gmail.png",
  ]);
});

test("a difference shows changed lines with those around them, and ends", () => {
  const lines = Array.from({ length: 20 }, (_, at) => String(at));
  const changed = lines.with(3, "three").toSpliced(15, 1);
  expect(describeDifference(lines.join("\n"), changed.join("\n")).split("\n")).toEqual([
    "  1",
    "  2",
    "- 3",
    "+ three",
    "  4",
    "  5",
    "…",
    "  13",
    "  14",
    "- 15",
    "  16",
    "  17",
  ]);
  expect(describeDifference("a", "a")).toBe("");
  const large = Array.from({ length: 5000 }, (_, at) => String(at));
  expect(describeDifference(large.join("\n"), large.toReversed().join("\n"))).toMatch(/\n… 9940 more lines$/);
});

test("a watched folder notices changes of files, and not those of snapshots", async () => {
  let [noticed, timers] = [Promise.withResolvers<void>(), 0];
  const clock = {
    after: (_ms: number, action: () => void) => {
      timers += 1;
      action();
      return () => undefined;
    },
  };
  const close = watchFolder({
    folder,
    configFile: null,
    clock,
    onChange: () => {
      noticed.resolve();
    },
    onError: (error) => {
      noticed.reject(error);
    },
  });
  compareSnapshot(folder, { id: "a", snapshot: "a" }, { isUpdating: false, isWriting: true });
  writeFileSync(join(folder, ".swap"), "");
  writeFileSync(join(folder, "a.html"), "");
  await noticed.promise;
  const before = timers;
  noticed = Promise.withResolvers();
  writeFileSync(join(folder, "a.html"), "changed");
  await noticed.promise;
  close();
  expect(timers).toBeGreaterThan(before);
});
