/** How shells set and unset environment variables, with any value taken word for word. */

/** Shells whose syntax is known. */
export type Shell = "sh" | "fish" | "powershell";

/** One variable and its value. */
export type Variable = readonly [name: string, value: string];

interface Syntax {
  readonly set: (name: string, value: string) => string;
  readonly unset: (name: string) => string;
  /** Statement that fails. */
  readonly fail: string;
}

const syntax: { readonly [Name in Shell]: Syntax } = {
  sh: {
    // POSIX Shell Command Language §2.2.2: nothing but the quote itself is special between single quotes.
    set: (name, value) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`,
    unset: (name) => `unset ${name}`,
    fail: "false",
  },
  fish: {
    // Between single quotes, fish knows \\ and \' only.
    set: (name, value) => `set -gx ${name} '${value.replaceAll(/[\\']/g, "\\$&")}'`,
    unset: (name) => `set -e ${name}`,
    fail: "false",
  },
  powershell: {
    // PowerShell takes typographic single quotes for plain ones; each is written twice.
    set: (name, value) => `$env:${name} = '${value.replaceAll(/['\u2018-\u201b]/g, "$&$&")}'`,
    unset: (name) => `$env:${name} = $null`,
    // It has no command `false`.
    fail: "throw 'restante env failed'",
  },
};

/** Names of all shells, in the order of the help. */
export const shells: readonly Shell[] = Object.keys(syntax) as Shell[];

/** Lines that set the variables in the shell that evaluates them. Values must not contain NUL. */
export function settingLines(shell: Shell, variables: readonly Variable[]): string {
  return variables.map(([name, value]) => `${syntax[shell].set(name, value)}\n`).join("");
}

/** Lines that unset the variables in the shell that evaluates them, and then fail. */
export function failingLines(shell: Shell, names: readonly string[]): string {
  return [...names.map(syntax[shell].unset), syntax[shell].fail].map((line) => `${line}\n`).join("");
}
