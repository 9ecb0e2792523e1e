/**
 * Puts the name of the repository in the place of `OWNER/restante` and `restante.example`, in files that registries show and
 * in the documentation: `node scripts/name-repository.ts OWNER/NAME`. To be run once; the result is committed.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** Files with the name of the repository, as patterns of `globSync`. */
export const namedFiles: readonly string[] = [
  "clients/*.md",
  "clients/*/README.md",
  "clients/python/pyproject.toml",
  "clients/java/{pom.xml,*/pom.xml}",
  "clients/go/{go.mod,*.go,*/go.mod,*/*.go}",
  "docs/guide/*.md",
];

/** Text that is left out once the repository has a name. */
const untilNamed = /[ \t]*<!-- until named -->[^]*?<!-- \/until named -->\n*/g;
/** Names that GitHub allows for accounts and repositories. */
const repositoryPattern = /^([a-z\d](?:-?[a-z\d]){0,38})\/([\w.-]{1,100})$/i;

if (import.meta.main) nameFiles(process.argv[2] ?? "");

function nameFiles(repository: string): void {
  for (const file of globSync(namedFiles, { cwd: root })) {
    const text = readFileSync(join(root, file), "utf8");
    const named = withRepository(text, repository);
    if (named === text) continue;
    writeFileSync(join(root, file), named);
    process.stdout.write(`${file}\n`);
  }
}

/**
 * Returns a text with the name of the repository. Namespaces of Maven Central and names of images are in lower case. Throws
 * for a name that GitHub does not allow.
 */
export function withRepository(text: string, repository: string): string {
  const [, owner, name] = repositoryPattern.exec(repository) ?? [];
  if (owner === undefined || name === undefined) throw new Error("give the repository as OWNER/NAME");
  return text
    .replaceAll(untilNamed, "")
    .replaceAll("<groupId>restante</groupId>", `<groupId>io.github.${owner.toLowerCase()}</groupId>`)
    .replaceAll("io.github.OWNER", `io.github.${owner.toLowerCase()}`)
    .replaceAll("restante.example/clients", `github.com/${repository}/clients`)
    .replaceAll("ghcr.io/OWNER/restante", `ghcr.io/${repository.toLowerCase()}`)
    .replaceAll("ghcr.io/OWNER", `ghcr.io/${owner.toLowerCase()}`)
    .replaceAll("OWNER/restante", repository)
    .replaceAll("--owner OWNER", `--owner ${owner}`);
}
