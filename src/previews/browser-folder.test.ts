import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openBrowserFolder, openSessionFolder, removeFolder, unpackOnce } from "./browser-folder.ts";

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "restante-folder-"));
});
afterEach(() => {
  rmSync(parent, { recursive: true });
});

describe("the folder of browsers", () => {
  test("is the same for every call and private to this user", () => {
    const folder = openBrowserFolder(parent);
    expect(openBrowserFolder(parent)).toBe(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test("is replaced by a new one when it is accessible to others, a link, or a file", () => {
    const folder = openBrowserFolder(parent);
    chmodSync(folder, 0o777);
    const other = openBrowserFolder(parent);
    expect(other).not.toBe(folder);
    expect(statSync(other).mode & 0o077).toBe(0);
    rmSync(folder, { recursive: true });
    mkdirSync(join(parent, "elsewhere"), { mode: 0o700 });
    symlinkSync(join(parent, "elsewhere"), folder);
    expect(openBrowserFolder(parent)).not.toBe(folder);
    rmSync(folder);
    writeFileSync(folder, "");
    expect(openBrowserFolder(parent)).not.toBe(folder);
  });

  test("contains a new folder for each browser, which can be removed", () => {
    const folder = openBrowserFolder(parent);
    const [one, other] = [openSessionFolder(folder), openSessionFolder(folder)];
    expect(one).not.toBe(other);
    removeFolder(one);
    expect([existsSync(one), existsSync(other)]).toEqual([false, true]);
    removeFolder(join(folder, "gone"));
  });

  test("removes the folders of killed services and keeps those of running ones", () => {
    const folder = openBrowserFolder(parent);
    const living = openSessionFolder(folder);
    const left = join(folder, "session-1073741824-abc");
    mkdirSync(left);
    openSessionFolder(folder);
    expect([existsSync(living), existsSync(left)]).toEqual([true, false]);
  });
});

describe("unpacking", () => {
  const unpack = async (into: string): Promise<void> => {
    writeFileSync(join(into, "chromium"), "whole");
  };

  test("unpacks once", async () => {
    let times = 0;
    const count = async (into: string): Promise<void> => {
      times += 1;
      await unpack(into);
    };
    const all = [await unpackOnce(parent, "it", count), await unpackOnce(parent, "it", count)];
    expect([times, all]).toEqual([1, [join(parent, "it"), join(parent, "it")]]);
    expect(readdirSync(parent)).toEqual(["it"]);
  });

  test("removes partial files after a failure, and unpacks again at the next call", async () => {
    const fail = async (into: string): Promise<void> => {
      writeFileSync(join(into, "chromium"), "half");
      throw new Error("no room");
    };
    await expect(unpackOnce(parent, "it", fail)).rejects.toThrow("no room");
    expect(readdirSync(parent)).toEqual([]);
    expect(await unpackOnce(parent, "it", unpack)).toBe(join(parent, "it"));
  });

  test("leaves one complete folder when several calls unpack at once", async () => {
    await Promise.all(Array.from({ length: 5 }, () => unpackOnce(parent, "it", unpack)));
    expect([readdirSync(parent), readdirSync(join(parent, "it"))]).toEqual([["it"], ["chromium"]]);
  });
});
