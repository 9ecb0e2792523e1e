/**
 * Returns a function that calls `load` once, and returns its result to all callers. For modules that are imported on the
 * first request: each further import of a loaded module takes as long as a tenth of composing a mail.
 */
export function loadOnce<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loaded: Promise<Loaded> | undefined;
  return async () => (loaded ??= load());
}
