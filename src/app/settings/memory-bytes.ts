import { totalmem } from "node:os";

/**
 * Returns the memory limit of this process in bytes: that of its control group (cgroup v1 and v2, as libuv reads them), else
 * the memory of the machine.
 */
export function memoryBytesMax(): number {
  const machine = totalmem();
  const group = process.constrainedMemory();
  // Without a limit, the kernel reports 0 or a number larger than any machine's memory.
  return group > 0 && group < machine ? group : machine;
}
