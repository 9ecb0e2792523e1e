// Only old syntax and no import here: this file is what an old Node must be able to load.

/** Oldest supported Node, the same as `engines` in `package.json`. */
export const oldestNode = "24.15";

/** Describes why this Node cannot run restante, in one sentence; undefined when it can. */
export function unsupportedNode(running: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = running.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split(".").map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `restante needs Node ${oldestNode} or newer, and this is ${running}.`;
}
