/** Transfer of large byte arrays to other threads: a structured clone would hold three copies at times. */

/** Smaller byte arrays are cloned, which costs less than a buffer of their own. */
const movedBytesMin = 256 * 1024;

/** Message to post, and the buffers that are transferred with it. */
export interface HandedOver {
  readonly message: unknown;
  readonly moved: readonly ArrayBuffer[];
}

/** Returns a transferable copy of large `bytes`, so that the caller keeps the original; small ones are returned as they are. */
export function movableCopy(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength < movedBytesMin ? bytes : new Uint8Array(bytes);
}

/** Frees bytes that were transferred to this thread and are no longer used. */
export function freeMoved({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength >= movedBytesMin && byteLength === buffer.byteLength) {
    buffer.transfer(0);
  }
}

/** Returns `message` with those of its byte arrays that fill a buffer of their own as transfer list; the caller loses them. */
export function handOver(message: unknown, ...contained: readonly Uint8Array[]): HandedOver {
  const moved = contained.flatMap(({ buffer, byteLength }) => {
    const isMoved = buffer instanceof ArrayBuffer && byteLength >= movedBytesMin && byteLength === buffer.byteLength;
    return isMoved ? [buffer] : [];
  });
  return { message, moved };
}
