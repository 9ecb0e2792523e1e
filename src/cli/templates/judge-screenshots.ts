/** Judges screenshots of a template in email clients, by pictures beside its snapshot. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ReceivedMessage } from "../../client/received-message.ts";
import { shownPath } from "./rendered-folder.ts";
import { snapshotFolder, type SnapshotPolicy } from "./snapshot-files.ts";
import type { TemplateFailure } from "./template-report.ts";

/** Case whose screenshots are judged. */
export interface PicturedCase {
  readonly folder: string;
  readonly id: string;
  /** Path of the template for people. */
  readonly file: string;
  readonly policy: SnapshotPolicy;
  /** Email clients; a name that ends in `:dark` is the dark mode of the client. */
  readonly clients: readonly string[];
  readonly mask: Readonly<Record<string, string>> | undefined;
  /** Receives a note about each picture that is written. */
  readonly note: (text: string) => void;
}

/** Compares the screenshots, and writes pictures as the policy says; where one differs, the difference is beside it. */
export async function judgeScreenshots(
  pictured: PicturedCase,
  message: Pick<ReceivedMessage, "screenshot">,
): Promise<readonly TemplateFailure[]> {
  const failures: TemplateFailure[] = [];
  for (const client of pictured.clients) {
    const problem = await compareScreenshot(pictured, client, message);
    if (problem === null) continue;
    const words = { message: `${client}: ${problem}`, detail: "", file: pictured.file, line: null };
    failures.push({ assertion: "screenshot", rule: "screenshot", ...words });
  }
  return failures;
}

/** Returns why a screenshot does not match; null when it does, or was written. */
async function compareScreenshot(
  { folder, id, policy, mask, note }: PicturedCase,
  name: string,
  message: Pick<ReceivedMessage, "screenshot">,
): Promise<string | null> {
  const [client = "", mode] = name.split(":");
  const path = `${snapshotFolder}/${id}.${name.replace(":", "-")}.png`;
  const [file, differenceFile] = [join(folder, path), join(folder, path.replace(/\.png$/, ".difference.png"))];
  rmSync(differenceFile, { force: true });
  const baseline = existsSync(file) ? readFileSync(file) : undefined;
  const dark = mode === "dark" && { dark: true };
  const result = await message.screenshot({
    client,
    ...dark,
    ...(mask !== undefined && { mask }),
    ...(baseline !== undefined && { baseline }),
  });
  if (result.isMatch || result.picture === null) return null;
  if (policy.isUpdating || (baseline === undefined && policy.isWriting)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, result.picture);
    note(`screenshot ${baseline === undefined ? "written" : "updated"}: ${shownPath(folder, path)}`);
    return null;
  }
  if (result.difference !== null) writeFileSync(differenceFile, result.difference);
  const shown =
    result.difference === null ? "" : ` (see ${shownPath(folder, path.replace(/\.png$/, ".difference.png"))})`;
  return `${result.reason ?? "The picture differs"}${shown}`;
}
