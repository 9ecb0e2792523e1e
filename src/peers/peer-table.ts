import type { Peer } from "./peer.ts";

/** Module of each peer, which is loaded when its listener opens. */
export const peerTable: { readonly mailpit: () => Promise<Peer> } = {
  mailpit: async () => (await import("./mailpit/mailpit.ts")).mailpit,
};
