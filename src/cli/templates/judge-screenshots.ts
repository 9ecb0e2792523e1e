/** Judges screenshots of a template in email clients, by pictures beside its snapshot. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ReceivedMessage } from "../../client/received-message.ts";
import type { ScreenshotOptions } from "../../client/screenshots.ts";
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
  pictured: PicturedCase,
  name: string,
  message: Pick<ReceivedMessage, "screenshot">,
): Promise<string | null> {
  const { folder, id, policy, note } = pictured;
  const path = `${snapshotFolder}/${id}.${name.replace(":", "-")}.png`;
  const differencePath = path.replace(/\.png$/, ".difference.png");
  const file = join(folder, path);
  rmSync(join(folder, differencePath), { force: true });
  const baseline = existsSync(file) ? readFileSync(file) : null;
  const { isMatch, picture, difference, reason } = await message.screenshot(optionsOf(pictured, name, baseline));
  if (isMatch || picture === null) return null;
  if (policy.isUpdating || (baseline === null && policy.isWriting)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, picture);
    note(`screenshot ${baseline === null ? "written" : "updated"}: ${shownPath(folder, path)}`);
    return null;
  }
  const problem = reason ?? "The picture differs";
  if (difference === null) return problem;
  writeFileSync(join(folder, differencePath), difference);
  return `${problem} (see ${shownPath(folder, differencePath)})`;
}

function optionsOf({ mask }: PicturedCase, name: string, baseline: Uint8Array | null): ScreenshotOptions {
  const [client = "", mode] = name.split(":");
  return {
    client,
    ...(mode === "dark" && { dark: true }),
    ...(mask !== undefined && { mask }),
    ...(baseline !== null && { baseline }),
  };
}
