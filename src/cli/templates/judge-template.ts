/** Judges one template: what it rendered, its images, its snapshot and its budget. */
import { failuresOf } from "../../client/budgets.ts";
import type { ReceivedMessage } from "../../client/received-message.ts";
import type { TemplateConfig } from "../../templates/template-config.ts";
import { type RenderedCase, shownPath } from "./rendered-folder.ts";
import { judgeScreenshots } from "./judge-screenshots.ts";
import { compareSnapshot, type SnapshotPolicy } from "./snapshot-files.ts";
import type { TemplateFailure, TemplateResult } from "./template-report.ts";

/** Run that judges templates. */
export interface TemplateJudge {
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
