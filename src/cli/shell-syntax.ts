/** How shells set environment variables, with any value taken word for word. */

/** Shells whose syntax is known. */
export type Shell = "sh" | "fish" | "powershell";

/** One variable and its value. */
export type Variable = readonly [name: string, value: string];

const syntax: { readonly [Name in Shell]: (name: string, value: string) => string } = {
  // POSIX Shell Command Language §2.2.2: nothing but the quote itself is special between single quotes.
  sh: (name, value) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`,
  // Between single quotes, fish knows \\ and \' only.
  fish: (name, value) => `set -gx ${name} '${value.replaceAll(/[\\']/g, "\\$&")}'`,
  // PowerShell takes typographic single quotes for plain ones; each is written twice.
  powershell: (name, value) => `$env:${name} = '${value.replaceAll(/['\u2018-\u201b]/g, "$&$&")}'`,
};

/** Names of all shells, in the order of the help. */
export const shells: readonly Shell[] = Object.keys(syntax) as Shell[];

/** Lines that set the variables in the shell that evaluates them. Values must not contain NUL. */
export function settingLines(shell: Shell, variables: readonly Variable[]): string {
  return variables.map(([name, value]) => `${syntax[shell](name, value)}\n`).join("");
}
