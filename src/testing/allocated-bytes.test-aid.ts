import { getHeapStatistics } from "node:v8";

/** Returns the bytes that V8 allocates in its heap while an action runs, whether they are still used or not. */
export async function allocatedBytes(action: () => unknown): Promise<number> {
  const before = totalBytes();
  await action();
  return totalBytes() - before;
}

function totalBytes(): number {
  return (getHeapStatistics() as unknown as { readonly total_allocated_bytes: number }).total_allocated_bytes;
}
