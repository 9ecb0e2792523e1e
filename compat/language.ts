/** Programs that `compat/run.ts` runs against a new service. */

/** Commands that run the scenarios of a language or an application; `folder` is removed afterwards. */
export interface Language {
  /** Executables, and absolute paths of files, without which the run is skipped. */
  readonly needs: readonly string[];
  /** Flags of `restante env`. */
  readonly flags: readonly string[];
  /** Flags of the service; none by default. */
  readonly serviceFlags?: readonly string[];
  /** Name of the language whose SDKs of providers the last step uses; what they send is verified and recorded. */
  readonly sdksOf?: string;
  readonly steps: (folder: string) => readonly Command[];
}

/** Command with its arguments. */
export type Command = readonly [command: string, ...argv: string[]];

/** Returns the commands that install packages of Python in a folder, which is a virtual environment then. */
export function pythonPackages(folder: string, packages: readonly string[]): readonly Command[] {
  return [
    ["python3", "-m", "venv", folder],
    [`${folder}/bin/pip`, "install", "--quiet", "--disable-pip-version-check", ...packages],
  ];
}
