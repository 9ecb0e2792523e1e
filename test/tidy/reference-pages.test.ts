/** Compares the reference pages with the tables in the code. `npx vitest run test/tidy -u` regenerates them. */
import { expect, test } from "vitest";
import { lintRules } from "../../src/analysis/lint/lint-mail.ts";
import { lintProfiles } from "../../src/analysis/lint/lint-profiles.ts";
import { spamRules } from "../../src/analysis/spam/judge-spam.ts";
import { flagOf, type Setting } from "../../src/app/settings/setting.ts";
import { limitSettings } from "../../src/app/settings/limit-settings.ts";
import { choiceSettings } from "../../src/app/settings/table.ts";
import { commands } from "../../src/cli/commands.ts";
import type { Command } from "../../src/cli/command.ts";
import type { ArgumentTable } from "../../src/mcp/arguments.ts";
import { resourceTemplates, promptTable } from "../../src/mcp/resources.ts";
import { toolTable } from "../../src/mcp/protocol.ts";
import { examples } from "../../src/cli/help.ts";
import { deadLinkRule } from "../../src/operations/checks/lint-message.ts";
import { markdownTable, pagePath, pageWith } from "../documentation.ts";
import { limitTables } from "./entry-limits.ts";

test("docs/reference/configuration.md shows every setting and limit", async () => {
  const page = "docs/reference/configuration.md";
  const expected = pageWith(page, {
    settings: settingsTable(Object.values<Setting<unknown>>(choiceSettings)),
    limits: settingsTable(Object.values<Setting<unknown>>(limitSettings)),
  });
  await expect(expected).toMatchFileSnapshot(pagePath(page));
});

test("docs/reference/limits.md has a limit of each kind for every way in", async () => {
  const page = "docs/reference/limits.md";
  await expect(pageWith(page, { limits: limitTables() })).toMatchFileSnapshot(pagePath(page));
});

test("docs/reference/cli.md shows every command and flag", async () => {
  const page = "docs/reference/cli.md";
  const expected = pageWith(page, { commands: commands.map(commandSection).join("\n\n") });
  await expect(expected).toMatchFileSnapshot(pagePath(page));
});

test("docs/reference/mcp.md describes every tool, resource and prompt", async () => {
  const page = "docs/reference/mcp.md";
  const tools = toolTable.map(({ name, description, parameters, isReadOnly, isOpenWorld }) => {
    const hints = [...(isReadOnly ? ["read-only"] : []), ...(isOpenWorld ? ["open world"] : [])].join(", ");
    return [`### ${name}`, ...(hints === "" ? [] : [`*${hints}*`]), description, ...parameterTable(parameters)].join(
      "\n\n",
    );
  });
  const resources = resourceTemplates.map(({ uriTemplate, description }) => [`\`${uriTemplate}\``, description]);
  const prompts = promptTable.map(({ name, description, parameters }) => {
    return [
      `\`${name}\``,
      description,
      Object.keys(parameters)
        .map((one) => `\`${one}\``)
        .join(", "),
    ];
  });
  const expected = pageWith(page, {
    tools: tools.join("\n\n"),
    resources: markdownTable(["URI", "content"], resources),
    prompts: markdownTable(["prompt", "purpose", "arguments"], prompts),
  });
  await expect(expected).toMatchFileSnapshot(pagePath(page));
});

test("docs/reference/lint.md explains every rule", async () => {
  const page = "docs/reference/lint.md";
  const rules = [...lintRules, deadLinkRule];
  const tables = Map.groupBy(rules, ({ category }) => category);
  const sections = Array.from(tables, ([category, own]) => {
    const rows = own.map(({ id, severity, meaning }) => [`\`${id}\``, severity, meaning]);
    return `## ${category}\n\n${markdownTable(["rule", "severity", "requirement"], rows)}`;
  });
  const profiles = Object.entries(lintProfiles).map(([id, profile]) => {
    const rows = profile.requirements.map((row) => {
      const judges = [
        ...row.rules.map((rule) => `\`${rule}\``),
        ...(row.check === null ? [] : [row.check.toUpperCase()]),
      ];
      return [`\`${row.id}\``, row.receivers, row.meaning, judges.join(", ") || "not judged"];
    });
    const own = profile.rules.map(({ id: rule, severity, meaning }) => [`\`${rule}\``, severity, meaning]);
    return [
      `### ${id}`,
      markdownTable(["requirement", "receivers", "meaning", "judged by"], rows),
      "Rules that are only checked with this profile:",
      markdownTable(["rule", "severity", "requirement"], own),
    ].join("\n\n");
  });
  const tablesOf = { rules: sections.join("\n\n"), profiles: profiles.join("\n\n") };
  await expect(pageWith(page, tablesOf)).toMatchFileSnapshot(pagePath(page));
});

test("docs/reference/spam-rules.md shows every rule", async () => {
  const page = "docs/reference/spam-rules.md";
  const rows = spamRules.map(({ name, score, description }) => [`\`${name}\``, score.toFixed(1), description]);
  const table = markdownTable(["rule", "score", "matches if"], rows);
  await expect(pageWith(page, { rules: table })).toMatchFileSnapshot(pagePath(page));
});

function parameterTable(parameters: ArgumentTable): readonly string[] {
  const rows = Object.entries(parameters).map(([name, parameter]) => {
    const { description, type, isRequired = false } = parameter;
    const values = "members" in parameter && parameter.members !== undefined ? parameter.members.join(", ") : type;
    return [isRequired ? `**\`${name}\`**` : `\`${name}\``, values, description];
  });
  return rows.length === 0 ? [] : [markdownTable(["parameter", "values", "meaning"], rows)];
}

function settingsTable(settings: readonly Setting<unknown>[]): string {
  const rows = settings.map(({ env, form, fallbackText, meaning }) => {
    return [`\`${env}\` <br> \`--${flagOf(env)}\``, fallbackText, form.allowed, meaning];
  });
  return markdownTable(["setting", "default", "values", "meaning"], rows);
}

function commandSection({ name, operands, flags, summary, details }: Command): string {
  const usage = ["restante", name, ...operands, ...(flags.length > 0 ? ["[flags]"] : [])].join(" ");
  const paragraphs = [`## ${name}`, `\`${usage}\``, `${summary}.`, ...details, ...flagTable(name, flags)];
  for (const [line, does] of examples[name] ?? []) paragraphs.push(does, `\`\`\`sh\n${line}\n\`\`\``);
  return paragraphs.join("\n\n");
}

/** The flags of `serve` are the settings, which have a separate page. */
function flagTable(name: string, flags: Command["flags"]): readonly string[] {
  if (name === "serve") return ["The flags are the settings: see [Configuration](configuration.md)."];
  const rows = flags.map((flag) => [`\`--${flag.name}${flag.value === null ? "" : ` ${flag.value}`}\``, flag.meaning]);
  return flags.length === 0 ? [] : [markdownTable(["flag", "meaning"], rows)];
}
