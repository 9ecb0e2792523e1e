/** Large byte arrays that cross to another thread: moved, because a structured clone holds them three times for a while. */

/** Bytes below this size are cloned: that costs less than memory of their own. */
const movedBytesMin = 256 * 1024;

/** Request as it is posted, and the buffers that move to the other thread with it. */
export interface HandedOver {
  readonly message: unknown;
  readonly moved: readonly ArrayBuffer[];
}

/** Returns bytes that can be moved to another thread, while the caller keeps `bytes`; small ones are returned as they are. */
export function movableCopy(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength < movedBytesMin ? bytes : new Uint8Array(bytes);
}

/** Frees bytes that were moved to this thread; to be called when nothing uses them any more. */
export function freeMoved({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength >= movedBytesMin && byteLength === buffer.byteLength) {
    buffer.transfer(0);
  }
}

/** Returns `message` with those of the byte arrays in it that fill buffers of their own, which the caller loses. */
export function handOver(message: unknown, ...contained: readonly Uint8Array[]): HandedOver {
  const moved = contained.flatMap(({ buffer, byteLength }) => {
    const isMoved = buffer instanceof ArrayBuffer && byteLength >= movedBytesMin && byteLength === buffer.byteLength;
    return isMoved ? [buffer] : [];
  });
  return { message, moved };
}
