import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** Creates an empty directory that is removed after the test. */
export async function aDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "restante-store-"));
  onTestFinished(async () => {
    await rm(directory, { recursive: true, force: true });
  });
  return directory;
}
