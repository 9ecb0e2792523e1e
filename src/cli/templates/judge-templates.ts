/** Judges templates: what they rendered, their images, snapshots, budgets, screenshots and translations. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { failuresOf, type ScreenshotOptions } from "../../client/analyses.ts";
import type { RestanteClient } from "../../client/client.ts";
import type { ReceivedMessage } from "../../client/received-message.ts";
import type { TemplateConfig } from "../../templates/template-config.ts";
import type { TemplateCase } from "../../templates/template-files.ts";
import { type RenderedCase, shownPath } from "./rendered-folder.ts";
import { compareSnapshot, snapshotFolder, type SnapshotPolicy } from "./snapshot-files.ts";
import type { TemplateFailure, TemplateResult } from "./template-report.ts";

/** Run that judges templates. */
interface TemplateJudge {
  readonly folder: string;
  readonly config: TemplateConfig;
  readonly policy: SnapshotPolicy;
}

/** Judges a case and its message, which a case with an error does not have. */
export async function judgeTemplate(
  judge: TemplateJudge,
  rendered: RenderedCase,
  message: ReceivedMessage | null,
): Promise<TemplateResult> {
  const { folder } = judge;
  const { template, failure, missingImages } = rendered;
  const file = shownPath(folder, (template.html ?? template.text)?.path ?? template.id);
  const notes: string[] = [];
  const failures: TemplateFailure[] = missingImages.map((image) => ({
    assertion: "image",
    rule: "image",
    message: `The image ${image} is not in the folder`,
    detail: "",
    file,
    line: null,
  }));
  if (failure !== null) {
    const [first = "", ...rest] = failure.message.split("\n");
    const place = { file: shownPath(folder, failure.file), line: failure.line };
    failures.push({ assertion: "render", rule: "render", message: first, detail: rest.join("\n"), ...place });
  }
  if (message !== null) {
    failures.push(...(await judgeSnapshot(judge, { id: template.id, file, notes }, message)));
    failures.push(...(await judgeBudget(judge.config, file, message)));
    const { clients = [] } = judge.config.screenshots ?? {};
    const { mask } = judge.config.snapshot ?? {};
    const note = (text: string): void => void notes.push(text);
    const pictured = { folder, id: template.id, file, policy: judge.policy, clients, mask, note };
    failures.push(...(await judgeScreenshots(pictured, message)));
  }
  return { id: template.id, file, failures, notes };
}

async function judgeSnapshot(
  { folder, config, policy }: TemplateJudge,
  { id, file, notes }: { readonly id: string; readonly file: string; readonly notes: string[] },
  message: ReceivedMessage,
): Promise<readonly TemplateFailure[]> {
  const { mask, headers } = config.snapshot ?? {};
  const snapshot = await message.snapshot({
    ...(mask !== undefined && { mask }),
    ...(headers !== undefined && { headers }),
  });
  const { kind, file: path, difference } = compareSnapshot(folder, { id, snapshot }, policy);
  const shown = shownPath(folder, path);
  if (kind === "written" || kind === "updated") notes.push(`snapshot ${kind}: ${shown}`);
  const failure = { assertion: "snapshot", rule: "snapshot", file, line: null } as const;
  if (kind === "missing")
    return [{ ...failure, message: `There is no snapshot ${shown}; write it with --update`, detail: "" }];
  if (kind === "different") return [{ ...failure, message: `The mail differs from ${shown}`, detail: difference }];
  return [];
}

async function judgeBudget(
  { budget }: TemplateConfig,
  file: string,
  message: ReceivedMessage,
): Promise<readonly TemplateFailure[]> {
  if (budget === undefined) return [];
  const report = await message.judge(budget);
  return failuresOf(report).map((text) => {
    const [first = "", ...rest] = text.split("\n").map((line) => line.trim());
    const [rule = ""] = first.split(":");
    return { assertion: "budget", rule, message: first, detail: rest.join("\n"), file, line: null };
  });
}

/** Case whose screenshots are judged. */
interface PicturedCase {
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

/** Case with its message, null after an error, and its result. */
export interface JudgedTemplate {
  readonly template: TemplateCase;
  readonly message: string | null;
  readonly result: TemplateResult;
}

/** Returns the results with the faults of translations, in the given order. */
export async function judgeTranslations(
  client: RestanteClient,
  { locales = [], localisation = {} }: TemplateConfig,
  judged: readonly JudgedTemplate[],
): Promise<readonly TemplateResult[]> {
  const faults = new Map<string, readonly TemplateFailure[]>();
  const groups = Map.groupBy(judged, ({ template }) => template.group);
  for (const group of groups.values()) {
    const mails = group
      .flatMap(({ template: { locale }, message, result }) =>
        locale === null || message === null ? [] : [{ locale, message, result }],
      )
      .toSorted((one, other) => locales.indexOf(one.locale) - locales.indexOf(other.locale));
    if (mails.length === 0) continue;
    const { keep = [] } = localisation;
    const messages = mails.map(({ locale, message }) => ({ id: message, locale }));
    const report = await client.analysis.localisation({ messages, keep: [...keep] });
    for (const [at, { findings }] of report.locales.entries()) {
      const result = mails[at]?.result;
      if (result === undefined) continue;
      const { file } = result;
      faults.set(
        result.id,
        findings.map(({ rule, message, subject }) => {
          return { assertion: "localisation", rule, message, detail: subject, file, line: null };
        }),
      );
    }
  }
  return judged.map(({ result }) => ({ ...result, failures: [...result.failures, ...(faults.get(result.id) ?? [])] }));
}
