/** Bytes of one typed array, above any font, image or page of a file that is previewed. */
const arrayBytesMax = 64 * 1024 * 1024;

/** Global scope of a worker. */
export interface WorkerScope {
  Uint8Array: Uint8ArrayConstructor;
  DecompressionStream?: unknown;
}

/**
 * Replaces the constructor of byte arrays by one that throws a RangeError above 64 MiB, and removes `DecompressionStream`, which
 * allocates outside of it; pdf.js then decompresses in script, into byte arrays that it doubles.
 */
export function boundAllocations(scope: WorkerScope): void {
  const bounded: Uint8ArrayConstructor = new Proxy(scope.Uint8Array, {
    construct: (target, given: readonly unknown[], newTarget): Uint8Array => {
      const [length] = given;
      if (typeof length === "number" && length > arrayBytesMax)
        throw new RangeError("the file decompresses to too much");
      return Reflect.construct(target, given, newTarget === bounded ? target : newTarget) as Uint8Array;
    },
  });
  scope.Uint8Array = bounded;
  delete scope.DecompressionStream;
}
