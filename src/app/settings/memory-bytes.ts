import { totalmem } from "node:os";

/**
 * Bytes of memory that this process may use: the limit of its control group (cgroup v1 and v2, as libuv reads them), or
 * the memory of the machine where there is none.
 */
export function memoryBytesMax(): number {
  const machine = totalmem();
  const group = process.constrainedMemory();
  // Without a limit the kernel answers 0 or a number beyond any machine.
  return group > 0 && group < machine ? group : machine;
}
