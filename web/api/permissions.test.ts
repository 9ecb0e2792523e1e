import { expect, test } from "vitest";
import { accountSession, restrictedSession } from "../testing/samples.ts";
import { permissionsOf } from "./permissions.ts";

test.each([
  [
    { ...accountSession, scope: "full" },
    { isAccount: true, canSend: true, canManage: true },
  ],
  [
    { ...accountSession, scope: "read" },
    { isAccount: true, canSend: false, canManage: false },
  ],
  [
    { ...restrictedSession, scope: "send" },
    { isAccount: false, canSend: true, canManage: false },
  ],
] as const)("allows what server and scope of the key do: %#", (session, permissions) => {
  expect(permissionsOf(session)).toEqual(permissions);
});
