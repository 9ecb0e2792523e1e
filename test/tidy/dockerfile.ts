/** `deploy/Dockerfile`, parsed. */
import { DockerfileParser, type From, type Instruction, type PropertyInstruction } from "dockerfile-ast";
import { validate } from "dockerfile-utils";
import { readText } from "./source-files.ts";

/** Build stage with its instructions, without its FROM. */
export interface Stage {
  readonly from: From;
  /** Name after `AS`; null for the image itself. */
  readonly name: string | null;
  readonly instructions: readonly Instruction[];
}

const text = readText("deploy/Dockerfile");

/** Errors and warnings of the Dockerfile, with their lines. */
export const problems: readonly string[] = problemsOf(text);

/** Returns errors and warnings of a Dockerfile, with their lines. */
export function problemsOf(content: string): readonly string[] {
  return validate(content).map(({ range, message }) => `line ${range.start.line + 1}: ${JSON.stringify(message)}`);
}

/** Build stages, in the order of the file; the last one is the image. */
export const stages: readonly Stage[] = readStages();

/** Instructions of the image. */
export const image: readonly Instruction[] = stages.at(-1)?.instructions ?? [];

/** Environment of the image, which deployments override. */
export const imageEnvironment: Readonly<Record<string, string>> = propertiesOf("ENV");

function readStages(): readonly Stage[] {
  const dockerfile = DockerfileParser.parse(text);
  const found: { from: From; name: string | null; instructions: Instruction[] }[] = [];
  const froms = new Set<Instruction>(dockerfile.getFROMs());
  for (const instruction of dockerfile.getInstructions()) {
    if (froms.has(instruction)) {
      const from = instruction as From;
      found.push({ from, name: from.getBuildStage(), instructions: [] });
    } else found.at(-1)?.instructions.push(instruction);
  }
  return found;
}

/** Returns the words of the only instruction of the image with this keyword, with variables replaced. */
export function wordsOf(keyword: string): readonly string[] {
  const [only] = image.filter((instruction) => instruction.getKeyword() === keyword);
  return only?.getExpandedArguments().map((word) => word.getValue()) ?? [];
}

/** Returns names and values of all ENV or LABEL instructions of the image. */
export function propertiesOf(keyword: "ENV" | "LABEL"): Readonly<Record<string, string>> {
  const found = image.filter((instruction) => instruction.getKeyword() === keyword) as PropertyInstruction[];
  const properties = found.flatMap((instruction) => instruction.getProperties());
  return Object.fromEntries(properties.map((property) => [property.getName(), property.getValue() ?? ""]));
}
