/** Reference of the client library, from the docstrings in its source. */
import { readText } from "./source-files.ts";
import { markdownTable } from "../documentation.ts";

interface Documented {
  readonly name: string;
  readonly parameters: string;
  readonly result: string;
  readonly purpose: string;
}

/** Returns a section for each resource of the client, in the order of its properties. */
export function resourceSections(): string {
  const client = readText("src/client/client.ts");
  const files = Object.fromEntries(
    Array.from(client.matchAll(/import \{ ([\w, ]+) \} from "\.\/([\w-]+)\.ts"/g)).flatMap(
      ([, names = "", file = ""]) => names.split(", ").map((name) => [name, file]),
    ),
  );
  const properties = client.matchAll(/^ {2}readonly (\w+): ([A-Z]\w+);$/gm);
  return Array.from(properties, ([, property = "", type = ""]) => {
    const source = readText(`src/client/${files[type] ?? ""}.ts`);
    const title = proseOf(new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\nexport class ${type} `).exec(source)?.[1] ?? "");
    const [body = ""] = source.slice(source.indexOf(`export class ${type} `)).split("\n}\n");
    const rows = [...fieldsOf(body), ...methodsOf(body)].map((method) => [
      `\`${method.name}(${method.parameters})\``,
      `\`${method.result}\``,
      method.purpose,
    ]);
    return `### \`client.${property}\`\n\n${title}\n\n${markdownTable(["method", "result", "purpose"], rows)}`;
  }).join("\n\n");
}

/** Returns the table of the methods of messages. */
export function messageMethods(): string {
  const source = readText("src/client/received-message.ts");
  const [, body = ""] = /export interface MessageMethods \{\n([^]*?)\n\}/.exec(source) ?? [];
  const rows = Array.from(
    body.matchAll(/^ {2}\/\*\*((?:(?!\*\/)[^])*)\*\/\n {2}(\w+)\((.*)\): (.*);$/gm),
    ([, prose = "", name = "", parameters = "", result = ""]) => [
      `\`${name}(${shortened(parameters)})\``,
      `\`${resultOf(result)}\``,
      proseOf(prose),
    ],
  );
  return markdownTable(["method", "result", "purpose"], rows);
}

/** Returns the table of errors. */
export function errorTable(): string {
  const rows = Array.from(
    readText("src/client/errors.ts").matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\nexport class (\w+) extends (\w+)/g),
    ([, prose = "", name = "", base = ""]) => [`\`${name}\``, `\`${base}\``, proseOf(prose)],
  );
  return markdownTable(["error", "extends", "meaning"], rows);
}

/** Returns the table of an interface of options. */
export function optionTable(file: string, name: string): string {
  const [, body = ""] = new RegExp(`export interface ${name}[^{]* \\{\\n([^]*?)\\n\\}`).exec(readText(file)) ?? [];
  const rows = Array.from(
    body.matchAll(/^ {2}\/\*\*((?:(?!\*\/)[^])*)\*\/\n {2}readonly (\w+)\??: (.*);$/gm),
    ([, prose = "", option = "", type = ""]) => [
      `\`${option}\``,
      `\`${type.replace(" | undefined", "")}\``,
      proseOf(prose),
    ],
  );
  return markdownTable(["option", "type", "meaning"], rows);
}

/** Methods that are made from the table of operations have the signatures of the generated file. */
function fieldsOf(body: string): readonly Documented[] {
  const signatures = new Map(
    Array.from(
      readText("src/client/generated/methods.ts").matchAll(/^ {2}(\w+)\((.*)\): Promise<(.*)>;$/gm),
      ([, id = "", parameters = "", result = ""]) => [id, { parameters, result }] as const,
    ),
  );
  const field = /^ {2}\/\*\*((?:(?!\*\/)[^])*)\*\/\n(?: {2}\/\/.*\n)* {2}readonly (\w+): Methods\["(\w+)"\] =/gm;
  return Array.from(body.matchAll(field), ([, prose = "", name = "", id = ""]) => {
    const { parameters, result } = signatures.get(id) ?? { parameters: "", result: "" };
    return { name, parameters: shortened(parameters), result: resultOf(`Promise<${result}>`), purpose: proseOf(prose) };
  });
}

function methodsOf(body: string): readonly Documented[] {
  const method = /^ {2}\/\*\*((?:(?!\*\/)[^])*)\*\/\n {2}(?:async )?\*?(\w+)\(((?:(?!\): )[^])*)\): ([^\n]+) \{$/gm;
  return Array.from(body.matchAll(method), ([, prose = "", name = "", parameters = "", result = ""]) => ({
    name,
    parameters: shortened(parameters),
    result: resultOf(result),
    purpose: proseOf(prose),
  }));
}

/** Names of the parameters with their types; the options of every request are explained once. */
function shortened(parameters: string): string {
  return parameters
    .replaceAll(/\/\*\*.*?\*\//gs, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\{ ([\w, ]+) \}: (\w+)/g, "id: $2")
    .replaceAll(/\{ [\w, ]+\.\.\.options \}:/g, "options:")
    .replaceAll(/Omit<(\w+), [^>]*>(?: & \{ readonly receivedAfter[^}]*\})?/g, "$1")
    .replaceAll(/(\w+): ([\w &]+(?:\{[^}]*\})?) = \{\}/g, "$1?: $2")
    .replaceAll(/\s*,\s*$/g, "")
    .replaceAll(/,? ?options\??: RequestOptions$/g, "")
    .replaceAll("readonly ", "")
    .trim();
}

function resultOf(result: string): string {
  return result.replaceAll("readonly ", "").replaceAll(", void, undefined>", ">");
}

function proseOf(comment: string): string {
  return comment
    .replaceAll(/^\s*\* ?/gm, "")
    .replaceAll(/\{@link (\w+)\}/g, "`$1`")
    .replaceAll(/\s+/g, " ")
    .trim();
}
