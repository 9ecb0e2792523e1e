/** Key and server that the inputs of listeners contain. */
export const fuzzAccess = { key: "fuzz-key-fuzz-key-fuzz-key-fuzz", server: "fuzzsrvr" } as const;
