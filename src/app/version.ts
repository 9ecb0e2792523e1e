import { readFileSync } from "node:fs";

/** Version of the package, from its `package.json`, which stands two folders up in the sources and in the build. */
export function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
