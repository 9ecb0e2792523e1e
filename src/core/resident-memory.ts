let lastBytes = 0;

/**
 * Returns the resident memory of the process in bytes; the last value while no file descriptor is free, because the system
 * tells it in a file. 0 when there is none yet.
 */
export function residentBytes(read: () => number = () => process.memoryUsage.rss()): number {
  try {
    lastBytes = read();
  } catch {
    // Descriptors have run out, which their watch reports; metrics have to be readable then.
  }
  return lastBytes;
}
