/** Import directions and circles of the web UI. */
import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { filesBelow, readText } from "./source-files.ts";
import { webImportTable, webLeaves, webRoomOf } from "./web-import-table.ts";

const sources = [...filesBelow("web", ".ts"), ...filesBelow("web", ".tsx")];
const topFiles = ["web/main.tsx", "web/vite.config.ts", ...webLeaves];

describe("rooms of the web UI", () => {
  test("contain every source file", () => {
    const strays = sources.filter(({ path }) => {
      const room = webRoomOf(path);
      return room === undefined ? !topFiles.includes(path) : webImportTable[room] === undefined;
    });
    expect(strays.map(({ path }) => path)).toEqual([]);
  });

  test("import only what the table allows", () => {
    const forbidden = sources.flatMap(({ path, text }) => {
      const room = webRoomOf(path);
      if (room === undefined) return [];
      const testRooms = /\.test(?:-aid)?\./.test(path) ? ["api", "testing"] : [];
      const allowed = new Set([room, ...(webImportTable[room] ?? []), ...testRooms]);
      return importsOf(path, text)
        .filter((target) => !webLeaves.includes(target) && !allowed.has(webRoomOf(target) ?? ""))
        .map((target) => `${path} → ${target}`);
    });
    expect(forbidden).toEqual([]);
  });

  test("use every import that the table allows", () => {
    const unused = Object.entries(webImportTable).flatMap(([room, allowed]) => {
      const own = sources.filter(({ path }) => webRoomOf(path) === room && !/\.test(?:-aid)?\./.test(path));
      const used = new Set(own.flatMap(({ path, text }) => importsOf(path, text)).map(webRoomOf));
      return allowed.filter((name) => !used.has(name)).map((name) => `${room} → ${name}`);
    });
    expect(unused).toEqual([]);
  });

  test("form no circle", () => {
    const circles = Object.keys(webImportTable).filter((room) => reachable(room).has(room));
    expect(circles).toEqual([]);
  });

  test("are documented in ARCHITECTURE.md as in the table", () => {
    const rows = readText("ARCHITECTURE.md").matchAll(/^\| `web\/([a-z-]+)` \| (.*) \|$/gm);
    const shown = Array.from(rows, ([, room = "", allowed = ""]): [string, string[]] => [
      room,
      Array.from(allowed.matchAll(/`web\/([a-z-]+)`/g), ([, name = ""]) => name),
    ]);
    expect(Object.fromEntries(shown)).toEqual(webImportTable);
  });
});

function importsOf(path: string, text: string): readonly string[] {
  return Array.from(text.matchAll(/(?:from|import\() ?"(\.[^"]+)"/g), ([, target = ""]) =>
    posix.join(posix.dirname(path), target),
  ).filter((target) => target.startsWith("web/"));
}

function reachable(start: string): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...(webImportTable[start] ?? [])];
  for (let room = open.pop(); room !== undefined; room = open.pop()) {
    if (found.has(room)) continue;
    found.add(room);
    open.push(...(webImportTable[room] ?? []));
  }
  return found;
}
