/**
 * Compares the build with the sources. Plain JavaScript, because scripts/start.js loads it in the process before the re-exec,
 * from which nothing remains: so it loads as little of Node as possible.
 */
const { existsSync, readdirSync, readFileSync, statSync } = process.getBuiltinModule("node:fs");

const root = `${import.meta.dirname}/../`;
/** Files beside the sources on which the build depends. */
const ofBuild = ["scripts/build.ts", "scripts/bundle-service.ts", "package-lock.json", "tsconfig.build.json"];

export const stampFile = `${root}node_modules/.cache/restante/built-from`;

export function isBuildCurrent() {
  if (!existsSync(stampFile) || !existsSync(`${root}dist/cli/main.js`)) return false;
  const lines = readFileSync(stampFile, "utf8").split("\n");
  return lines.length === sourceNames().length && lines.every(isUnchanged);
}

export function sourceStamp() {
  return sourceNames().map(stampOf).join("\n");
}

function isUnchanged(line) {
  const name = line.slice(0, line.indexOf(" "));
  return stampOf(name) === line;
}

function stampOf(name) {
  const { size, mtimeMs } = statSync(root + name, { throwIfNoEntry: false }) ?? {};
  return `${name} ${size} ${mtimeMs}`;
}

function sourceNames() {
  const sources = readdirSync(`${root}src`, { recursive: true }).filter(
    (name) => name.endsWith(".ts") && !name.includes(".test"),
  );
  return ofBuild.concat(sources.map((name) => `src/${name}`));
}
