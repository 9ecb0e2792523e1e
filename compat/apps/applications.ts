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
/** Builds the program of the module in `$2` in its own folder, to a file in `$1`. */
const goBuild = [
  `cd "$1" && echo module run > go.mod && go mod download "$2"`,
  `cd "$(go list -m -f '{{.Dir}}' "$2")" && nice -n 10 go build -tags sqlite,json1 -o "$1/" .`,
].join("\n");

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
    // `go install` rejects modules that replace others.
    install: (folder) => [
      ["mkdir", "-p", folder],
      ["sh", "-c", goBuild, "go", folder, `github.com/ory/kratos@${kratosVersion}`],
    ],
  },
  // From Debian: mediawiki php-sqlite3.
  mediawiki: { title: "MediaWiki", needs: ["php", "/usr/share/mediawiki/index.php"], install: () => [] },
  // From Debian: wordpress mariadb-server php-mysql.
  wordpress: {
    title: "WordPress",
    needs: ["php", "mariadbd", "/usr/share/wordpress/wp-login.php"],
    install: () => [],
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
