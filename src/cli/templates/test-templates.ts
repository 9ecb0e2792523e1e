/** `restante test`: snapshots, budgets and translations of the templates of a folder. */
import { writeFileSync } from "node:fs";
import { basename } from "node:path";
import { type Action, type Call, exitCodes } from "../command.ts";
import { type JudgedTemplate, judgeTemplate, judgeTranslations } from "./judge-templates.ts";
import { localPartOf, openFolder, type RenderedFolder, renderFolder, shownPath } from "./rendered-folder.ts";
import { findObsoleteSnapshots } from "./snapshot-files.ts";
import { toAnnotations, toJunit, toSarif, toText, type TemplateRun } from "./template-report.ts";
import { startTemplateService, type TemplateService } from "./template-service.ts";

/** Runs `restante test FOLDER`. */
export const testTemplates: Action = async (call) => {
  const { operands, flags, terminal } = call;
  const [operand = ""] = operands;
  const folder = openFolder(operand);
  await using service = await startTemplateService({
    name: basename(folder),
    port: 0,
    browser: flags.get("browser") ?? "auto",
  });
  const run = await testFolder(call, folder, service);
  terminal.out(toText(run));
  if (terminal.environment["GITHUB_ACTIONS"] === "true") terminal.out(toAnnotations(run));
  const [junit, sarif] = [flags.get("junit"), flags.get("sarif")];
  if (junit !== undefined) writeFileSync(junit, toJunit(run));
  if (sarif !== undefined) writeFileSync(sarif, toSarif(run));
  const isPassed = run.results.every(({ failures }) => failures.length === 0);
  return isPassed ? exitCodes.done : exitCodes.failed;
};

/** Renders and judges the templates of a folder in a running service, as the flags of a call say. */
export async function testFolder(
  { flags, terminal }: Pick<Call, "flags" | "terminal">,
  folder: string,
  service: TemplateService,
): Promise<TemplateRun> {
  const { clock, environment } = terminal;
  const filter = flags.get("filter") ?? "";
  const rendered = await renderFolder(folder, { clock, addressOf: service.addressOf, filter });
  const isUpdating = flags.has("update");
  const isCi = (environment["CI"] ?? "") !== "" && environment["CI"] !== "false";
  const policy = { isUpdating, isWriting: !isCi };
  const judged: JudgedTemplate[] = [];
  for (const one of rendered.cases) {
    const id = one.mail === null ? null : await service.deliver(localPartOf(one.template), one.mail.raw);
    const message = id === null ? null : await service.client.messages.get(id);
    const result = await judgeTemplate({ folder, config: rendered.config, policy }, one, message);
    judged.push({ template: one.template, message: id, result });
  }
  const results = await judgeTranslations(service.client, rendered.config, judged);
  const notes = filter === "" ? obsoleteNotes(folder, rendered, isUpdating) : [];
  return { results, notes };
}

function obsoleteNotes(folder: string, { cases }: RenderedFolder, isDeleting: boolean): readonly string[] {
  const ids = new Set(cases.map(({ template }) => template.id));
  return findObsoleteSnapshots(folder, ids, isDeleting).map((path) => {
    const shown = shownPath(folder, path);
    return isDeleting ? `deleted the obsolete snapshot ${shown}` : `obsolete snapshot: ${shown}; --update deletes it`;
  });
}
