/** Reads the record of a run from its folder. */
import { readdir, readFile, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { Problem } from "../core/errors.ts";
import { decodeStrictly } from "../core/strict-decoder.ts";
import { type TestRecord, testSchema } from "./record-schema.ts";

/** Most tests of a report. */
export const testCountMax = 5000;
/** Largest file of a test: its texts, each within its limit. */
const fileBytesMax = 64 * 2 ** 20;

/** Returns the tests of a record by their start. Throws an `Error` for the user that names a file which is none. */
export async function readRecord(folder: string): Promise<readonly TestRecord[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json"));
  if (names.length > testCountMax)
    throw new Error(`${folder} has more than ${String(testCountMax)} tests; delete those of former runs`);
  const tests: TestRecord[] = [];
  for (const name of names) tests.push(await readTest(join(folder, name)));
  return tests.toSorted((one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt));
}

async function readTest(file: string): Promise<TestRecord> {
  if ((await stat(file)).size > fileBytesMax) throw new Error(`${file}: too large for the record of a test`);
  try {
    return decodeStrictly(testSchema, JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    const fields = error instanceof Problem ? error.fields : [];
    const [{ field, description } = { field: "", description: "not JSON" }] = fields;
    const reason = [field, description].filter((part) => part !== "").join(": ");
    throw new Error(`${file}: not the record of a test by this version of restante (${reason})`, { cause: error });
  }
}

/** Returns a picture of a record; null when its file is gone. */
export async function readPicture(folder: string, name: string): Promise<Uint8Array | null> {
  try {
    return await readFile(join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Deletes the files of a record, and its folder when nothing else is in it. */
export async function removeRecord(folder: string): Promise<void> {
  const names = await readdir(folder);
  const own = names.filter((name) => /^[0-9a-f-]{36}\.(?:json|part)$|^[0-9a-f]{64}\.png$/.test(name));
  for (const name of own) await rm(join(folder, name), { force: true });
  if (own.length === names.length) await rmdir(folder);
}
