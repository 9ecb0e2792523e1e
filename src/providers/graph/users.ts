/** Users, whose mailboxes are servers. */
import type { Handler } from "../kit/endpoints.ts";
import { openMailbox } from "./ids.ts";
import { uuidOfHash } from "../formats/uuid.ts";
import { json } from "./response.ts";

/** Returns the user of a mailbox: `GET /me` and `GET /users/:user`. */
export const getUser: Handler = async (call) => {
  const { address } = await openMailbox(call);
  const name = address.slice(0, address.lastIndexOf("@"));
  return json(call, 200, {
    id: uuidOfHash(address),
    displayName: name,
    givenName: null,
    surname: null,
    mail: address,
    userPrincipalName: address,
  });
};
