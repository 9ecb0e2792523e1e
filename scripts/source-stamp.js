/** Plain JavaScript, because scripts/start.js loads it before it knows which Node runs. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
/** Files beside the sources on which the build depends. */
const ofBuild = ["scripts/build.ts", "scripts/bundle-service.ts", "package-lock.json", "tsconfig.build.json"];

export const stampFile = `${root}node_modules/.cache/restante/built-from`;

export function isBuildCurrent() {
  const isComplete = existsSync(stampFile) && existsSync(`${root}dist/cli/main.js`);
  return isComplete && readFileSync(stampFile, "utf8") === sourceStamp();
}

export function sourceStamp() {
  const sources = readdirSync(`${root}src`, { recursive: true })
    .filter((name) => /\.ts$/.test(name) && !/\.test/.test(name))
    .map((name) => `src/${name}`);
  const lines = [...ofBuild, ...sources.sort()].map((name) => {
    const { size, mtimeMs } = statSync(root + name);
    return `${name} ${size} ${mtimeMs}`;
  });
  return createHash("sha256").update(lines.join("\n")).digest("hex");
}
