// Only old syntax and no imports: old versions of Node load this file.

/** Oldest supported version of Node, as in `engines` of `package.json`. */
export const oldestNode = "24.15";

/** Returns the reason why this version of Node cannot run restante, as a sentence; undefined when it can. */
export function unsupportedNode(running: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = running.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split(".").map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `restante needs Node ${oldestNode} or newer, and this is ${running}.`;
}
