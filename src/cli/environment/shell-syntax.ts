/** Syntax of shells for setting and unsetting environment variables. */

/** Supported shells. */
export type Shell = "sh" | "fish" | "powershell";

/** Variable and its value. */
export type Variable = readonly [name: string, value: string];

interface Syntax {
  readonly set: (name: string, value: string) => string;
  readonly unset: (name: string) => string;
  /** Statement that fails. */
  readonly fail: string;
}

const syntax: { readonly [Name in Shell]: Syntax } = {
  sh: {
    // POSIX Shell Command Language §2.2.2: only the quote itself is special within single quotes.
    set: (name, value) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`,
    unset: (name) => `unset ${name}`,
    fail: "false",
  },
  fish: {
    // Within single quotes, fish has the escapes \\ and \' only.
    set: (name, value) => `set -gx ${name} '${value.replaceAll(/[\\']/g, "\\$&")}'`,
    unset: (name) => `set -e ${name}`,
    fail: "false",
  },
  powershell: {
    // PowerShell treats typographic single quotes as plain ones; doubling escapes them.
    set: (name, value) => `$env:${name} = '${value.replaceAll(/['\u2018-\u201b]/g, "$&$&")}'`,
    unset: (name) => `$env:${name} = $null`,
    // PowerShell has no command `false`.
    fail: "throw 'restante env failed'",
  },
};

/** All shells, in the order of the help. */
export const shells: readonly Shell[] = Object.keys(syntax) as Shell[];

/** Returns lines that set the variables when a shell evaluates them. Values must not contain NUL. */
export function settingLines(shell: Shell, variables: readonly Variable[]): string {
  return variables.map(([name, value]) => `${syntax[shell].set(name, value)}\n`).join("");
}

/** Returns lines that unset the variables when a shell evaluates them, and then fail. */
export function failingLines(shell: Shell, names: readonly string[]): string {
  return [...names.map(syntax[shell].unset), syntax[shell].fail].map((line) => `${line}\n`).join("");
}
