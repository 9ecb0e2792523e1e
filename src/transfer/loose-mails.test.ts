import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listMaildir } from "./maildir.ts";
import { readRegularFile } from "./loose-mails.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-regular-"));
  writeFileSync(join(folder, "mail"), "a".repeat(10));
  symlinkSync("mail", join(folder, "link"));
  symlinkSync("absent", join(folder, "dangling"));
  symlinkSync("/dev/zero", join(folder, "device-link"));
  mkdirSync(join(folder, "folder"));
  execFileSync("mkfifo", [join(folder, "fifo")]);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test.each([
  ["link", /link is a symbolic link/],
  ["dangling", /dangling is a symbolic link/],
  ["device-link", /device-link is a symbolic link/],
  ["fifo", /fifo is not a regular file/],
  ["folder", /folder is not a regular file/],
  ["/dev/zero", /zero is not a regular file/],
  ["absent", /ENOENT/],
])("refuses %s", async (name, expected) => {
  await expect(readRegularFile(name.startsWith("/") ? name : join(folder, name), 100)).rejects.toThrow(expected);
});

test("reads a file of the largest size, and none that has a byte more or grows", async () => {
  const path = join(folder, "mail");
  expect((await readRegularFile(path, 10)).bytes.toString()).toBe("a".repeat(10));
  await expect(readRegularFile(path, 9)).rejects.toThrow(/more than 9 bytes/);
  const growing = readRegularFile(path, 10);
  appendFileSync(path, "b");
  // The file grows before it is measured, or after.
  expect(
    await growing.then(
      ({ bytes }) => bytes.length <= 10,
      ({ message }: Error) => /more than/.test(message),
    ),
  ).toBe(true);
});

test("lists no maildir whose folders are symbolic links", async () => {
  const path = join(folder, "maildir");
  mkdirSync(join(path, "new"), { recursive: true });
  symlinkSync("/etc", join(path, "cur"));
  await expect(listMaildir(path)).rejects.toThrow(/cur is a symbolic link/);
});
