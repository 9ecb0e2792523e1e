/** Applications that `npm run compat:apps` runs, by the name of their program in this folder. */
import { join } from "node:path";
import { pythonPackages, type Command, type Language } from "../language.ts";

/** Application of docs/guide/applications.md. */
export interface Application {
  /** Its heading on the page. */
  readonly title: string;
  readonly needs: readonly string[];
  readonly serviceFlags?: readonly string[];
  /** Commands that install it in the folder that its program gets. */
  readonly install: (folder: string) => readonly Command[];
}

function npmPackages(folder: string, packages: readonly string[]): readonly Command[] {
  return [["npm", "install", "--silent", "--no-audit", "--no-fund", `--prefix=${folder}`, ...packages]];
}

/** See {@link Application}. */
export const applications: Readonly<Record<string, Application>> = {
  allauth: {
    title: "Django with allauth",
    needs: ["python3"],
    install: (folder) => pythonPackages(folder, ["django", "django-allauth"]),
  },
  // From Debian: prometheus-alertmanager.
  alertmanager: { title: "Alertmanager", needs: ["prometheus-alertmanager"], install: () => [] },
  "better-auth": {
    title: "better-auth",
    needs: ["npm"],
    install: (folder) => npmPackages(folder, ["better-auth", "nodemailer"]),
  },
  synapse: {
    title: "Synapse",
    needs: ["python3"],
    install: (folder) => pythonPackages(folder, ["matrix-synapse"]),
  },
};

/** Returns the runs of all applications, by the name for `compat/run.ts`. */
export function applicationRuns(): Readonly<Record<string, Language>> {
  return Object.fromEntries(
    Object.entries(applications).map(([name, { needs, serviceFlags = [], install }]) => {
      const program = join(import.meta.dirname, `${name}.ts`);
      const steps: Language["steps"] = (folder) => [...install(folder), [process.execPath, program, folder]];
      return [`app-${name}`, { needs, flags: [], serviceFlags, steps }];
    }),
  );
}
