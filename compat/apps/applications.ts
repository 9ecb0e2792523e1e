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

/** Version of Kratos that is run. */
export const kratosVersion = "v1.3.1";
/** Version of PocketBase that is run: newer ones need a newer Go. */
export const pocketBaseVersion = "v0.36.8";
/** Builds the package `$3` of the module `$2` in its own folder, to a file in `$1`. */
const goBuild = [
  `cd "$1" && echo module run > go.mod && go mod download "$2"`,
  `cd "$(go list -m -f '{{.Dir}}' "$2")" && nice -n 10 go build -tags sqlite,json1 -o "$1/" "$3"`,
].join("\n");

/** Returns the commands that build a program in a folder. `go install` rejects modules that replace others. */
function goProgram(folder: string, module: string, target: string): readonly Command[] {
  return [
    ["mkdir", "-p", folder],
    ["sh", "-c", goBuild, "go", folder, module, target],
  ];
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
  authjs: {
    title: "Auth.js",
    needs: ["npm"],
    install: (folder) =>
      npmPackages(folder, ["@auth/express", "@auth/unstorage-adapter", "express@4", "nodemailer", "unstorage"]),
  },
  "better-auth": {
    title: "better-auth",
    needs: ["npm"],
    install: (folder) => npmPackages(folder, ["better-auth", "nodemailer"]),
  },
  keycloak: {
    title: "Keycloak",
    needs: ["mvn"],
    install: (folder) => [
      [
        "mvn",
        "-q",
        "-B",
        "-f",
        join(import.meta.dirname, "..", "java", "keycloak.pom.xml"),
        "dependency:unpack-dependencies",
        `-DoutputDirectory=${folder}`,
        // Otherwise, the next run would believe that it is unpacked.
        `-DmarkersDirectory=${join(folder, "markers")}`,
      ],
    ],
  },
  kratos: {
    title: "Ory Kratos",
    needs: ["go"],
    install: (folder) => goProgram(folder, `github.com/ory/kratos@${kratosVersion}`, "."),
  },
  // From Debian: mediawiki php-sqlite3.
  mediawiki: { title: "MediaWiki", needs: ["php", "/usr/share/mediawiki/index.php"], install: () => [] },
  // From Debian: wordpress mariadb-server php-mysql.
  wordpress: {
    title: "WordPress",
    needs: ["php", "mariadbd", "/usr/share/wordpress/wp-login.php"],
    install: () => [],
  },
  pocketbase: {
    title: "PocketBase",
    needs: ["go"],
    install: (folder) => goProgram(folder, `github.com/pocketbase/pocketbase@${pocketBaseVersion}`, "./examples/base"),
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
