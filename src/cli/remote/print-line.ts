import type { Call } from "../command.ts";

/** Prints fields on a line, without control characters, which could contain terminal escape sequences. */
export function printLine({ terminal }: Pick<Call, "terminal">, fields: readonly string[]): void {
  terminal.out(`${fields.map((field) => field.replaceAll(/\p{Cc}/gu, " ")).join("\t")}\n`);
}
